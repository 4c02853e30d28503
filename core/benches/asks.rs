//! What the common events cost: `cargo bench -p rootwise --bench asks`.
#![allow(clippy::unwrap_used, reason = "a benchmark may fail loudly")]

use std::sync::Arc;

use divan::Bencher;
use rootwise::action::{Action, Probe};
use rootwise::event::{
    Argument, Asked, ClientInitialized, EntryKind, Event, Probed, ProbedPath, RequestFacts, RootsListed,
};
use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{AskId, RequestToken, Resolver, wire};
use serde_json::value::RawValue;

fn main() {
    divan::main();
}

#[divan::bench]
fn open_a_resolver(bencher: Bencher<'_, '_>) {
    let (policy, host) = given();
    bencher.bench_local(|| Resolver::new(policy.clone(), host.clone()).unwrap());
}

#[divan::bench]
fn ask_for_a_known_project(bencher: Bencher<'_, '_>) {
    let mut resolver = settled();
    bencher.bench_local(|| resolver.handle(Event::Asked(Asked::new(AskId(1))), 100).unwrap());
}

#[divan::bench]
fn ask_for_a_known_project_as_json(bencher: Bencher<'_, '_>) {
    let mut resolver = settled();
    bencher.bench_local(|| wire::handle_json(&mut resolver, r#"{"type":"asked","ask":1}"#, 100.0));
}

#[divan::bench]
fn ask_with_an_argument_look_at_disk_answer(bencher: Bencher<'_, '_>) {
    let mut resolver = settled();
    let facts = RequestFacts::default().argument(Argument::from("/home/me/project"));
    let asked = Asked::new(AskId(1)).facts(facts);
    bencher.bench_local(|| {
        let actions = resolver.handle(Event::Asked(asked.clone()), 100).unwrap();
        resolver.handle(found(probe(&actions).unwrap()), 100).unwrap()
    });
}

#[divan::bench]
fn read_a_list_of_256_roots(bencher: Bencher<'_, '_>) {
    let roots: Vec<String> = (0..256).map(|n| format!(r#"{{"uri":"file:///home/me/project-{n}"}}"#)).collect();
    let list = raw(&format!(r#"{{"roots":[{}]}}"#, roots.join(",")));
    let listed = || (settled(), Event::RootsListed(RootsListed::new(list.clone())));
    bencher.with_inputs(listed).bench_local_values(|(mut resolver, event)| resolver.handle(event, 200).unwrap());
}

fn given() -> (Arc<Policy>, Arc<HostFacts>) {
    (Arc::new(Policy::recommended()), Arc::new(HostFacts::new(PathStyle::Posix)))
}

/// A resolver of which the project is known.
fn settled() -> Resolver {
    let (policy, host) = given();
    let mut resolver = Resolver::new(policy, host).unwrap();
    let capabilities = Some(raw(r#"{"roots":{}}"#));
    resolver.handle(Event::ClientInitialized(ClientInitialized::default().capabilities(capabilities)), 0).unwrap();
    resolver.handle(Event::ClientReady, 0).unwrap();
    resolver.handle(Event::Asked(Asked::new(AskId(1))), 0).unwrap();
    let result = raw(r#"{"roots":[{"uri":"file:///home/me/project","name":"project"}]}"#);
    let actions = resolver.handle(Event::RootsListed(RootsListed::new(result).request(RequestToken(1))), 1).unwrap();
    resolver.handle(found(probe(&actions).unwrap()), 2).unwrap();
    resolver.handle(Event::Asked(Asked::new(AskId(1))), 3).unwrap();
    resolver
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn probe(actions: &[Action]) -> Option<&Probe> {
    actions.iter().find_map(|action| if let Action::Probe(probe) = action { Some(probe) } else { None })
}

fn found(probe: &Probe) -> Event {
    let path = |path: &String| ProbedPath::new(path.clone(), EntryKind::Directory);
    Event::Probed(Probed::new(probe.probe, probe.paths.iter().map(|wanted| path(&wanted.path)).collect()))
}
