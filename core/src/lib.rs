#![doc = include_str!("../README.md")]
// The derive that makes the TypeScript declarations needs `std`; nothing that is shipped has it.
#![cfg_attr(not(feature = "ts"), no_std)]
#![forbid(unsafe_code)]
extern crate alloc;

mod api;
pub mod error;
mod find;
mod form;
mod machine;
mod map;
pub mod path;
mod peer;
pub mod policy;
mod read;
mod resolve;
pub mod session;
mod sort;
#[cfg(feature = "wire")]
pub mod wire;
mod write;

pub use api::{action, event, host, project};
pub use machine::asks::INPUT_KEY;
pub use machine::resolver::Resolver;
pub use map::Map;
pub use path::{display, uri};
pub use peer::raw::Json;
pub use policy::limits;
pub use resolve::explain;

/// The examples of the project's front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
