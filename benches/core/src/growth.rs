//! How the time of one event grows with what a peer sends: a factor near 10 from n to 10 n is linear, one near 100 quadratic.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use rootwise::host::HostFacts;
use rootwise::path::PathStyle;
use rootwise::policy::Policy;
use rootwise::{Endpoint, Resolver, wire};
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::endpoints;

/// A resolver before the event, and the text of the event.
type Prepared = (Resolver, String);

/// What takes the event.
#[derive(Clone)]
enum Machine {
    Resolver(Box<Resolver>),
    Endpoint(Box<Endpoint>),
}

impl Machine {
    fn handle(&mut self, event: &str) {
        black_box(match self {
            Self::Resolver(resolver) => wire::handle_json(resolver, event, 10.0),
            Self::Endpoint(endpoint) => wire::handle_endpoint_json(endpoint, event, 10.0),
        });
    }
}

/// What grows, how much of it there is, and the event.
type Row = (&'static str, usize, fn(usize) -> Prepared);

const ROWS: &[Row] = &[
    ("roots in a list", 1000, |n| (ready("recommended"), listed(n, 8))),
    ("bytes of a list (256 roots)", 400, |n| (ready("recommended"), listed(256, n))),
    ("waiting asks that a list is for", 100, |n| (asked(n, |_| String::new()), listed(16, 8))),
    ("waiting asks that all differ", 100, |n| (asked(n, |at| format!(r#","target":"/home/me/{at}""#)), listed(16, 8))),
    ("waiting asks, while another event passes", 100, |n| {
        (asked(n, |_| String::new()), r#"{"type":"rootsChanged"}"#.into())
    }),
    ("waiting asks at the end of the connection", 100, |n| {
        (asked(n, |_| String::new()), r#"{"type":"closed"}"#.into())
    }),
    ("headers of an ask", 3200, |n| (ready("recommended"), facts("headers", n))),
    ("query parameters of an ask", 3200, |n| (ready("recommended"), facts("query", n))),
    ("members of _meta", 3200, |n| (ready("recommended"), facts("meta", n))),
    ("bytes of an argument", 100_000, |n| {
        (ready("recommended"), format!(r#"{{"type":"asked","ask":1,"facts":{{"argument":"/{}"}}}}"#, "x".repeat(n)))
    }),
    ("paths in the reply to a probe", 25, probed),
    ("waiting asks that got equal replies apart", 100, |n| {
        (asked_apart(n), r#"{"type":"rootsListed","request":1,"result":{"roots":[]}}"#.into())
    }),
    ("elements of a batch that are no messages", 20_000, |n| {
        (ready("recommended"), format!(r#"{{"type":"message","text":"[{}]"}}"#, ["0"].repeat(n).join(",")))
    }),
    ("messages in a batch", 2000, |n| {
        let message = r#"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}"#;
        (ready("recommended"), format!(r#"{{"type":"message","text":"[{}]"}}"#, [message].repeat(n).join(",")))
    }),
];

/// The same for an event of an endpoint.
type EndpointRow = (&'static str, usize, fn(usize) -> (Endpoint, String));

const OF_ENDPOINT: &[EndpointRow] = &[
    ("sessions, while one of them asks", 100, endpoints::sessions),
    ("calls that wait for the list of their session", 100, endpoints::calls),
    ("calls of a session that is closed", 100, endpoints::closed),
    ("calls that wait for the answer to a form", 100, endpoints::form),
    ("memories of callers, while a call begins", 40, endpoints::memories),
];

/// What grows, its smaller size, and the machine and the event for a size.
type Any = (&'static str, usize, Box<dyn Fn(usize) -> (Machine, String)>);

fn rows() -> impl Iterator<Item = Any> {
    let of_resolver = ROWS.iter().map(|&(what, n, prepare)| -> Any {
        let prepared = move |n| {
            let (resolver, event) = prepare(n);
            (Machine::Resolver(Box::new(resolver)), event)
        };
        (what, n, Box::new(prepared))
    });
    let of_endpoint = OF_ENDPOINT.iter().map(|&(what, n, prepare)| -> Any {
        let prepared = move |n| {
            let (endpoint, event) = prepare(n);
            (Machine::Endpoint(Box::new(endpoint)), event)
        };
        (what, n, Box::new(prepared))
    });
    of_resolver.chain(of_endpoint)
}

pub(crate) fn measure() {
    println!("{}", rows().map(row).collect::<Value>());
}

/// Passes the event of a row for this size, as often as wanted and up to `MOST` times: two counts differ only by the events.
pub(crate) fn repeat(what: &str, n: usize, count: usize) {
    const MOST: usize = 3;
    let (_, _, prepare) = rows().find(|row| row.0 == what).unwrap_or_else(|| panic!("no row {what}"));
    let (machine, event) = prepare(n);
    let mut machines = vec![machine; MOST];
    for machine in &mut machines[..count] {
        machine.handle(&event);
    }
}

/// Both sizes take turns, and the shortest of several runs counts.
fn row((what, n, prepare): Any) -> Value {
    let sizes = [n, 10 * n].map(prepare);
    let mut times = [Duration::MAX; 2];
    for _ in 0..9 {
        for ((machine, event), best) in sizes.iter().zip(&mut times) {
            let mut machine = machine.clone();
            let start = Clock::now();
            machine.handle(event);
            *best = start.elapsed().min(*best);
        }
    }
    let [small, large] = times.map(|time| time.as_secs_f64() * 1e6);
    json!({ "what": what, "n": n, "small": small, "large": large })
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
    let output: Value = serde_json::from_str(&output).unwrap();
    let probe = output["actions"].as_array().unwrap().iter().find(|action| action["type"] == "probe").unwrap();
    let reply = |path: &Value| format!(r#"{{"path":{},"found":"missing","markers":[]}}"#, path["path"]);
    let paths: Vec<String> = probe["paths"].as_array().unwrap().iter().map(reply).collect();
    (resolver, format!(r#"{{"type":"probed","probe":{},"paths":[{}]}}"#, probe["probe"], paths.join(",")))
}
