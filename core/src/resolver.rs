//! The machine.
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::action::{Action, RootsState};
use crate::error::Misuse;
use crate::event::Event;
use crate::explain::{Era, Explanation};
use crate::host::HostFacts;
use crate::policy::Policy;
use crate::project::{Project, RootView};

/// Knows the project of one connection.
#[derive(Clone, Debug)]
pub struct Resolver {
    policy: Arc<Policy>,
    host: Arc<HostFacts>,
}

impl Resolver {
    /// Starts before the handshake.
    ///
    /// # Errors
    /// The policy or the host facts cannot work.
    pub fn new(policy: Arc<Policy>, host: Arc<HostFacts>) -> Result<Self, Misuse> {
        policy.check()?;
        Ok(Self { policy, host })
    }

    /// Takes one event and gives back, in order, all the host must do about it.
    ///
    /// # Errors
    /// The host called wrongly; nothing changed.
    pub fn handle(&mut self, _event: Event, _now: u64) -> Result<Vec<Action>, Misuse> {
        Ok(Vec::new())
    }

    /// When to send [`Event::DeadlineReached`] if nothing else happens first.
    #[must_use]
    pub fn deadline(&self) -> Option<u64> {
        None
    }

    /// The connection's project.
    #[must_use]
    pub fn project(&self) -> Option<&Arc<Project>> {
        None
    }

    /// What every source says about the connection's project.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        Explanation {
            policy: String::new(),
            code: None,
            message: None,
            instruction: None,
            tried: Vec::new(),
            roots: crate::explain::RootsReport {
                state: RootsState::NotAsked,
                available: Vec::new(),
                dropped: 0,
            },
            client: None,
            transport: self.host.transport,
            era: Era::Unknown,
            stale_answers: 0,
            text: self.policy.name.clone(),
        }
    }

    /// The client's roots and how current they are.
    #[must_use]
    pub fn roots(&self) -> (RootsState, Vec<RootView>) {
        (RootsState::NotAsked, Vec::new())
    }

    /// How the client speaks.
    #[must_use]
    pub fn era(&self) -> Era {
        Era::Unknown
    }
}
