//! Prints JSON Schema: of policy files, or with the argument `wire` of everything that crosses the wire.

use std::collections::BTreeMap;

use rootwise::{action, endpoint, event, host, path, policy, session};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Value, json};

fn main() -> Result<(), serde_json::Error> {
    let schema = match std::env::args().nth(1).as_deref() {
        Some("wire") => wire(),
        _ => read().into_root_schema_for::<policy::PolicyConfig>().to_value(),
    };
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(())
}

/// What the resolver reads may omit more than what it writes.
fn read() -> SchemaGenerator {
    SchemaSettings::draft2020_12().with_transform(RecursiveTransform(bounds)).into_generator()
}

fn written() -> SchemaGenerator {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(RecursiveTransform(bounds));
    settings.with_transform(RecursiveTransform(omitted)).into_generator()
}

/// What may be absent from the output is never null there.
fn omitted(schema: &mut Schema) {
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|one| one == name));
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
        for key in ["type", "anyOf"] {
            let Some(Value::Array(kinds)) = property.get_mut(key) else { continue };
            kinds.retain(|kind| kind != "null" && *kind != json!({ "type": "null" }));
        }
    }
}

/// Formats of numbers are known to Rust only; a bound says the same to everybody. An example in Rust, which comes last in a
/// description, is of no use to anybody else.
fn bounds(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description")
        && let Some(end) = text.find("\n\n```")
    {
        text.truncate(end);
    }
    let Some(Value::String(format)) = schema.remove("format") else { return };
    if format == "uint32" {
        schema.insert("maximum".into(), u32::MAX.into());
    }
}

fn wire() -> Value {
    let mut found = BTreeMap::new();
    let mut input = read();
    add::<event::Event>(&mut input);
    add::<endpoint::event::EndpointEvent>(&mut input);
    add::<host::HostFacts>(&mut input);
    add::<policy::PolicyConfig>(&mut input);
    add::<session::RecoverRequest>(&mut input);
    add::<path::name::NameForm>(&mut input);
    let mut output = written();
    add::<action::Action>(&mut output);
    add::<endpoint::action::EndpointAction>(&mut output);
    add::<endpoint::inputs::PolicyInputs>(&mut output);
    add::<session::Recovery>(&mut output);
    for generator in [&mut input, &mut output] {
        found.extend(generator.take_definitions(true));
    }
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": found })
}

fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}
