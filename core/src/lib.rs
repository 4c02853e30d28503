//! Tells an MCP server which project its client is working in.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod action;
pub mod display;
pub mod error;
pub mod event;
pub mod explain;
pub mod host;
mod json;
pub mod limits;
pub mod path;
pub mod policy;
pub mod project;
mod resolver;
pub mod uri;

pub use json::Json;
pub use resolver::Resolver;
