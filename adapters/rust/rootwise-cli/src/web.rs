//! HTTP on loopback, for the clients of this machine.

use std::future::IntoFuture;
use std::io::Write;
use std::net::Ipv4Addr;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;

use crate::output::Failure;

/// Listens on a port, or on a free one for 0.
pub(crate) async fn listen(port: u16) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    listener.map_err(|error| Failure(format!("127.0.0.1:{port} cannot be served: {error}; name another port")))
}

/// Says where it serves, and serves until then.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    until: impl Future<Output = ()>,
) -> Result<(), Failure> {
    let address = listener.local_addr().map_err(Failure::new)?;
    // Whoever knows the port needs no line.
    let _ = writeln!(std::io::stdout(), "http://{address}/mcp");
    tokio::select! {
        served = axum::serve(listener, router.layer(from_fn(from_here))).into_future() => served.map_err(Failure::new),
        () = until => Ok(()),
    }
}

/// A web page can reach loopback as well, also under a host name of its own: such requests are refused.
async fn from_here(request: Request, next: Next) -> Response {
    if is_from_here(request.headers()) {
        return next.run(request).await;
    }
    let text = "only clients of this machine are served, and no web pages of others\n";
    (StatusCode::FORBIDDEN, text).into_response()
}

fn is_from_here(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let of_page = |origin: &str| {
        let page = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        page.is_some_and(is_loopback)
    };
    text(HOST).is_some_and(is_loopback) && text(ORIGIN).is_none_or(of_page)
}

fn is_loopback(authority: &str) -> bool {
    let authority = authority.parse::<Authority>();
    authority.is_ok_and(|authority| {
        !authority.as_str().contains('@') && matches!(authority.host(), "127.0.0.1" | "localhost" | "[::1]")
    })
}

/// Until the system or a person wants this program to end.
#[cfg(unix)]
pub(crate) async fn stopped() {
    use tokio::signal::unix::{SignalKind, signal};

    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
}

#[cfg(not(unix))]
pub(crate) async fn stopped() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[cfg(test)]
mod tests {
    use super::is_loopback;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for here in ["127.0.0.1", "127.0.0.1:80", "localhost:6274", "[::1]:1"] {
            assert!(is_loopback(here), "{here}");
        }
        for other in [
            "",
            "null",
            "evil.example",
            "localhost.evil.example",
            "evil.example@localhost",
            "localhost@evil.example",
            "127.0.0.1.evil.example:80",
            "10.0.0.1",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
