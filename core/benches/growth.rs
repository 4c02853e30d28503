//! How the time of one event grows with what a peer sends: `cargo bench -p rootwise --bench growth`. Prints the time for n and
//! for 10 n; a factor near 10 is linear, one near 100 is quadratic. Nothing is asserted: times depend on the machine.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a benchmark may fail loudly"
)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Resolver, wire};

/// A resolver before the event, and the text of the event.
type Prepared = (Resolver, String);

fn main() {
    println!(
        "{:<48} {:>9} {:>9} {:>12} {:>12} {:>7}",
        "cost of one event", "n", "10 n", "time n", "time 10 n", "factor"
    );
    growth("roots in a list", 1000, |n| (ready("recommended"), listed(n, 8)));
    growth("bytes of a list (256 roots)", 400, |n| (ready("recommended"), listed(256, n)));
    growth("waiting asks that a list is for", 100, |n| (asked(n, |_| String::new()), listed(16, 8)));
    growth("waiting asks that all differ", 100, |n| {
        (asked(n, |at| format!(r#","target":"/home/me/{at}""#)), listed(16, 8))
    });
    growth("waiting asks, while another event passes", 100, |n| {
        (asked(n, |_| String::new()), r#"{"type":"rootsChanged"}"#.into())
    });
    growth("waiting asks at the end of the connection", 100, |n| {
        (asked(n, |_| String::new()), r#"{"type":"closed"}"#.into())
    });
    growth("headers of an ask", 3200, |n| (ready("recommended"), facts("headers", n)));
    growth("query parameters of an ask", 3200, |n| (ready("recommended"), facts("query", n)));
    growth("members of _meta", 3200, |n| (ready("recommended"), facts("meta", n)));
    growth("bytes of an argument", 100_000, |n| {
        (ready("recommended"), format!(r#"{{"type":"asked","ask":1,"facts":{{"argument":"/{}"}}}}"#, "x".repeat(n)))
    });
    growth("paths in the reply to a probe", 25, probed);
    growth("waiting asks that got equal replies apart", 100, |n| {
        (asked_apart(n), r#"{"type":"rootsListed","request":1,"result":{"roots":[]}}"#.into())
    });
    growth("elements of a batch that are no messages", 20_000, |n| {
        (ready("recommended"), format!(r#"{{"type":"message","text":"[{}]"}}"#, ["0"].repeat(n).join(",")))
    });
    growth("messages in a batch", 2000, |n| {
        let message = r#"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}"#;
        (ready("recommended"), format!(r#"{{"type":"message","text":"[{}]"}}"#, [message].repeat(n).join(",")))
    });
}

fn growth(what: &str, n: usize, prepare: impl Fn(usize) -> Prepared) {
    let (small, large) = (time(|| prepare(n)), time(|| prepare(10 * n)));
    let factor = large.as_secs_f64() / small.as_secs_f64();
    println!("{what:<48} {n:>9} {:>9} {:>9} us {:>9} us {factor:>7.1}", 10 * n, small.as_micros(), large.as_micros());
}

/// The shortest of several runs.
fn time(prepare: impl Fn() -> Prepared) -> Duration {
    let (resolver, event) = prepare();
    let run = |_| {
        let mut resolver = resolver.clone();
        let start = Clock::now();
        black_box(wire::handle_json(&mut resolver, &event, 10.0));
        start.elapsed()
    };
    (0..9).map(run).min().unwrap()
}

/// The time that this thread computed, where the system tells it: other programs do not count. Elsewhere the time of day.
struct Clock(Option<u64>, Instant);

impl Clock {
    fn now() -> Self {
        Self(computed(), Instant::now())
    }

    fn elapsed(&self) -> Duration {
        match (self.0, computed()) {
            (Some(start), Some(end)) if end > start => Duration::from_nanos(end - start),
            _ => self.1.elapsed(),
        }
    }
}

fn computed() -> Option<u64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

fn ready(policy: &str) -> Resolver {
    let host = HostFacts::new(PathStyle::Posix);
    let mut resolver = Resolver::new(Policy::preset(policy).unwrap(), host).unwrap();
    for event in [r#"{"type":"clientInitialized","capabilities":{"roots":{}}}"#, r#"{"type":"clientReady"}"#] {
        wire::handle(&mut resolver, event, 0.0).unwrap();
    }
    resolver
}

/// Asks that wait for the client's roots.
fn asked(n: usize, fields: impl Fn(usize) -> String) -> Resolver {
    let mut resolver = ready("recommended");
    for ask in 0..n {
        wire::handle(&mut resolver, &format!(r#"{{"type":"asked","ask":{ask}{}}}"#, fields(ask)), 0.0).unwrap();
    }
    resolver
}

/// Asks that wait for the client's roots, each of which has its own reply on the configured project.
fn asked_apart(n: usize) -> Resolver {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.allowed_dirs = Some(vec!["/p".to_owned()]);
    host.arguments.insert("project".into(), "/p/a".into());
    let mut resolver = Resolver::new(Policy::recommended(), host).unwrap();
    let mut feed = |event: &str| wire::handle(&mut resolver, event, 0.0).map(drop).unwrap();
    feed(r#"{"type":"clientInitialized","capabilities":{"roots":{}}}"#);
    feed(r#"{"type":"clientReady"}"#);
    for ask in 0..n {
        feed(&format!(r#"{{"type":"asked","ask":{ask}}}"#));
        let probe = ask + 1;
        feed(&format!(r#"{{"type":"probed","probe":{probe},"paths":[{{"path":"/p/a","found":"missing"}}]}}"#));
    }
    resolver
}

fn listed(roots: usize, bytes: usize) -> String {
    let root = |at: usize| format!(r#"{{"uri":"file:///home/me/{at:06}{}"}}"#, "x".repeat(bytes));
    let roots: Vec<String> = (0..roots).map(root).collect();
    format!(r#"{{"type":"rootsListed","result":{{"roots":[{}]}}}}"#, roots.join(","))
}

fn facts(kind: &str, n: usize) -> String {
    let mut members = String::new();
    for at in 0..n {
        let comma = if at == 0 { "" } else { "," };
        write!(members, r#"{comma}"x-{at}":"{at}""#).unwrap();
    }
    format!(r#"{{"type":"asked","ask":1,"facts":{{"{kind}":{{{members}}}}}}}"#)
}

/// The reply to a probe of this many roots.
fn probed(n: usize) -> Prepared {
    let mut resolver = asked(1, |_| String::new());
    let output = wire::handle_json(&mut resolver, &listed(n, 8), 0.0);
    let output: serde_json::Value = serde_json::from_str(&output).unwrap();
    let probe = output["actions"].as_array().unwrap().iter().find(|action| action["type"] == "probe").unwrap();
    let reply = |path: &serde_json::Value| format!(r#"{{"path":{},"found":"missing","markers":[]}}"#, path["path"]);
    let paths: Vec<String> = probe["paths"].as_array().unwrap().iter().map(reply).collect();
    (resolver, format!(r#"{{"type":"probed","probe":{},"paths":[{}]}}"#, probe["probe"], paths.join(",")))
}
