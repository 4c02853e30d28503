//! Events, by the way they are settled.

use alloc::string::String;

use super::asks::NewAsk;
use crate::api::event::{ClientInitialized, Event, Probed, RequestRefused, RootsChanged, RootsListed, UserAnswered};
use crate::api::host::HostFacts;
use crate::id::AskId;

/// An event, by the way it is settled.
pub(super) enum Input {
    /// Ends in an answer.
    Ask(NewAsk),
    /// May contain several changes, and text to forward.
    Message(String),
    Change(Change),
}

/// An event that changes the state of the connection.
pub(super) enum Change {
    ClientInitialized(ClientInitialized),
    ClientReady,
    RootsListed(RootsListed),
    UserAnswered(UserAnswered),
    RequestRefused(RequestRefused),
    RootsChanged(RootsChanged),
    HostFacts(HostFacts),
    AskWithdrawn(AskId),
    Probed(Probed),
    DeadlineReached,
    Closed,
}

impl From<Event> for Input {
    fn from(event: Event) -> Self {
        Self::Change(match event {
            Event::Asked(asked) => return Self::Ask(asked.into()),
            Event::Selected(selected) => return Self::Ask(selected.into()),
            Event::SelectionCleared(cleared) => return Self::Ask(cleared.into()),
            Event::Message(message) => return Self::Message(message.text),
            Event::ClientInitialized(params) => Change::ClientInitialized(params),
            Event::ClientReady => Change::ClientReady,
            Event::RootsListed(listed) => Change::RootsListed(listed),
            Event::UserAnswered(answered) => Change::UserAnswered(answered),
            Event::RequestRefused(refused) => Change::RequestRefused(refused),
            Event::RootsChanged(changed) => Change::RootsChanged(changed),
            Event::HostFactsChanged(changed) => Change::HostFacts(changed.facts),
            Event::AskWithdrawn(withdrawn) => Change::AskWithdrawn(withdrawn.ask),
            Event::Probed(probed) => Change::Probed(probed),
            Event::DeadlineReached => Change::DeadlineReached,
            Event::Closed => Change::Closed,
        })
    }
}
