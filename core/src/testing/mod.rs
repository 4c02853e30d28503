//! Property tests over sequences of events, as the author of a server writes them. Needs the feature `testing`.
//!
//! A [`Scene`] is a disk and what a policy reads; it generates host facts, clients, and what clients, tools and clocks do, in any
//! order and with mistakes, so that every source of the policy wins now and then. [`Player`] plays the steps on a resolver and checks
//! after each one what holds for every resolver. Add what must hold for your policy:
//!
//! ```
//! use proptest::prelude::*;
//! use rootwise::testing::{Disk, Player, Scene};
//! use rootwise::{PathStyle, Policy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = Policy::from_json(r#"{"name": "mine", "sources": [{"from": "selected"}, {"from": "roots"}]}"#)?;
//! let disk = Disk::new(PathStyle::Posix).file("/work/app/.git").folder("/work/api").link("/work/out", "/etc");
//! let scene = Scene::new(disk, &policy);
//!
//! proptest!(|(mut host in scene.hosts(), client in scene.clients(), steps in scene.steps(30))| {
//!     host.allowed_dirs = Some(vec!["/work".into()]);
//!     let mut player = Player::new(policy.clone(), host)?.disk(scene.disk().clone()).client(client)?;
//!     for step in &steps {
//!         player.play(step)?;
//!         if let Some(project) = player.resolver().project() {
//!             prop_assert!(project.real_path.as_deref().is_some_and(|path| path.starts_with("/work")));
//!         }
//!     }
//!     player.finish()?;
//! });
//! # Ok(())
//! # }
//! ```
//!
//! [`client_like`] has the clients that people use, [`Client`] those that go wrong: silent, late, without roots. Time passes only by [`Step::Wait`]:
//!
//! ```
//! use rootwise::testing::{Client, Disk, Player, Step};
//! use rootwise::{HostFacts, PathStyle, Policy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut host = HostFacts::new(PathStyle::Posix);
//! host.env.insert("CLAUDE_PROJECT_DIR".into(), "/work/app".into());
//! let disk = Disk::sample(PathStyle::Posix);
//! let mut player = Player::new(Policy::recommended(), host)?.disk(disk).client(Client::silent())?;
//! player.play(&Step::ask())?;
//! assert!(player.resolver().project().is_none());
//! player.play(&Step::Wait(60_000))?;
//! assert_eq!(player.resolver().project().and_then(|project| project.path.as_deref()), Some("/work/app"));
//! # Ok(())
//! # }
//! ```

mod client;
mod disk;
mod player;
mod strategies;

pub use client::{Answers, Client, LikeClient, client_like};
pub use disk::Disk;
pub use player::{Player, Violation};
pub use strategies::{Scene, policies};

use alloc::string::String;
use alloc::vec::Vec;

use crate::event::{AskVia, RequestFacts};

/// One thing that happens next. Requests, probes and asks are meant by position, so that a step stays meaningful when a
/// sequence is made smaller; a step that has no object does nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Step {
    /// The client sends `initialize`, with or without the capability `roots`.
    Initialize {
        /// Whether it declares roots.
        roots: bool,
    },
    /// The client sends `notifications/initialized`.
    Ready,
    /// The client answers the outstanding request.
    Reply(Reply),
    /// The client answers an earlier request, which is over.
    StaleReply(Reply),
    /// The client sends `notifications/roots/list_changed`.
    RootsChanged,
    /// The user opens other folders: the client of [`Player::client`] lists these URIs from now on, and says so.
    Open(Vec<String>),
    /// A tool asks for its project.
    Ask {
        /// Whether and how its call can carry a question.
        ask_via: Option<AskVia>,
        /// What its request carries.
        facts: RequestFacts,
        /// Whether the answer is to carry an explanation.
        explain: bool,
    },
    /// A tool asks for the client's roots.
    AskRoots,
    /// A tool selects a project.
    Select(String),
    /// A tool clears the selection.
    Unselect,
    /// The caller of the ask that has waited longest goes away.
    Withdraw,
    /// The host replies to the oldest open probe: each path is a folder unless it is listed here. A player with a
    /// [`Disk`] has replied before.
    Probe {
        /// Paths that do not exist.
        missing: Vec<String>,
    },
    /// Time passes, in milliseconds, and the deadline is reported if it is reached.
    Wait(u32),
    /// A raw message arrives.
    Message(String),
    /// The connection closes.
    Close,
}

impl Step {
    /// A tool asks for its project, and its request says nothing else.
    #[must_use]
    pub fn ask() -> Self {
        Self::Ask { ask_via: None, facts: RequestFacts::default(), explain: false }
    }
}

/// The client's answer to `roots/list`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reply {
    /// A list with these URIs.
    Roots(Vec<String>),
    /// A JSON-RPC error with this code.
    Error(i64),
    /// A result of any other shape, as JSON text; text that is not JSON counts as an unreadable answer.
    Junk(String),
    /// The stream that carried the request ended.
    Abandoned,
}
