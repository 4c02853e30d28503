//! Endpoints in JSON.

use alloc::string::String;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::event::{Parts, unknown};
use super::{Failure, PolicyCache, milliseconds};
use crate::Endpoint;
use crate::api::host::HostFacts;
use crate::api::to_json;
use crate::endpoint::EndpointOutput;
use crate::endpoint::event::{EndpointEvent, RootsWatched};
use crate::endpoint::inputs::PolicyInputs;
use crate::error::Misuse;
use crate::error::parse_json;

/// The options of an endpoint.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Options<'a> {
    #[serde(borrow, default)]
    policy: Option<&'a RawValue>,
    host: HostFacts,
    #[serde(default)]
    roots_watched: bool,
    /// Says that these are the options of an endpoint.
    #[serde(default, rename = "machine")]
    _machine: IgnoredAny,
}

impl PolicyCache {
    /// Creates an endpoint from `{"policy": {...}, "host": {...}, "rootsWatched": false}`; without a policy it uses the
    /// recommended one.
    ///
    /// # Errors
    /// The options are malformed or contradict each other.
    pub fn open_endpoint(&mut self, options: &str) -> Result<Endpoint, Failure> {
        let Options { policy, host, roots_watched, .. } = parse_json(options)?;
        let mut endpoint = Endpoint::new(self.policy(policy.map(RawValue::get))?, &host)?;
        if roots_watched {
            endpoint.handle(RootsWatched::new(true), 0)?;
        }
        Ok(endpoint)
    }
}

/// Parses one event of an endpoint whose policy reads these inputs.
///
/// # Errors
/// The text is not an event; the error names the place and repeats nothing that a peer may have written.
pub fn parse_endpoint_event(text: &str, inputs: &PolicyInputs) -> Result<EndpointEvent, Misuse> {
    let parts = Parts::read(text)?;
    Ok(match parts.tag.as_str() {
        "sessionOpened" => EndpointEvent::SessionOpened(parts.parse()?),
        "sessionClosed" => EndpointEvent::SessionClosed(parts.parse()?),
        "clientInitialized" => EndpointEvent::ClientInitialized(parts.parse()?),
        "clientReady" => EndpointEvent::ClientReady(parts.parse()?),
        "rootsChanged" => EndpointEvent::RootsChanged(parts.parse()?),
        "requestSeen" => EndpointEvent::RequestSeen(parts.parse()?),
        "inputClosed" => EndpointEvent::InputClosed(parts.parse()?),
        "message" => EndpointEvent::Message(parts.parse()?),
        "channelOpened" => EndpointEvent::ChannelOpened(parts.parse()?),
        "channelClosed" => EndpointEvent::ChannelClosed(parts.parse()?),
        "callStarted" => EndpointEvent::CallStarted(parts.parse_request(inputs)?),
        "callReturned" => EndpointEvent::CallReturned(parts.parse()?),
        "callEnded" => EndpointEvent::CallEnded(parts.parse()?),
        "asked" => EndpointEvent::Asked(parts.parse()?),
        "selected" => EndpointEvent::Selected(parts.parse()?),
        "selectionCleared" => EndpointEvent::SelectionCleared(parts.parse()?),
        "askWithdrawn" => EndpointEvent::AskWithdrawn(parts.parse()?),
        "requestAnswered" => EndpointEvent::RequestAnswered(parts.parse()?),
        "requestRefused" => EndpointEvent::RequestRefused(parts.parse()?),
        "probed" => EndpointEvent::Probed(parts.parse()?),
        "deadlineReached" => parts.bare(EndpointEvent::DeadlineReached)?,
        "hostFactsChanged" => EndpointEvent::HostFactsChanged(parts.parse()?),
        "rootsWatched" => EndpointEvent::RootsWatched(parts.parse()?),
        _ => return Err(unknown()),
    })
}

/// Processes one event in JSON.
///
/// # Errors
/// The host made a mistake; the endpoint is unchanged.
pub fn handle_endpoint(endpoint: &mut Endpoint, event: &str, now: f64) -> Result<EndpointOutput, Misuse> {
    let event = parse_endpoint_event(event, endpoint.inputs())?;
    endpoint.handle(event, milliseconds(now)?)
}

/// Processes one event and returns [`EndpointOutput`] or [`Failure`] as JSON.
pub fn handle_endpoint_json(endpoint: &mut Endpoint, event: &str, now: f64) -> String {
    match handle_endpoint(endpoint, event, now) {
        Ok(output) => to_json(&output),
        Err(misuse) => Failure::from(misuse).to_json(),
    }
}
