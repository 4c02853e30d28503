//! The signals that are passed on to the servers.

/// What a signal wants.
pub(super) enum Heard {
    /// This program is to end, and its servers by this signal.
    End(i32),
    /// Only the servers know what it means.
    Pass(i32),
}

/// Signals, caught from the moment that this exists; one that nobody catches would end this program and leave its servers behind.
#[cfg(unix)]
pub(super) struct Signals(Option<[tokio::signal::unix::Signal; 6]>);

#[cfg(unix)]
impl Signals {
    pub(super) fn catch() -> Self {
        use tokio::signal::unix::{SignalKind as Kind, signal};

        let all = [
            signal(Kind::interrupt()),
            signal(Kind::terminate()),
            signal(Kind::hangup()),
            signal(Kind::quit()),
            signal(Kind::user_defined1()),
            signal(Kind::user_defined2()),
        ];
        let caught: Result<Vec<_>, _> = all.into_iter().collect();
        Self(caught.ok().and_then(|caught| caught.try_into().ok()))
    }

    pub(super) async fn next(&mut self) -> Heard {
        use tokio::signal::unix::SignalKind as Kind;

        let Some([interrupt, terminate, hangup, quit, one, two]) = &mut self.0 else {
            return std::future::pending().await;
        };
        let ending = tokio::select! {
            _ = interrupt.recv() => Kind::interrupt(),
            _ = terminate.recv() => Kind::terminate(),
            _ = hangup.recv() => Kind::hangup(),
            _ = quit.recv() => Kind::quit(),
            _ = one.recv() => return Heard::Pass(Kind::user_defined1().as_raw_value()),
            _ = two.recv() => return Heard::Pass(Kind::user_defined2().as_raw_value()),
        };
        Heard::End(ending.as_raw_value())
    }
}

#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) const fn catch() -> Self {
        Self
    }

    pub(super) async fn next(&mut self) -> Heard {
        match tokio::signal::ctrl_c().await {
            Ok(()) => Heard::End(super::shell::TERM),
            Err(_) => std::future::pending().await,
        }
    }
}
