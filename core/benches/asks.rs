//! What the common events cost: `cargo bench -p rootwise`. Prints nanoseconds per event, best of several rounds.
#![allow(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a benchmark may fail loudly")]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use rootwise::event::{Asked, ClientInitialized, Event, Found, Probed, ProbedPath, RequestFacts, RootsListed};
use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{AskId, RequestToken, Resolver, wire};
use serde_json::value::RawValue;

const ROUNDS: u32 = 7;

fn main() {
    let policy = Arc::new(Policy::recommended());
    let host = Arc::new(HostFacts::new(PathStyle::Posix));

    report("open a resolver", 20_000, || {
        black_box(Resolver::new(policy.clone(), host.clone()).unwrap());
    });

    let mut known = settled(&policy, &host);
    report("ask for a known project", 200_000, || {
        black_box(known.handle(Event::Asked(Asked { ask: AskId(1), ..Asked::default() }), 100).unwrap());
    });
    report("ask for a known project, as JSON", 100_000, || {
        black_box(wire::handle_json(&mut known, r#"{"type":"asked","ask":1}"#, 100.0));
    });
    let facts = RequestFacts { argument: Some("/home/me/project".into()), ..RequestFacts::default() };
    let asked = Asked { ask: AskId(1), facts, ..Asked::default() };
    let mut by_argument = settled(&policy, &host);
    report("ask with an argument, look at disk, answer", 20_000, || {
        let actions = by_argument.handle(Event::Asked(asked.clone()), 100).unwrap();
        let Some(rootwise::action::Action::Probe(probe)) = actions.last() else { return };
        black_box(by_argument.handle(found(probe), 100).unwrap());
    });
    report("read a list of 256 roots", 500, || {
        let mut resolver = settled(&policy, &host);
        let roots: Vec<String> = (0..256).map(|n| format!(r#"{{"uri":"file:///home/me/project-{n}"}}"#)).collect();
        let result = raw(&format!(r#"{{"roots":[{}]}}"#, roots.join(",")));
        black_box(resolver.handle(Event::RootsListed(RootsListed { request: None, result }), 200).unwrap());
    });
}

fn settled(policy: &Arc<Policy>, host: &Arc<HostFacts>) -> Resolver {
    let mut resolver = Resolver::new(policy.clone(), host.clone()).unwrap();
    let capabilities = Some(raw(r#"{"roots":{}}"#));
    resolver.handle(Event::ClientInitialized(ClientInitialized { capabilities, ..Default::default() }), 0).unwrap();
    resolver.handle(Event::ClientReady, 0).unwrap();
    resolver.handle(Event::Asked(Asked { ask: AskId(1), ..Asked::default() }), 0).unwrap();
    let result = raw(r#"{"roots":[{"uri":"file:///home/me/project","name":"project"}]}"#);
    let actions =
        resolver.handle(Event::RootsListed(RootsListed { request: Some(RequestToken(1)), result }), 1).unwrap();
    if let Some(rootwise::action::Action::Probe(probe)) = actions.last() {
        resolver.handle(found(probe), 2).unwrap();
    }
    resolver.handle(Event::Asked(Asked { ask: AskId(1), ..Asked::default() }), 3).unwrap();
    resolver
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn found(probe: &rootwise::action::Probe) -> Event {
    let path =
        |path: &String| ProbedPath { path: path.clone(), found: Found::Directory, real_path: None, markers: vec![] };
    Event::Probed(Probed { probe: probe.probe, paths: probe.paths.iter().map(|wanted| path(&wanted.path)).collect() })
}

fn report(what: &str, times: u32, mut event: impl FnMut()) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..times {
                event();
            }
            start.elapsed() / times
        })
        .min()
        .unwrap();
    println!("{what:<45} {:>9} ns", best.as_nanos());
}
