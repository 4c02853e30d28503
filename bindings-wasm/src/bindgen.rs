#![allow(missing_docs, reason = "nobody calls it but the package, and wasm-bindgen adds items of its own")]

use rootwise::{Resolver, wire};
use rootwise_bindings as shared;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
pub struct Machine(Resolver);

#[wasm_bindgen]
impl Machine {
    pub fn open(options: &str) -> Result<Self, String> {
        shared::open(options).map(Self)
    }

    pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<String>) -> Result<Self, String> {
        shared::restore(snapshot, options, now, id_prefix.as_deref()).map(Self)
    }

    pub fn handle(&mut self, event: &str, now: f64) -> String {
        shared::handle(&mut self.0, event, now)
    }

    pub fn view(&self) -> String {
        shared::view(&self.0)
    }

    pub fn explain(&self) -> String {
        wire::explain(&self.0)
    }

    pub fn snapshot(&self) -> String {
        self.0.snapshot()
    }
}

#[wasm_bindgen]
#[must_use]
pub fn call(arguments: &str) -> String {
    shared::call(arguments)
}
