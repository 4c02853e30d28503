//! The schemas that no derive can make.

use alloc::borrow::Cow;
use alloc::string::ToString;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use super::{BadOutcome, OnBad};
use crate::api::reason::Reason;

/// A policy without sources is the recommended one with changes; one with sources has a name.
pub(super) fn changes_are_enough(schema: &mut Schema) {
    schema.remove("required");
    schema.insert("dependentRequired".to_string(), serde_json::json!({ "sources": ["name"] }));
}

impl JsonSchema for OnBad {
    fn schema_name() -> Cow<'static, str> {
        "OnBad".into()
    }

    /// One property per reason, so that an editor can offer the codes and mark an unknown one.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let outcome = generator.subschema_for::<BadOutcome>();
        let property = |description: &Value| {
            let mut property = outcome.clone();
            property.insert("description".to_string(), description.clone());
            property.to_value()
        };
        let mut properties = Map::new();
        properties.insert("otherwise".to_string(), property(&"For every reason that is not listed.".into()));
        let reasons = Reason::json_schema(generator);
        for reason in reasons.get("oneOf").and_then(Value::as_array).into_iter().flatten() {
            if let (Some(Value::String(code)), Some(description)) = (reason.get("const"), reason.get("description")) {
                properties.insert(code.clone(), property(description));
            }
        }
        json_schema!({
            "description": "The effect of a bad value, by reason.",
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}
