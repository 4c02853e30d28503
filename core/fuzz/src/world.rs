//! A host around one resolver: a disk full of links, a client that answers or not, and a vocabulary of hostile values.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use rootwise::host::{HostFacts, Transport};
use rootwise::path::{self, PathStyle};
use rootwise::policy::{PRESETS, Policy};
use rootwise::{Resolver, wire};
use serde_json::{Value, json};

use super::text::{Texts, check_explanation, check_output};

pub static POLICIES: LazyLock<Vec<Arc<Policy>>> =
    LazyLock::new(|| PRESETS.iter().map(|(name, _)| Arc::new(Policy::preset(name).unwrap())).collect());

pub struct World {
    pub resolver: Resolver,
    pub policy: Arc<Policy>,
    pub host: Arc<HostFacts>,
    pub texts: Texts,
    now: u64,
    waiting: BTreeSet<u64>,
    next_ask: u64,
    in_flight: Option<u64>,
    probes: Vec<Value>,
    closed: bool,
}

/// Parts of values. Several of them make a value.
const PARTS: [&str; 40] = [
    "file:///",
    "file://host/",
    "/work",
    "/work/project",
    "/link",
    "/home/me",
    "/",
    "\\",
    "..",
    "/../",
    "%2e%2e",
    "%2F",
    "%5C",
    "C:\\work",
    "C:/",
    "\\\\host\\share",
    "\u{202e}",
    "\u{1b}[31m",
    "\n",
    "\r",
    "\u{200b}",
    "\u{85}",
    "\u{2028}",
    "\0",
    "%0A",
    "%1B",
    "%E2%80%AE",
    "~",
    "$HOME",
    "${workspaceFolder}",
    "{list}",
    "é",
    "漢",
    "a",
    " ",
    "name",
    "https://example.com/",
    "?x#y",
    "\u{feff}",
    "\t",
];

/// A reader of choices.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn next(&mut self) -> Option<usize> {
        self.0.next().map(|byte| usize::from(*byte))
    }

    fn pick(&mut self, of: usize) -> usize {
        self.next().unwrap_or(0) % of
    }

    fn value(&mut self) -> String {
        let parts = self.pick(5) + 1;
        (0..parts).map(|_| PARTS[self.pick(PARTS.len())]).collect()
    }
}

impl World {
    pub fn new(head: &[u8]) -> Self {
        let at = head.first().map_or(0, |byte| usize::from(*byte));
        Self::with_policy(POLICIES[at % POLICIES.len()].clone(), &head[head.len().min(1)..])
    }

    pub fn with_policy(policy: Arc<Policy>, choices: &[u8]) -> Self {
        let choice = choices.first().copied().unwrap_or(0);
        let chosen = |bit: u8| choice & (1 << bit) != 0;
        let style = if chosen(0) { PathStyle::Windows } else { PathStyle::Posix };
        let mut host = HostFacts::new(style);
        let folder = |posix: &str, windows: &str| if chosen(0) { windows.to_owned() } else { posix.to_owned() };
        if chosen(1) {
            host.transport = Transport::Http;
        }
        host.local = chosen(2).then_some(chosen(3));
        host.allowed_dirs = chosen(4).then(|| vec![folder("/work", "C:\\work")]);
        host.cwd = Some(folder("/work/project", "C:\\work\\project"));
        host.excluded_dirs.home = vec![folder("/home/me", "C:\\Users\\me")];
        host.probe_shares = chosen(5);
        host.push = chosen(6).then_some(chosen(7));
        let host = Arc::new(host);
        let resolver = Resolver::new(policy.clone(), host.clone()).unwrap();
        Self {
            resolver,
            texts: if policy.config().name == "recommended" { Texts::Lines } else { Texts::Paragraphs },
            policy,
            host,
            now: 0,
            waiting: BTreeSet::new(),
            next_ask: 1000,
            in_flight: None,
            probes: Vec::new(),
            closed: false,
        }
    }

    /// The same world around a restored resolver.
    pub fn with(&self, resolver: Resolver) -> Self {
        let (policy, host) = (self.policy.clone(), self.host.clone());
        let world = Self::with_policy(policy.clone(), &[]);
        Self { resolver, policy, host, now: 10, texts: self.texts, ..world }
    }

    pub fn start(&mut self) {
        self.event(&json!({ "type": "clientInitialized", "capabilities": { "roots": {} } }));
        self.event(&json!({ "type": "clientReady" }));
    }

