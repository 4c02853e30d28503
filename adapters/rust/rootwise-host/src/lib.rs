#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod blocking;
#[cfg(feature = "tokio")]
mod connection;
mod disk;
mod display;
mod error;
mod facts;
mod inputs;
mod question;
mod roots;
mod settle;
mod start;

#[cfg(feature = "tokio")]
pub use connection::{Connection, GivenUp, LogLine, Observer, SendError, Sender, Sending};
pub use disk::probe;
pub use display::list_of;
pub use error::NoProject;
pub use facts::{allow_only, host_facts, host_facts_from, text_or_invalid};
pub use inputs::PolicyInputs;
pub use question::{Question, project_of};
pub use roots::{PathRefusal, Roots, resolve_inside, resolve_inside_in_time};
pub use start::{AtStart, resolve_and_explain, resolve_at_start};
