//! The resolver as a Python extension, one for every Python from 3.10 on. JSON text crosses the boundary in both
//! directions: see `docs/boundary.md`.
//!
//! A panic would reach Python as an exception that nobody catches, so every entry catches it: the machine is dead from
//! then on and says so.
#![allow(missing_docs, reason = "nobody calls it but the package, and PyO3 adds items of its own")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;
use rootwise::{Resolver, wire};
use rootwise_bindings as shared;

#[pyclass(module = "rootwise._native")]
pub struct Machine(State);

enum State {
    Open(Box<Resolver>),
    Closed,
    Dead,
}

#[pymethods]
impl Machine {
    fn handle(&mut self, event: &str, now: f64) -> String {
        self.with(|resolver| shared::handle(resolver, event, now))
    }

    fn view(&mut self) -> String {
        self.with(|resolver| shared::view(resolver))
    }

    fn explain(&mut self) -> String {
        self.with(|resolver| wire::explain(resolver))
    }

    fn snapshot(&mut self) -> String {
        self.with(|resolver| resolver.snapshot())
    }

    fn close(&mut self) {
        self.0 = State::Closed;
    }
}

impl Machine {
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

/// A resolver, or the failure as text.
type Made = (Option<Machine>, String);

fn made(make: impl FnOnce() -> Result<Resolver, String>) -> Made {
    match catch_unwind(AssertUnwindSafe(make)) {
        Ok(Ok(resolver)) => (Some(Machine(State::Open(Box::new(resolver)))), String::new()),
        Ok(Err(failure)) => (None, failure),
        Err(_) => (None, shared::dead()),
    }
}

#[pyfunction]
fn open(options: &str) -> Made {
    made(|| shared::open(options))
}

#[pyfunction]
#[pyo3(signature = (snapshot, options, now, id_prefix))]
fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Made {
    made(|| shared::restore(snapshot, options, now, id_prefix))
}

#[pyfunction]
fn call(arguments: &str) -> String {
    catch_unwind(|| shared::call(arguments)).unwrap_or_else(|_| shared::dead())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Machine>()?;
    module.add_function(wrap_pyfunction!(open, module)?)?;
    module.add_function(wrap_pyfunction!(restore, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
