//! The project argument of a call in JSON: a text, or a value of another type, of which only the type matters.

use alloc::boxed::Box;

use serde::de::{Deserialize, Deserializer};
use serde::ser::Serializer;
use serde_json::value::RawValue;

use super::event::Argument;

#[expect(clippy::ref_option, reason = "serde passes the field as it is")]
pub(crate) fn serialize<S: Serializer>(argument: &Option<Argument>, serializer: S) -> Result<S::Ok, S::Error> {
    match argument {
        Some(Argument::Text(text)) => serializer.serialize_str(text),
        Some(Argument::Other) => serializer.serialize_bool(true),
        None => serializer.serialize_none(),
    }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Argument>, D::Error> {
    let value = Box::<RawValue>::deserialize(deserializer)?;
    Ok(match value.get() {
        "null" => None,
        text if text.starts_with('"') => Some(serde_json::from_str(text).map_or(Argument::Other, Argument::Text)),
        _ => Some(Argument::Other),
    })
}
