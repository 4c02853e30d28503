#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
// The protocol deprecates roots, but most clients still use them.
#![allow(deprecated)]

mod call;
#[cfg(feature = "client")]
pub mod client;
mod declare;
mod listeners;
mod options;
mod projects;
mod sender;
mod session;
mod streams;
mod tools;
mod transport;
mod wrapper;

pub use listeners::{ProjectChange, RootsChange};
pub use options::Options;
pub use projects::{Hints, LocalProject, Rootwise, Subscription};
pub use rootwise;
pub use rootwise_host as host;
pub use rootwise_host::{
    Access, Cause, GateOptions, NoProject, OpenError, ProjectGate, RootEntry, Roots, Selection, open_file, resolve_file,
};
pub use streams::{WatchStreams, WatchedBody, watch_streams};
pub use tools::ToolNames;
pub use wrapper::WithProjects;

/// The examples of the project's front page.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct FrontPage;

/// The examples of the tutorial.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/tutorials/rust.md")]
struct Tutorial;

/// The examples of the guides.
#[cfg(doctest)]
#[cfg_attr(feature = "client", doc = include_str!("../../../../docs/guides/clients-and-gateways.md"))]
#[doc = include_str!("../../../../docs/guides/http.md")]
#[doc = include_str!("../../../../docs/guides/migration.md")]
#[doc = include_str!("../../../../docs/guides/policies.md")]
#[doc = include_str!("../../../../docs/guides/several-roots.md")]
#[doc = include_str!("../../../../docs/guides/switching.md")]
#[doc = include_str!("../../../../docs/guides/testing.md")]
struct Guides;
