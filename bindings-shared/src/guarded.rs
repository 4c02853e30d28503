//! For hosts that a panic must not reach: it is caught, and what broke down is dead from then on and says so.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rootwise::{Resolver, wire};

/// A resolver that outlives its own panic, as one that only says that it is dead.
#[derive(Debug)]
pub struct Machine(State);

#[derive(Debug)]
enum State {
    Open(Box<Resolver>),
    Closed,
    Dead,
}

impl Machine {
    /// As [`crate::open`].
    ///
    /// # Errors
    /// The options cannot be read or cannot work.
    pub fn open(options: &str) -> Result<Self, String> {
        made(|| crate::open(options))
    }

    /// As [`crate::restore`].
    ///
    /// # Errors
    /// The options cannot work, or the snapshot is not usable.
    pub fn restore(snapshot: &str, options: &str, now: f64, id_prefix: Option<&str>) -> Result<Self, String> {
        made(|| crate::restore(snapshot, options, now, id_prefix))
    }

    /// Takes one event.
    pub fn handle(&mut self, event: &str, now: f64) -> String {
        self.with(|resolver| crate::handle(resolver, event, now))
    }

    /// `{"deadline", "project"}`.
    pub fn view(&mut self) -> String {
        self.with(|resolver| crate::view(resolver))
    }

    /// Why this project.
    pub fn explain(&mut self) -> String {
        self.with(|resolver| wire::explain(resolver))
    }

    /// The connection's state.
    pub fn snapshot(&mut self) -> String {
        self.with(|resolver| resolver.snapshot())
    }

    /// Frees the resolver; every later call says that it is closed.
    pub fn close(&mut self) {
        self.0 = State::Closed;
    }

    fn with(&mut self, then: impl FnOnce(&mut Resolver) -> String) -> String {
        let resolver = match &mut self.0 {
            State::Open(resolver) => resolver,
            State::Closed => return crate::closed(),
            State::Dead => return crate::dead(),
        };
        // Nothing reads the resolver again after a panic, so what it broke off in the middle of does not matter.
        catch_unwind(AssertUnwindSafe(|| then(resolver))).unwrap_or_else(|_| {
            self.0 = State::Dead;
            crate::dead()
        })
    }
}

fn made(make: impl FnOnce() -> Result<Resolver, String>) -> Result<Machine, String> {
    let made = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| Err(crate::dead()));
    made.map(|resolver| Machine(State::Open(Box::new(resolver))))
}

/// As [`crate::call`].
#[must_use]
pub fn call(arguments: &str) -> String {
    catch_unwind(|| crate::call(arguments)).unwrap_or_else(|_| crate::dead())
}
