//! Deciding: policy and facts in, a decision out. Nothing here changes state.

pub(crate) mod evaluate;
pub mod explain;
mod selection;
pub(crate) mod verify;
