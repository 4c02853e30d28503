//! Property tests over sequences of events, as the author of a server writes them. Needs the feature `testing`.
//!
//! [`steps`] generates what clients, tools and clocks do, in any order and with mistakes; [`Player`] plays the steps on a
//! resolver and checks after each one what holds for every resolver. Add what must hold for your policy:
//!
//! ```
//! use proptest::prelude::*;
//! use rootwise::testing::{Player, steps};
//! use rootwise::{HostFacts, PathStyle, Policy};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let policy = Policy::from_json(r#"{"name": "mine", "sources": [{"from": "selected"}, {"from": "roots"}]}"#)?;
//! let mut host = HostFacts::new(PathStyle::Posix);
//! host.allowed_dirs = Some(vec!["/work".into()]);
//!
//! proptest!(|(steps in steps(30))| {
//!     let mut player = Player::new(policy.clone(), host.clone())?;
//!     for step in &steps {
//!         player.play(step)?;
//!         if let Some(project) = player.resolver().project() {
//!             prop_assert!(project.path.as_deref().is_some_and(|path| path.starts_with("/work")));
//!         }
//!     }
//!     player.finish()?;
//! });
//! # Ok(())
//! # }
//! ```

mod player;
mod strategies;

pub use player::{Player, Violation};
pub use strategies::{FOLDERS, facts, policies, replies, step, steps};

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
    /// The host replies to the oldest open probe: each path is a folder unless it is listed here.
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