    /// Answers what is open, passes the time, and closes the connection.
    pub fn finish(&mut self) {
        for _ in 0..64 {
            self.answer_probes();
            let Some(deadline) = self.resolver.deadline() else { break };
            self.now = self.now.max(deadline.0);
            self.event(&json!({ "type": "deadlineReached" }));
        }
        assert_eq!(self.resolver.deadline(), None, "deadlines end");
        assert!(self.waiting.is_empty(), "asks wait without a deadline: {:?}", self.waiting);
        self.event(&json!({ "type": "closed" }));
    }

    pub fn event(&mut self, event: &Value) -> Value {
        self.text(&event.to_string())
    }

    /// Handles the text of an event and checks everything that can be seen.
    pub fn text(&mut self, text: &str) -> Value {
        let before = self.resolver.clone();
        let event: Value = serde_json::from_str(text).unwrap_or_default();
        let output = wire::handle_json(&mut self.resolver, text, self.now as f64);
        let output: Value = serde_json::from_str(&output).unwrap();
        check_output(&output, self.texts);
        if output.get("error").is_some() {
            assert_eq!(self.resolver.snapshot(), before.snapshot(), "a refused event has an effect");
            let is_reply =
                event["type"] == "probed" && self.probes.iter().any(|probe| probe["probe"] == event["probe"]);
            assert!(!is_reply, "the reply to a probe was refused: {output}");
            return output;
        }
        match event["type"].as_str() {
            Some("asked" | "selected" | "selectionCleared") => {
                self.waiting.extend(event["ask"].as_u64());
            }
            Some("askWithdrawn") => {
                self.waiting.remove(&event["ask"].as_u64().unwrap_or(u64::MAX));
            }
            Some("closed") => self.closed = true,
            _ => {}
        }
        self.carry_out(&output);
        self.check_views();
        output
    }

    fn carry_out(&mut self, output: &Value) {
        for action in output["actions"].as_array().unwrap() {
            match action["type"].as_str().unwrap() {
                "answer" => {
                    for ask in action["asks"].as_array().unwrap() {
                        assert!(self.waiting.remove(&ask.as_u64().unwrap()), "ask {ask} was not waiting");
                    }
                    self.check_inside(&action["project"]);
                }
                "announce" => self.check_inside(&action["to"]),
                "cancel" => self.in_flight = None,
                "sendRequest" => self.in_flight = action["request"].as_u64(),
                "probe" => {
                    for path in action["paths"].as_array().unwrap() {
                        let is_share = path::is_unc(path["path"].as_str().unwrap(), self.host.style);
                        assert!(self.host.probe_shares || !is_share, "a share is probed: {path}");
                    }
                    self.probes.push(action.clone());
                }
                _ => {}
            }
        }
    }

    /// Checks the project and the explanation of the connection.
    pub fn check_views(&self) {
        self.check_inside(&serde_json::to_value(self.resolver.project()).unwrap());
        check_explanation(&serde_json::to_value(self.resolver.explain()).unwrap(), self.texts);
    }

    /// With allowed folders, a folder is inside by its spelling and by its real path.
    fn check_inside(&self, project: &Value) {
        let (Some(allowed), Some(path)) = (&self.host.allowed_dirs, project["path"].as_str()) else { return };
        let inside = |path: &str| allowed.iter().any(|root| path::is_inside(root, path, self.host.style));
        let real = project["realPath"].as_str();
        assert!(inside(path) && real.is_some_and(inside), "outside of {allowed:?}: {project}");
    }

    /// Replies to every open probe from a disk full of links.
    fn answer_probes(&mut self) {
        while !self.probes.is_empty() {
            let probe = self.probes[0].clone();
            let paths: Vec<Value> = probe["paths"].as_array().unwrap().iter().map(|path| self.look(path)).collect();
            self.event(&json!({ "type": "probed", "probe": probe["probe"], "paths": paths }));
            self.probes.retain(|open| open["probe"] != probe["probe"]);
        }
    }

