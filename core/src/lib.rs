//! Tells an MCP server which project its client is working in.
#![no_std]
#![forbid(unsafe_code)]
extern crate alloc;

pub mod display;
pub mod path;
pub mod uri;
