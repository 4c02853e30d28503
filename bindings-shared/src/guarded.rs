//! Catches panics at the FFI boundary; the instance then only returns `dead`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rootwise::wire::{self, Failure};

/// A resolver or an endpoint that survives its own panic, as an instance that only reports it. Every method returns JSON.
#[derive(Debug)]
pub struct Machine(State);

#[derive(Debug)]
enum State {
    Open(wire::Machine),
    Closed,
    Dead,
}

impl Machine {
    /// Like [`crate::open`]; the error is JSON.
    ///
    /// # Errors
    /// The options are malformed or contradict each other.
    pub fn open(options: &str) -> Result<Self, String> {
        Self::create(|| crate::open(options))
    }

    /// Like [`crate::restore`]; the error is JSON.
    ///
    /// # Errors
    /// The options are malformed, or the snapshot cannot be used.
    pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Self, String> {
        Self::create(|| crate::restore(snapshot, options, now, id_prefix))
    }

    fn create(create: impl FnOnce() -> Result<wire::Machine, Failure>) -> Result<Self, String> {
        match catch_unwind(AssertUnwindSafe(create)).unwrap_or_else(|_| Err(crate::dead())) {
            Ok(machine) => Ok(Self(State::Open(machine))),
            Err(failure) => Err(failure.to_json()),
        }
    }

    /// Processes one event.
    pub fn handle(&mut self, event: &str, now: f64) -> String {
        self.with(|machine| crate::handle_json(machine, event, now))
    }

    /// `{"deadline", …}`.
    pub fn view(&mut self) -> String {
        self.with(|machine| machine.view_json())
    }

    /// The explanation of the connection's project; of an endpoint, of this session's.
    pub fn explain(&mut self, session: u32) -> String {
        self.with(|machine| machine.explain_json(session))
    }

    /// The snapshot of the connection; of an endpoint, of this session.
    pub fn snapshot(&mut self, session: u32) -> String {
        self.with(|machine| machine.snapshot_json(session))
    }

    /// Frees the machine; every later call reports that it is closed.
    pub fn close(&mut self) {
        self.0 = State::Closed;
    }

    fn with(&mut self, then: impl FnOnce(&mut wire::Machine) -> String) -> String {
        let machine = match &mut self.0 {
            State::Open(machine) => machine,
            State::Closed => return crate::closed().to_json(),
            State::Dead => return crate::dead().to_json(),
        };
        // The machine is never read again after a panic, so its broken state cannot be seen.
        catch_unwind(AssertUnwindSafe(|| then(machine))).unwrap_or_else(|_| {
            self.0 = State::Dead;
            crate::dead().to_json()
        })
    }
}

/// Like [`crate::call`].
#[must_use]
pub fn call(arguments: &str) -> String {
    catch_unwind(|| crate::call(arguments)).unwrap_or_else(|_| crate::dead().to_json())
}
