//! The size of an event, as far as a peer wrote it.

use alloc::boxed::Box;
use alloc::string::String;

use serde_json::value::RawValue;

use crate::api::event::{Argument, ClientInitialized, Event, RequestFacts};

/// The size of the part of an event that a peer wrote.
pub(super) fn peer_bytes(event: &Event) -> usize {
    let raw = |part: &Option<Box<RawValue>>| part.as_ref().map_or(0, |part| part.get().len());
    match event {
        Event::ClientInitialized(params) => {
            let ClientInitialized { protocol_version, capabilities, client_info } = params;
            sum([raw(protocol_version), raw(capabilities), raw(client_info)])
        }
        Event::RootsListed(listed) => listed.result.get().len(),
        Event::UserAnswered(answered) => answered.result.get().len(),
        Event::RequestRefused(refused) => refused.message.as_ref().map_or(0, String::len),
        Event::Asked(asked) => sum([facts_bytes(&asked.facts), asked.target.as_ref().map_or(0, String::len)]),
        Event::Selected(selected) => sum([facts_bytes(&selected.facts), selected.by.text().len()]),
        Event::SelectionCleared(cleared) => facts_bytes(&cleared.facts),
        Event::Message(message) => message.text.len(),
        Event::ClientReady
        | Event::RootsChanged(_)
        | Event::HostFactsChanged(_)
        | Event::AskWithdrawn(_)
        | Event::Probed(_)
        | Event::DeadlineReached
        | Event::Closed => 0,
    }
}

fn facts_bytes(facts: &RequestFacts) -> usize {
    // The folders of a caller are the host's words.
    let RequestFacts { server, argument, headers, query, meta, capabilities, client_info, input_responses, .. } = facts;
    let argument = argument.as_ref().map(|argument| match argument {
        Argument::Text(text) => text.len(),
        Argument::Other => 0,
    });
    let texts = server.iter().map(String::len).chain(argument);
    let maps = headers.iter().chain(query).map(|(key, value)| key.len().saturating_add(value.len()));
    let raws = [meta, capabilities, client_info, input_responses].into_iter().flatten().map(|raw| raw.get().len());
    sum(texts.chain(maps).chain(raws))
}

fn sum(parts: impl IntoIterator<Item = usize>) -> usize {
    parts.into_iter().fold(0, usize::saturating_add)
}
