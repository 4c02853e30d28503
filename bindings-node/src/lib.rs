//! The machines as a Node addon. JSON text crosses the boundary in both directions: see `docs/boundary.md`.
//!
//! A panic would abort the process, so every entry is guarded.
#![allow(
    missing_docs,
    clippy::missing_errors_doc,
    reason = "nobody calls it but the package, and napi adds items of its own"
)]

use std::panic::catch_unwind;

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Error, Result, Task};
use napi_derive::napi;
use rootwise::action::ProbePath;
use rootwise_bindings::{dead, guarded};

#[napi]
pub struct Machine(guarded::Machine);

#[napi]
impl Machine {
    #[napi(factory)]
    pub fn open(options: String) -> Result<Self> {
        guarded::Machine::open(&options).map(Self).map_err(Error::from_reason)
    }

    #[napi(factory)]
    pub fn restore(snapshot: String, options: String, now: f64, id_prefix: Option<String>) -> Result<Self> {
        guarded::Machine::restore(&snapshot, &options, now, id_prefix.as_deref()).map(Self).map_err(Error::from_reason)
    }

    #[napi]
    pub fn handle(&mut self, event: String, now: f64) -> String {
        self.0.handle(&event, now)
    }

    #[napi]
    pub fn view(&mut self) -> String {
        self.0.view()
    }

    #[napi]
    pub fn explain(&mut self, session: Option<u32>) -> String {
        self.0.explain(session.unwrap_or_default())
    }

    #[napi]
    pub fn snapshot(&mut self, session: Option<u32>) -> String {
        self.0.snapshot(session.unwrap_or_default())
    }

    #[napi]
    pub fn free(&mut self) {
        self.0.close();
    }
}

#[napi]
pub fn call(arguments: String) -> String {
    guarded::call(&arguments)
}

/// Examines paths on another thread: one piece of work, however many questions there are about them.
#[napi]
#[must_use]
pub fn probe(paths: String) -> AsyncTask<Look> {
    AsyncTask::new(Look(paths))
}

pub struct Look(String);

impl Task for Look {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> Result<String> {
        let look = || serde_json::to_string(&rootwise_host::probe(&serde_json::from_str::<Vec<ProbePath>>(&self.0)?));
        let found = catch_unwind(look).map_err(|_| Error::from_reason(dead().to_json()))?;
        found.map_err(|error| Error::from_reason(error.to_string()))
    }

    fn resolve(&mut self, _: Env, found: String) -> Result<String> {
        Ok(found)
    }
}

/// Tells the package whether it loaded the addon that belongs to it.
#[napi]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}
