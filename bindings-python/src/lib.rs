//! The machines as a Python extension, one for every Python from 3.10 on. JSON text crosses the boundary in both
//! directions: see `docs/boundary.md`.
//!
//! A panic would reach Python as an exception that nobody catches, so every entry is guarded.
#![allow(missing_docs, reason = "nobody calls it but the package, and PyO3 adds items of its own")]

use pyo3::prelude::*;
use rootwise_bindings::guarded;

#[pyclass(module = "rootwise._native")]
pub struct Machine(guarded::Machine);

#[pymethods]
impl Machine {
    fn handle(&mut self, event: &str, now: f64) -> String {
        self.0.handle(event, now)
    }

    fn view(&mut self) -> String {
        self.0.view()
    }

    #[pyo3(signature = (session=0))]
    fn explain(&mut self, session: u32) -> String {
        self.0.explain(session)
    }

    #[pyo3(signature = (session=0))]
    fn snapshot(&mut self, session: u32) -> String {
        self.0.snapshot(session)
    }

    fn close(&mut self) {
        self.0.close();
    }
}

/// A machine, or the failure as text.
type Made = (Option<Machine>, String);

fn made(made: Result<guarded::Machine, String>) -> Made {
    match made {
        Ok(machine) => (Some(Machine(machine)), String::new()),
        Err(failure) => (None, failure),
    }
}

#[pyfunction]
fn open(options: &str) -> Made {
    made(guarded::Machine::open(options))
}

#[pyfunction]
#[pyo3(signature = (snapshot, options, now, id_prefix))]
fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Made {
    made(guarded::Machine::restore(snapshot, options, now, id_prefix))
}

#[pyfunction]
fn call(arguments: &str) -> String {
    guarded::call(arguments)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Machine>()?;
    module.add_function(wrap_pyfunction!(open, module)?)?;
    module.add_function(wrap_pyfunction!(restore, module)?)?;
    module.add_function(wrap_pyfunction!(call, module)?)
}
