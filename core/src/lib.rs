#![doc = include_str!("../README.md")]
// The derive that makes the TypeScript declarations needs `std`; nothing that is shipped has it.
#![cfg_attr(not(feature = "ts"), no_std)]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod action;
mod asks;
mod client;
mod connection;
mod cycle;
pub mod display;
pub mod error;
mod evaluate;
pub mod event;
pub mod explain;
pub mod host;
mod intake;
mod json;
pub mod limits;
mod message;
mod notes;
mod out;
pub mod path;
mod place;
pub mod policy;
mod probes;
pub mod project;
pub mod recover;
mod resolver;
mod select;
mod snapshot;
pub mod uri;
#[cfg(feature = "wire")]
pub mod wire;

pub use asks::INPUT_KEY;
pub use json::Json;
pub use resolver::Resolver;

/// The examples of the project's front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
