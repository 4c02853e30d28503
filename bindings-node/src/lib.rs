//! The resolver as a Node addon. JSON text crosses the boundary in both directions: see `docs/boundary.md`.
//!
//! A panic would abort the process, so every entry catches it: the machine is dead from then on and says so.
#![allow(missing_docs, reason = "nobody calls it but the package, and napi adds items of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use napi::{Error, Result};
use napi_derive::napi;
use rootwise::{Resolver, wire};
use rootwise_bindings as shared;

#[napi]
pub struct Machine(State);

enum State {
    Open(Box<Resolver>),
    Closed,
    Dead,
}

#[napi]
impl Machine {
    #[napi(factory)]
    pub fn open(options: String) -> Result<Self> {
        made(|| shared::open(&options))
    }

    #[napi(factory)]
    pub fn restore(snapshot: String, options: String, now: f64, id_prefix: Option<String>) -> Result<Self> {
        made(|| shared::restore(&snapshot, &options, now, id_prefix.as_deref()))
    }

    #[napi]
    pub fn handle(&mut self, event: String, now: f64) -> String {
        self.with(|resolver| shared::handle(resolver, &event, now))
    }

    #[napi]
    pub fn view(&mut self) -> String {
        self.with(|resolver| shared::view(resolver))
    }

    #[napi]
    pub fn explain(&mut self) -> String {
        self.with(|resolver| wire::explain(resolver))
    }

    #[napi]
    pub fn snapshot(&mut self) -> String {
        self.with(|resolver| resolver.snapshot())
    }

    #[napi]
    pub fn free(&mut self) {
        self.0 = State::Closed;
    }

    fn with(&mut self, then: impl FnOnce(&mut Resolver) -> String) -> String {
        let resolver = match &mut self.0 {
            State::Open(resolver) => resolver,
            State::Closed => return shared::closed(),
            State::Dead => return shared::dead(),
        };
        // Nothing reads the resolver again after a panic, so what it broke off in the middle of does not matter.
        catch_unwind(AssertUnwindSafe(|| then(resolver))).unwrap_or_else(|_| {
            self.0 = State::Dead;
            shared::dead()
        })
    }
}

#[napi]
pub fn call(arguments: String) -> String {
    catch_unwind(|| shared::call(&arguments)).unwrap_or_else(|_| shared::dead())
}

/// Tells the package whether it loaded the addon that belongs to it.
#[napi]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").into()
}

fn made(make: impl FnOnce() -> std::result::Result<Resolver, String>) -> Result<Machine> {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(Ok(resolver)) => Ok(Machine(State::Open(Box::new(resolver)))),
        Ok(Err(failure)) => Err(Error::from_reason(failure)),
        Err(_) => Err(Error::from_reason(shared::dead())),
    }
}
