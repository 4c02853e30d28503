#![doc = include_str!("../README.md")]
// The derive that makes the TypeScript declarations needs `std` too.
#![cfg_attr(not(any(feature = "std", feature = "ts")), no_std)]
#![forbid(unsafe_code)]
extern crate alloc;

mod api;
pub mod clients;
mod collect;
pub mod endpoint;
pub mod error;
pub mod gate;
pub mod host_problem;
mod id;
mod machine;
pub mod parameter;
pub mod path;
mod peer;
pub mod policy;
pub mod provide;
mod resolve;
pub mod session;
#[cfg(feature = "testing")]
pub mod testing;
mod texts;
pub mod tools;
pub mod wire;

pub use api::{action, event, explanation, host, project};

pub use api::action::{Action, FORM_KEY, INPUT_KEY, Outcome};
pub use api::event::Event;
pub use api::explanation::Explanation;
pub use api::host::HostFacts;
pub use api::project::Project;
pub use api::reason::Reason;
pub use endpoint::Endpoint;
pub use error::{ConfigError, Misuse, SnapshotError};
pub use id::{AskId, CallId, ChannelId, Millis, ProbeId, RequestToken, SessionId};
pub use machine::builder::ResolverBuilder;
pub use machine::inspect::Reuse;
pub use machine::resolver::Resolver;
pub use path::PathStyle;
pub use policy::{Policy, PolicyConfig};

/// The examples of the guides.
#[cfg(doctest)]
mod guides {
    #[doc = include_str!("../../docs/guides/containers.md")]
    struct Containers;
    #[doc = include_str!("../../docs/guides/repositories.md")]
    struct Repositories;
    #[doc = include_str!("../../docs/guides/freshness.md")]
    struct Freshness;
    #[doc = include_str!("../../docs/guides/recovery.md")]
    struct Recovery;
}
