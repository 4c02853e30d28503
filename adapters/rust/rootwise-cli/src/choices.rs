//! Which project each preset would choose for a client, from what is known about it.

use std::collections::BTreeMap;

use rootwise::action::Answer;
use rootwise::event::{AskVia, Asked, ClientInitialized, Event, Probed, RequestFacts, RootsListed};
use rootwise::explanation::{Explanation, Verdict};
use rootwise::policy::{PRESETS, SourceKind};
use rootwise::{Action, HostFacts, Millis, Misuse, Outcome, Policy, Resolver};
use rootwise_host::{probe, project_of};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What is known about a client and one of its calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The parameters of `initialize`, or what a modern call says instead.
    pub(crate) client: ClientInitialized,
    /// The client's answer to `roots/list`, if there was one.
    pub(crate) roots: Option<Box<RawValue>>,
    pub(crate) meta: Option<Box<RawValue>>,
    /// What a request over HTTP says about its project.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) query: BTreeMap<String, String>,
}

/// The choice of one preset.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) preset: String,
    pub(crate) project: Option<Chosen>,
    pub(crate) why: String,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Chosen {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
    pub(crate) source: SourceKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) via: Option<String>,
}

/// The choice of every preset, the recommended one first. `facts` collects what a policy reads of this process.
pub(crate) fn choices(known: &Known, facts: impl Fn(&Policy) -> HostFacts) -> Vec<Choice> {
    let presets = PRESETS.iter().filter_map(|(name, _)| Some((*name, Policy::preset(name).ok()?)));
    presets
        .map(|(preset, policy)| {
            let facts = facts(&policy);
            choice(preset, decide(policy, facts, known))
        })
        .collect()
}

/// What a policy makes of this; the client is not asked again.
pub(crate) fn decide(policy: Policy, facts: HostFacts, known: &Known) -> Result<Answer, String> {
    let mut resolver = Resolver::new(policy, facts).map_err(|error| error.to_string())?;
    let Known { client, roots, meta, headers, query } = known.clone();
    // What a modern call says of its client is known here; with it, the call would stand alone over HTTP, without the roots.
    let meta = meta.and_then(|meta| {
        let mut entries: BTreeMap<String, &RawValue> = serde_json::from_str(meta.get()).ok()?;
        entries.retain(|name, _| !name.starts_with("io.modelcontextprotocol/"));
        to_raw_value(&entries).ok()
    });
    let request = RequestFacts::default().meta(meta).headers(headers).query(query);
    let asked = Asked::new(1).ask_via(AskVia::None).explain(true).facts(request);
    let listed = roots.map(|roots| Event::from(RootsListed::new(roots)));
    let events = [Some(client.into()), Some(Event::ClientReady), listed, Some(asked.into())];
    let mut answer = None;
    for event in events.into_iter().flatten() {
        let said = settle(&mut resolver, event).map_err(|misuse| misuse.to_string())?;
        answer = said.or(answer);
    }
    answer.ok_or_else(|| "no answer".into())
}

/// Passes an event to a resolver, and probes the disk for it.
fn settle(resolver: &mut Resolver, event: Event) -> Result<Option<Answer>, Misuse> {
    let now = Millis(0);
    let (mut waiting, mut answer) = (vec![event], None);
    while let Some(event) = waiting.pop() {
        for action in resolver.handle(event, now)? {
            match action {
                Action::Answer(given) => answer = Some(*given),
                Action::Probe(wanted) => waiting.push(Probed::new(wanted.probe, probe(&wanted.paths)).into()),
                _ => {}
            }
        }
    }
    Ok(answer)
}

fn choice(preset: &str, answer: Result<Answer, String>) -> Choice {
    let preset = preset.to_owned();
    let answer = match answer {
        Ok(answer) => answer,
        Err(why) => return Choice { preset, project: None, why },
    };
    let explanation = answer.explanation.clone();
    let found = matches!(answer.outcome, Outcome::Resolved { .. });
    match project_of(answer) {
        Ok(project) if found => {
            let why =
                format!("from {}{}", place(project.source, project.via.as_deref()), losers(explanation.as_deref()));
            let (name, path) = (project.name.clone(), project.path.clone());
            let chosen = Chosen { name, path, source: project.source, via: project.via.clone() };
            Choice { preset, project: Some(chosen), why }
        }
        Ok(_) => Choice { preset, project: None, why: String::new() },
        Err(error) => Choice { preset, project: None, why: error.message().to_owned() },
    }
}

/// A source, and what it read.
pub(crate) fn place(source: SourceKind, via: Option<&str>) -> String {
    via.map_or_else(|| source.to_string(), |via| format!("{source} ({via})"))
}

/// Which sources would have chosen otherwise.
fn losers(explanation: Option<&Explanation>) -> String {
    let tried = explanation.map(|explanation| explanation.tried.as_slice()).unwrap_or_default();
    let others: Vec<String> = tried
        .iter()
        .filter(|report| report.verdict == Verdict::Disagrees)
        .map(|report| place(report.source, report.via.as_deref()))
        .collect();
    if others.is_empty() { String::new() } else { format!("; {} would give another project", others.join(" and ")) }
}
