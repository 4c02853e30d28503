//! The state of one connection: the only code that changes it.

mod answers;
mod asks;
pub(crate) mod builder;
mod change;
mod connection;
pub(crate) mod inspect;
mod logs;
mod messages;
mod outbox;
mod probes;
mod progress;
mod question;
pub(crate) mod resolver;
pub(crate) mod roots_cycle;
mod seal;
mod settle;
mod sharing;
mod size;
mod snapshot;
mod views;
