//! Asks among events.

use rootwise::AskId;
use rootwise::endpoint::event::EndpointEvent;

/// Gives an ask an id of its host, so that its answer reaches nobody else.
pub(crate) fn with_ask_id(mut event: EndpointEvent, id: impl FnOnce() -> AskId) -> EndpointEvent {
    match &mut event {
        EndpointEvent::Asked(asked) => asked.ask = id(),
        EndpointEvent::Selected(selected) => selected.ask = id(),
        EndpointEvent::SelectionCleared(cleared) => cleared.ask = id(),
        _ => {}
    }
    event
}
