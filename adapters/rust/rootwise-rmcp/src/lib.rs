#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// The protocol deprecates roots, but most clients still use them.
#![allow(deprecated)]

mod call;
mod error;
mod options;
mod projects;
mod sender;
mod session;
mod streams;
mod tools;
mod transport;
mod wrapper;

pub use error::NoProject;
pub use options::Options;
pub use projects::{Hints, LocalProject, Projects, Selection, Subscription};
pub use rootwise;
pub use rootwise_host as host;
pub use session::{ProjectChange, RootsChange};
pub use streams::{WatchStreams, WatchedBody, watch_streams};
pub use tools::ToolNames;
pub use wrapper::WithProjects;

/// The examples of the tutorial.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/tutorials/rust.md")]
struct Tutorial;
