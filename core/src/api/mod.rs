//! The types that cross the boundary of the crate: plain serde types without behaviour.

#[macro_use]
mod setters;

pub mod action;
pub(crate) mod argument;
pub mod event;
pub mod explanation;
pub mod host;
mod probed;
pub mod project;
pub(crate) mod reason;
mod request;
pub(crate) mod source;
pub(crate) mod style;
mod unique;

use alloc::string::String;

pub(crate) use unique::unique_keys;

/// Tells serde to leave out a field that has its default value.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The JSON text of a value of this crate.
pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    // Only maps with keys that are not strings can fail, and there are none.
    serde_json::to_string(value).unwrap_or_default()
}