    fn look(&self, wanted: &Value) -> Value {
        let path = wanted["path"].as_str().unwrap();
        let sum: usize = path.bytes().map(usize::from).sum();
        let posix = self.host.style == PathStyle::Posix;
        let real = match sum % 7 {
            0 => Some(if posix { "/home/me" } else { "C:\\Users\\me" }),
            1 => Some(if posix { "/outside/place" } else { "D:\\outside" }),
            2 => Some(if posix { "/work/elsewhere" } else { "C:\\work\\elsewhere" }),
            3 => None,
            _ => Some(path),
        };
        let found = ["directory", "directory", "directory", "directory", "file", "missing", "unreadable"][sum / 7 % 7];
        let markers = if sum.is_multiple_of(3) { wanted["markers"].clone() } else { json!([]) };
        let markers = if markers.is_null() { json!([]) } else { markers };
        match real.filter(|_| found == "directory" || found == "file") {
            Some(real) => json!({ "path": path, "found": found, "realPath": real, "markers": markers }),
            None => json!({ "path": path, "found": found, "markers": markers }),
        }
    }

    /// Plays events that the bytes choose.
    pub fn play(&mut self, data: &[u8]) {
        let mut choices = Choices(data.iter());
        for _ in 0..200 {
            let Some(choice) = choices.next() else { break };
            let event = self.choose(choice, &mut choices);
            self.event(&event);
        }
    }

    fn choose(&mut self, choice: usize, choices: &mut Choices<'_>) -> Value {
        let ask = self.next_ask;
        let explain = choice.is_multiple_of(2);
        match choice % 18 {
            0 => {
                json!({ "type": "clientInitialized", "capabilities": { "roots": {} }, "clientInfo": { "name": choices.value() } })
            }
            1 => json!({ "type": "clientReady" }),
            2 | 3 => {
                let roots: Vec<Value> =
                    (0..choices.pick(4)).map(|_| json!({ "uri": choices.value(), "name": choices.value() })).collect();
                match self.in_flight.take() {
                    Some(request) => json!({ "type": "rootsListed", "request": request, "result": { "roots": roots } }),
                    None => json!({ "type": "rootsListed", "result": { "roots": roots } }),
                }
            }
            4 => {
                let request = self.in_flight.take().unwrap_or(7);
                let kind = ["error", "undeliverable", "unreadable", "abandoned"][choices.pick(4)];
                json!({ "type": "requestRefused", "request": request, "kind": kind, "code": -32601, "message": choices.value() })
            }
            5 => json!({ "type": "rootsChanged" }),
            6 | 7 if !self.closed => {
                self.next_ask += 1;
                let mut facts = json!({});
                for _ in 0..choices.pick(3) {
                    match choices.pick(6) {
                        0 => facts["argument"] = choices.value().into(),
                        1 => facts["headers"] = json!({ "x-project-path": choices.value() }),
                        2 => facts["query"] = json!({ "project": choices.value() }),
                        3 => facts["server"] = choices.value().into(),
                        4 => facts["capabilities"] = json!({ "roots": {} }),
                        _ => facts["inputResponses"] = json!({ "rootwise": { "roots": [{ "uri": choices.value() }] } }),
                    }
                }
                json!({ "type": "asked", "ask": ask, "facts": facts, "explain": explain })
            }
            8 if !self.closed => {
                self.next_ask += 1;
                json!({ "type": "asked", "ask": ask, "target": choices.value(), "explain": explain })
            }
            9 if !self.closed => {
                self.next_ask += 1;
                json!({ "type": "asked", "ask": ask, "want": "roots" })
            }
            10 if !self.closed => {
                self.next_ask += 1;
                let by = ["name", "path", "uri", "root", "value"][choices.pick(5)];
                json!({ "type": "selected", "ask": ask, "by": { by: choices.value() }, "explain": explain })
            }
            11 if !self.closed => {
                self.next_ask += 1;
                json!({ "type": "selectionCleared", "ask": ask })
            }
            12 => {
                self.answer_probes();
                json!({ "type": "clientReady" })
            }
            13 => {
                self.now = self.now.max(self.resolver.deadline().map_or(0, |at| at.0));
                json!({ "type": "deadlineReached" })
            }
            14 => json!({ "type": "message", "text": choices.value() }),
            15 => {
                self.now += choices.next().unwrap_or(0) as u64 * 50;
                json!({ "type": "deadlineReached" })
            }
            16 => {
                let (policy, host) = (self.policy.clone(), self.host.clone());
                self.resolver =
                    Resolver::builder(host).policy(policy).restore(&self.resolver.snapshot(), self.now).unwrap();
                self.waiting.clear();
                json!({ "type": "rootsChanged" })
            }
            _ => json!({ "type": "askWithdrawn", "ask": ask.saturating_sub(1) }),
        }
    }
}
