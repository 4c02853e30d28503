//! The types that cross the boundary of the crate: plain serde types without behaviour.

pub mod action;
mod argument;
pub mod event;
pub mod explanation;
pub mod host;
pub mod project;
pub(crate) mod reason;
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

/// Parses JSON that a host wrote; the error names the field.
pub(crate) fn parse_json<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, crate::error::ConfigError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer)?;
    match deserializer.end() {
        Ok(()) => Ok(value),
        Err(error) => {
            let place = alloc::format!("line {} column {}", error.line(), error.column());
            Err(crate::error::ConfigError::new(place, alloc::format!("not JSON: {error}")))
        }
    }
}
