//! Exports for JavaScript.
//!
//! Values come out as JavaScript objects, made by serde-wasm-bindgen; values go in as JSON text. `docs/boundary.md` has the
//! reasons and the figures.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "only the package calls it, and wasm-bindgen adds items of its own"
)]

use rootwise::wire::{self, Failure};
use rootwise_bindings as shared;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
pub struct Machine(wire::Machine);

#[wasm_bindgen]
impl Machine {
    pub fn open(options: &str) -> Result<Self, JsValue> {
        shared::open(options).map(Self).map_err(|failure| to_js(&failure))
    }

    pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<String>) -> Result<Self, JsValue> {
        shared::restore(snapshot, options, now, id_prefix.as_deref()).map(Self).map_err(|failure| to_js(&failure))
    }

    pub fn handle(&mut self, event: &str, now: f64) -> JsValue {
        match shared::handle(&mut self.0, event, now) {
            Ok(output) => to_js(&output),
            Err(failure) => to_js(&failure),
        }
    }

    pub fn view(&self) -> JsValue {
        to_js(&self.0.view())
    }

    pub fn explain(&self, session: Option<u32>) -> JsValue {
        match self.0.explain(session.unwrap_or_default()) {
            Ok(explanation) => to_js(&explanation),
            Err(failure) => to_js(&failure),
        }
    }

    pub fn snapshot(&self, session: Option<u32>) -> String {
        self.0.snapshot_json(session.unwrap_or_default())
    }
}

#[wasm_bindgen]
#[must_use]
pub fn call(arguments: &str) -> String {
    shared::call(arguments)
}

/// The same object that `JSON.parse` would make of the JSON text.
fn to_js(value: &impl Serialize) -> JsValue {
    value.serialize(&Serializer::json_compatible()).unwrap_or_else(|error| {
        let failure = Failure::new("not_representable", &error.to_string());
        failure.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::NULL)
    })
}
