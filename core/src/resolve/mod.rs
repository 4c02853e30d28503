//! Decisions: policy and facts in, a decision out. Nothing here changes state.

mod advice;
pub(crate) mod ask;
mod cause;
pub(crate) mod disk;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod form;
mod handle;
mod known_folders;
mod listing;
pub(crate) mod memory;
mod package;
mod project;
pub(crate) mod repository;
mod roots;
pub(crate) mod selection;
pub(crate) mod sources;
pub(crate) mod value;
mod verify;
pub(crate) mod view;
