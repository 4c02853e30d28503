#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod ask;
pub mod blocking;
mod disk;
mod display;
mod error;
mod facts;
#[cfg(feature = "tokio")]
mod host;
#[cfg(feature = "rmcp")]
mod rmcp;
mod roots;
mod settle;
mod start;

pub use disk::probe;
pub use display::list_of;
pub use error::{NoProject, project_of};
pub use facts::{allow_only, host_facts, host_facts_from, text_or_invalid, with_real_paths};
#[cfg(feature = "tokio")]
pub use host::{Call, Cancelled, Channel, Host, Observer, SendError, Sender, Sending, Session};
pub use roots::{PathRefusal, RootEntry, Roots, resolve_inside, resolve_inside_in_time};
pub use start::{AtStart, resolve_and_explain, resolve_at_start};
