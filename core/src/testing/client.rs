//! Clients that answer by themselves.

use alloc::string::String;
use alloc::vec::Vec;

use super::Reply;

/// A client that answers `roots/list` by itself; see [`Player::client`](super::Player::client).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Client {
    /// Its answer, now.
    pub reply: Reply,
    /// When it answers.
    pub answers: Answers,
}

/// When a client answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answers {
    /// At once.
    AtOnce,
    /// After this many milliseconds.
    After(u32),
    /// Never, although it says that it has roots.
    Never,
    /// Never, because it says that it has no roots.
    Undeclared,
}

impl Client {
    /// A client that lists these URIs at once.
    #[must_use]
    pub fn prompt<U: Into<String>>(roots: impl IntoIterator<Item = U>) -> Self {
        let roots: Vec<String> = roots.into_iter().map(Into::into).collect();
        Self { reply: Reply::Roots(roots), answers: Answers::AtOnce }
    }

    /// A client that lists these URIs after this many milliseconds.
    ///
    /// ```
    /// use rootwise::testing::{Client, Disk, Player, Step};
    /// use rootwise::{HostFacts, Outcome, PathStyle, Policy};
    ///
    /// let host = HostFacts::new(PathStyle::Posix);
    /// let disk = Disk::new(PathStyle::Posix).folder("/work/app");
    /// let mut player = Player::new(Policy::recommended(), host)?.disk(disk).client(Client::late(40, ["file:///work/app"]))?;
    /// player.play(&Step::ask())?;
    /// player.play(&Step::Wait(50))?;
    /// let answer = player.answers().values().next().ok_or("no answer")?;
    /// assert!(matches!(&answer.outcome, Outcome::Resolved { project } if project.name == "app"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn late<U: Into<String>>(ms: u32, roots: impl IntoIterator<Item = U>) -> Self {
        Self { answers: Answers::After(ms), ..Self::prompt(roots) }
    }

    /// A client that declares roots and never answers.
    #[must_use]
    pub const fn silent() -> Self {
        Self { reply: Reply::Roots(Vec::new()), answers: Answers::Never }
    }

    /// A client that declares no roots.
    #[must_use]
    pub const fn without_roots() -> Self {
        Self { reply: Reply::Roots(Vec::new()), answers: Answers::Undeclared }
    }
}
