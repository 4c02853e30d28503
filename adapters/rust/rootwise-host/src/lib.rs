#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod answer;
mod ask;
pub mod blocking;
mod disk;
mod error;
mod facts;
#[cfg(feature = "http")]
mod gate;
#[cfg(feature = "tokio")]
mod host;
#[cfg(feature = "http")]
mod http;
mod inside;
mod nearest;
mod open;
#[cfg(feature = "rmcp")]
mod rmcp;
mod roots;
mod settle;
mod start;

pub use answer::{
    Selection, explanation_of, is_inside, project_and_hints_of, project_of, roots_of, selection_of, unselected_of,
};
pub use disk::probe;
pub use error::{Cause, NoProject};
pub use facts::{allow_only, allow_only_given, host_facts, host_facts_from, text_or_invalid, with_real_paths};
#[cfg(feature = "http")]
pub use gate::{GateBody, GateOptions, GateRefusal, Gated, ProjectGate};
#[cfg(feature = "tokio")]
pub use host::{Call, Cancelled, Channel, Host, Observer, SendError, Sender, Sending, Session};
#[cfg(feature = "http")]
pub use http::{headers_of, query_of};
pub use inside::{resolve_file, resolve_file_in_time, resolve_inside, resolve_inside_in_time};
pub use open::{Access, OpenError, open_file};
pub use roots::{PathRefusal, RootEntry, Roots};
pub use start::{AtStart, resolve_and_explain, resolve_at_start};
