//! Calls: their project, and the tools that `--tools` adds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use rootwise::tools::ready_tools;
use rootwise::{INPUT_KEY, Project};
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::{Action, CallFacts, OurTool, Pending, Resolution, Router, Traffic, Wait};
use crate::run::message::{self, INVALID_PARAMS, Id, Members, Params, members_of, with_params};
use crate::run::place::Place;

impl Router {
    pub(super) fn call(
        &mut self,
        pending: Pending,
        method: &str,
        params: Option<&RawValue>,
        known: Option<Arc<Project>>,
    ) {
        let parts = Params::of(params);
        let ours = if pending.traffic == Traffic::CallTool { self.our_tool(&parts) } else { None };
        let facts = |id: &Id, argument| {
            let meta = parts.meta.map(ToOwned::to_owned);
            let input_responses = parts.input_responses.map(ToOwned::to_owned);
            let request_state = parts.request_state.clone();
            let (id, method) = (id.clone(), method.to_owned());
            Box::new(CallFacts { id, method, meta, argument, input_responses, request_state })
        };
        match ours {
            Some(Err(text)) => {
                self.act(Action::ToClient(message::error(&pending.id, INVALID_PARAMS, "invalid_params", text)));
            }
            Some(Ok(tool)) => {
                let ticket = self.next_id();
                self.act(Action::Tool(ticket, tool, facts(&pending.id, None)));
                self.hold(pending, Wait::Call(ticket));
            }
            None => {
                let argument = self.argument_of(&parts);
                let says_nothing =
                    argument.is_none() && parts.input_responses.is_none() && !self.meta_counts(parts.meta);
                match known.filter(|_| says_nothing) {
                    Some(project) if self.held.is_empty() => self.route_to_project(&project, pending),
                    Some(project) => self.hold(pending, Wait::Turn(Resolution::Project(project))),
                    None => {
                        let ticket = self.next_id();
                        self.act(Action::Ask(ticket, Some(facts(&pending.id, argument))));
                        self.hold(pending, Wait::Call(ticket));
                    }
                }
            }
        }
    }

    /// The project that the arguments name.
    fn argument_of(&self, parts: &Params<'_>) -> Option<Value> {
        let name = self.settings.argument.as_ref()?;
        let arguments: BTreeMap<String, &RawValue> = serde_json::from_str(parts.arguments?.get()).ok()?;
        let value: Value = serde_json::from_str(arguments.get(name)?.get()).ok()?;
        Some(value).filter(|value| !value.is_null())
    }

    /// Whether `_meta` has an entry that can concern the project.
    fn meta_counts(&self, meta: Option<&RawValue>) -> bool {
        let Some(meta) = meta else { return false };
        let names: BTreeMap<String, IgnoredAny> = serde_json::from_str(meta.get()).unwrap_or_default();
        names.keys().any(|name| name.starts_with("io.modelcontextprotocol/") || self.settings.meta_names.contains(name))
    }

    /// Sends a call to the server of its project, or tells the model why it has none.
    pub(super) fn call_resolved(&mut self, pending: Pending, resolution: &Resolution) {
        match resolution {
            Resolution::Project(project) => self.route_to_project(project, pending),
            Resolution::Text(text) => {
                let result = message::tool_result(text, false, self.is_modern());
                self.act(Action::ToClient(message::result(&pending.id, &result)));
            }
            Resolution::NeedsInput(result) => self.act(Action::ToClient(message::result(&pending.id, result))),
            Resolution::NoProject { .. } if self.settings.fallback && !self.is_ours(&pending) => {
                self.route_to_start(pending)
            }
            Resolution::NoProject { code, text } => self.refuse_call(&pending, code, text),
        }
    }

    /// A tool's failure is a result that the model reads; other calls have only errors.
    pub(super) fn refuse_call(&mut self, pending: &Pending, code: &str, text: &str) {
        if pending.traffic == Traffic::CallTool {
            let result = message::tool_result(text, true, self.is_modern());
            self.act(Action::ToClient(message::result(&pending.id, &result)));
        } else {
            self.act(Action::ToClient(message::error(&pending.id, INVALID_PARAMS, code, text)));
        }
    }

    fn is_ours(&self, pending: &Pending) -> bool {
        let head = message::Head::of(&pending.line);
        self.our_tool(&Params::of(head.params)).is_some()
    }

    /// The tool of ours that a call names; a fault of its arguments is an error.
    fn our_tool(&self, parts: &Params<'_>) -> Option<Result<OurTool, &'static str>> {
        let is_ours = |name: &str| self.settings.tools && !self.taken.contains(name);
        parts.name.as_deref().filter(|name| is_ours(name)).and_then(|_| our_tool(parts))
    }

    pub(super) fn route_to_project(&mut self, project: &Arc<Project>, pending: Pending) {
        let Some(place) = Place::of_project(project) else {
            let text = format!(
                "The project {} is no folder on this machine, so that no server can run there.",
                project.display_name
            );
            return self.refuse_call(&pending, "no_path", &text);
        };
        match self.ensure(place) {
            Ok(instance) => self.dispatch(instance, pending),
            Err(text) => self.refuse_call(&pending, "server_unavailable", &text),
        }
    }
}

/// The tool of ours that a call names; a fault of its arguments is an error.
fn our_tool(parts: &Params<'_>) -> Option<Result<OurTool, &'static str>> {
    match parts.name.as_deref()? {
        WHICH => Some(Ok(OurTool::Which)),
        SWITCH => {
            let arguments: Value =
                parts.arguments.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
            let project = arguments.get("project").and_then(Value::as_str);
            Some(
                project
                    .map(|project| OurTool::Switch(project.to_owned()))
                    .ok_or("bad arguments at project: must be a string"),
            )
        }
        _ => None,
    }
}

pub(super) const WHICH: &str = "which_project";
pub(crate) const SWITCH: &str = "switch_project";

type OurDefinition = (&'static str, fn() -> Value);

/// Our tools: their names and definitions.
pub(super) const OUR_TOOLS: [OurDefinition; 2] = [
    (WHICH, || serde_json::to_value(ready_tools().which).unwrap_or_default()),
    (SWITCH, || serde_json::to_value(ready_tools().switch).unwrap_or_default()),
];

/// The request of a retried call without the answer to our question, which the server did not ask.
pub(super) fn without_our_answer(line: &[u8]) -> Option<Bytes> {
    with_params(line, |params| {
        let mut responses = members_of(params.get("inputResponses").map(AsRef::as_ref));
        responses.remove(INPUT_KEY)?;
        put_or_remove(params, "inputResponses", &responses)
    })
}

/// A request of 2026-07-28 as older revisions know it: a server that knows both would take it for a mistake after its handshake.
pub(super) fn without_envelope(line: &[u8]) -> Option<Bytes> {
    with_params(line, |params| {
        let mut meta = members_of(Some(params.get("_meta")?.as_ref()));
        meta.retain(|name, _| !name.starts_with("io.modelcontextprotocol/"));
        put_or_remove(params, "_meta", &meta)
    })
}

fn put_or_remove(params: &mut Members, name: &str, value: &Members) -> Option<()> {
    if value.is_empty() {
        params.remove(name);
    } else {
        params.insert(name.into(), to_raw_value(value).ok()?);
    }
    Some(())
}
