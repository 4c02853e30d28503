//! The state of one connection: the only code that changes it.

pub(crate) mod asks;
pub(crate) mod builder;
pub(crate) mod connection;
mod logs;
mod messages;
mod outbox;
pub(crate) mod probes;
pub(crate) mod resolver;
pub(crate) mod roots_cycle;
mod seal;
mod settle;
pub(crate) mod sharing;
mod size;
mod snapshot;
