//! The types that cross the boundary of the crate: plain data, no behaviour.

pub mod action;
pub mod event;
pub mod host;
pub mod project;
