#![doc = include_str!("../README.md")]
// The derive that makes the TypeScript declarations needs `std`; nothing that is shipped has it.
#![cfg_attr(not(feature = "ts"), no_std)]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod action;
mod asks;
#[cfg(feature = "wire")]
mod call;
mod client;
mod connection;
mod cycle;
pub mod display;
pub mod error;
mod evaluate;
pub mod event;
pub mod explain;
mod find;
mod form;
pub mod host;
mod intake;
mod json;
pub mod limits;
mod map;
mod message;
mod notes;
mod out;
pub mod path;
mod place;
pub mod policy;
mod probes;
pub mod project;
mod read;
pub mod recover;
mod resolver;
mod select;
mod snapshot;
mod sort;
pub mod uri;
#[cfg(feature = "wire")]
pub mod wire;
mod write;

pub use asks::INPUT_KEY;
pub use json::Json;
pub use map::Map;
pub use resolver::Resolver;

/// The examples of the project's front page.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct FrontPage;
