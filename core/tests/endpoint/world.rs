//! What a host would know while a case runs, which is what turns its steps into events; and the case as a vector.

use rootwise::Endpoint;
use rootwise::action::RequestMethod;
use rootwise::endpoint::EndpointOutput;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{
    EndpointEvent, EndpointProbed, RequestAnswered, RequestRefused, SessionMessage, SessionOpened,
};
use rootwise::event::{EntryKind, ProbedPath};
use rootwise::host::Transport;
use serde_json::{Value, json};

use super::generate::{Act, Case, Step, Time, Which, raw};

#[derive(Clone, Debug, Default)]
pub struct World {
    pub now: u64,
    /// The requests that were sent, with their JSON-RPC ids.
    requests: Vec<(u32, Value)>,
    /// Those that ask the user.
    forms: Vec<u32>,
    probes: Vec<(u32, Vec<String>)>,
    steps: Vec<Value>,
}

fn pick<T>(all: &[T], which: Which) -> Option<&T> {
    match which {
        Which::Newest => all.last(),
        Which::Older => all.get(all.len().saturating_sub(2)),
        Which::Unknown => None,
    }
}

impl World {
    /// Turns a step into an event and its time.
    pub fn event(&mut self, endpoint: &Endpoint, step: &Step) -> (EndpointEvent, u64) {
        let now = match step.time {
            Time::By(more) => self.now + more,
            Time::Deadline => endpoint.deadline().map_or(self.now, |at| at.0.max(self.now)),
            Time::Back => self.now.saturating_sub(70),
        };
        let event = self.act(endpoint, &step.act);
        self.now = self.now.max(now);
        self.steps.push(json!({ "now": now, "event": event }));
        (event, now)
    }

    fn act(&self, endpoint: &Endpoint, act: &Act) -> EndpointEvent {
        let request = |which| pick(&self.requests, which).map_or(77, |(request, _)| *request);
        match act.clone() {
            Act::Event(event) => event,
            Act::Listed(which, list) => RequestAnswered::new(request(which), raw(&list)).into(),
            Act::Filled(which, answer) => {
                let form = pick(&self.forms, which).copied().unwrap_or_else(|| request(which));
                RequestAnswered::new(form, raw(&answer)).into()
            }
            Act::Refused(which, kind, code, message) => {
                let mut refused = RequestRefused::new(request(which), kind);
                (refused.code, refused.message) = (code, Some(message));
                refused.into()
            }
            Act::Answer(session, which, list) => {
                let id = pick(&self.requests, which).map_or_else(|| json!("other-9"), |(_, id)| id.clone());
                SessionMessage::new(session, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{list}}}"#)).into()
            }
            Act::Message(session, text) => SessionMessage::new(session, text).into(),
            Act::Probed(which, found) => {
                let Some((probe, paths)) = pick(&self.probes, which) else {
                    return EndpointProbed::new(99, Vec::new()).into();
                };
                let said = |path: &String| {
                    let found = match found {
                        Some(EntryKind::Directory) if path.contains("missing") => EntryKind::Missing,
                        found => found?,
                    };
                    let real_path = (found != EntryKind::Missing).then(|| path.clone());
                    Some(ProbedPath::new(path.clone(), found).real_path(real_path))
                };
                EndpointProbed::new(*probe, paths.iter().filter_map(said).collect::<Vec<_>>()).into()
            }
            Act::Restore(from, to) => {
                let mut opened = SessionOpened::new(to, Transport::Http);
                opened.saved = Some(endpoint.snapshot(from).unwrap_or_else(|| "damaged".to_owned()));
                opened.id_prefix = Some(format!("r{}-", self.steps.len()));
                opened.into()
            }
        }
    }

    /// Takes note of what an event caused.
    pub fn observe(&mut self, output: &EndpointOutput) {
        for action in &output.actions {
            match action {
                EndpointAction::SendRequest(sent) => {
                    let message: Value = serde_json::from_str(&sent.message).unwrap();
                    self.forms.extend((sent.method == RequestMethod::ElicitationCreate).then_some(sent.request.0));
                    self.requests.push((sent.request.0, message["id"].clone()));
                }
                EndpointAction::Probe(probe) => {
                    self.probes.push((probe.probe.0, probe.paths.iter().map(|path| path.path.clone()).collect()));
                }
                _ => {}
            }
        }
    }

    /// The events so far as a vector.
    pub fn vector(&self, case: &Case) -> String {
        let policy: Value = serde_json::from_str(case.policy).unwrap();
        let mut text =
            format!("{{\"machine\":\"endpoint\",\"policy\":{policy},\"host\":{},\"steps\":[", json!(case.host));
        for (at, step) in self.steps.iter().enumerate() {
            text.push_str(if at == 0 { "\n  " } else { ",\n  " });
            text.push_str(&step.to_string());
        }
        text + "\n]}"
    }
}
