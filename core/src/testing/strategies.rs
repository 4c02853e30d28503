//! Generators of steps, hosts, clients and policies.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::{Select, select};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use super::{Answers, Client, Disk, Reply, Step};
use crate::endpoint::inputs::PolicyInputs;
use crate::event::{AskVia, RequestFacts};
use crate::path::uri::path_to_file_uri;
use crate::policy::{OnChange, PRESETS, Pick, Pin, Policy, RequestWhen, path_map};
use crate::{HostFacts, PathStyle};

/// A disk and what a policy reads: where generated steps take place.
///
/// ```
/// use proptest::prelude::*;
/// use rootwise::testing::{Player, Scene, policies};
///
/// let scene = Scene::default();
/// proptest!(|(policy in policies(), host in scene.hosts(), step in scene.step(), reply in scene.replies())| {
///     let mut player = Player::new(policy, host)?.disk(scene.disk().clone());
///     player.play(&step)?;
///     player.play(&rootwise::testing::Step::Reply(reply))?;
///     player.finish()?;
/// });
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    disk: Disk,
    inputs: PolicyInputs,
}

impl Default for Scene {
    /// The [sample](Disk::sample) disk of a POSIX system, and what the recommended policy reads.
    fn default() -> Self {
        Self::new(Disk::sample(PathStyle::Posix), &Policy::recommended())
    }
}

/// Values that are no folder of any disk.
const JUNK: [&str; 12] = [
    "",
    "app",
    "../x",
    "/nowhere",
    "${workspaceFolder}",
    "C:\\work\\app",
    "file:///c%3A/work",
    "https://host/x",
    "file://host/share",
    "~/x",
    "/work//app/./",
    "/",
];

/// How often a request carries each of the things that it can carry: the sources behind them win as often as those.
const RARELY: f64 = 0.05;

impl Scene {
    /// A scene on this disk, for this policy.
    #[must_use]
    pub fn new(disk: Disk, policy: &Policy) -> Self {
        let mut inputs = PolicyInputs::of(policy);
        // A path map is no value of a source, and a wrong one is a mistake of the host.
        inputs.env.remove(path_map::VARIABLE);
        inputs.options.remove(path_map::OPTION);
        Self { disk, inputs }
    }

    /// The disk.
    #[must_use]
    pub const fn disk(&self) -> &Disk {
        &self.disk
    }

    /// The folders of the disk, so that different sources name the same one often.
    fn folders(&self) -> Select<String> {
        let folders = self.disk.folders();
        // A disk without folders has at least a name for one.
        select(if folders.is_empty() { vec!["/".to_owned()] } else { folders })
    }

    fn uris(&self) -> impl Strategy<Value = String> + use<> {
        let style = self.disk.style();
        self.folders().prop_map(move |path| path_to_file_uri(&path, style).unwrap_or(path))
    }

    /// Values as peers write them: folders, URIs, other entries of the disk, other spellings, and junk.
    pub fn values(&self) -> impl Strategy<Value = String> + use<> {
        let mut others: Vec<String> = JUNK.map(str::to_owned).into();
        others.extend(self.disk.paths());
        prop_oneof![6 => self.folders(), 2 => self.uris(), 1 => select(others)]
    }

    /// Lists of roots.
    fn lists(&self) -> impl Strategy<Value = Vec<String>> + use<> {
        vec(prop_oneof![5 => self.uris(), 1 => self.values()], 0..4)
    }

    /// Answers to `roots/list`.
    pub fn replies(&self) -> impl Strategy<Value = Reply> + use<> {
        prop_oneof![
            6 => self.lists().prop_map(Reply::Roots),
            1 => select([-32601_i64, -32603, 0, 7].as_slice()).prop_map(Reply::Error),
            1 => select(["null", "{}", "[]", "{\"roots\":7}", "{\"roots\":[{\"uri\":7},null]}", "{"].as_slice())
                .prop_map(|text| Reply::Junk(text.to_owned())),
            1 => Just(Reply::Abandoned),
        ]
    }

    /// Clients: most answer at once; some are late, silent or without roots.
    pub fn clients(&self) -> impl Strategy<Value = Client> + use<> {
        let answers = prop_oneof![
            6 => Just(Answers::AtOnce),
            1 => select([50_u32, 3_000, 20_000].as_slice()).prop_map(Answers::After),
            1 => Just(Answers::Never),
            2 => Just(Answers::Undeclared),
        ];
        let replies = prop_oneof![4 => self.lists().prop_map(Reply::Roots), 1 => self.replies()];
        (replies, answers).prop_map(|(reply, answers)| Client::new(reply, answers))
    }

    /// Hosts on this disk over stdio: a working directory, and now and then one of the variables and options that the policy
    /// reads.
    pub fn hosts(&self) -> impl Strategy<Value = HostFacts> + use<> {
        let style = self.disk.style();
        let named = (self.folders(), self.given(&self.inputs.env, 0.2), self.given(&self.inputs.options, RARELY));
        named.prop_map(move |(cwd, env, arguments)| {
            let mut host = HostFacts::new(style);
            (host.cwd, host.env, host.arguments) = (Some(cwd), env, arguments);
            host
        })
    }

    /// Sometimes a value for one of these names.
    fn given(&self, names: &BTreeSet<String>, often: f64) -> impl Strategy<Value = BTreeMap<String, String>> + use<> {
        let names: Vec<Option<String>> = names.iter().cloned().map(Some).collect();
        let name = select(if names.is_empty() { vec![None] } else { names });
        let named = (name, self.values()).prop_map(|(name, value)| Some((name?, value)));
        weighted(often, named).prop_map(|named| named.flatten().into_iter().collect())
    }

    /// What a request carries: usually nothing, sometimes an argument, something that the policy reads, what the server knows, or
    /// the marks of a modern call.
    pub fn facts(&self) -> impl Strategy<Value = RequestFacts> + use<> {
        let modern = prop_oneof![9 => Just(None), 1 => select([Some("{}"), Some("{\"roots\":{}}")].as_slice())];
        let rare = || weighted(RARELY, self.values());
        let read = (self.given(&self.inputs.headers, RARELY), self.given(&self.inputs.query, RARELY), self.meta());
        (rare(), rare(), read, modern, weighted(RARELY, self.replies())).prop_map(
            |(server, argument, (headers, query, meta), capabilities, reply)| RequestFacts {
                server,
                argument: argument.map(Into::into),
                headers,
                query,
                meta,
                capabilities: capabilities.and_then(|text| raw(text.to_owned())),
                input_responses: reply
                    .and_then(|reply| raw(format!("{{\"{}\":{}}}", crate::INPUT_KEY, json_of(&reply)))),
                ..RequestFacts::default()
            },
        )
    }

    /// Sometimes a value at one of the places in `_meta` that the policy reads.
    fn meta(&self) -> impl Strategy<Value = Option<Box<RawValue>>> + use<> {
        let mut places: Vec<Vec<String>> = self.inputs.meta.iter().cloned().collect();
        if places.is_empty() {
            places.push(vec!["unread".to_owned()]);
        }
        let at = |(place, value): (Vec<String>, String)| {
            let nested = place.into_iter().rev().fold(Value::from(value), |inner, name| json!({ name: inner }));
            to_raw_value(&nested).ok()
        };
        weighted(RARELY, (select(places), self.values()).prop_map(at)).prop_map(Option::flatten)
    }

    /// One step.
    pub fn step(&self) -> impl Strategy<Value = Step> + use<> {
        let ask_via = prop_oneof![
            9 => Just(None),
            1 => select([Some(AskVia::None), Some(AskVia::Request), Some(AskVia::InputRequired)].as_slice())
        ];
        const MESSAGES: [&str; 5] = [
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":\"rootwise-1\",\"result\":{\"roots\":[]}}",
            "[]",
            "not json",
        ];
        let ask = (ask_via, self.facts(), any::<bool>());
        prop_oneof![
            1 => proptest::bool::weighted(0.8).prop_map(|roots| Step::Initialize { roots }),
            2 => Just(Step::Ready),
            6 => self.replies().prop_map(Step::Reply),
            1 => self.replies().prop_map(Step::StaleReply),
            2 => Just(Step::RootsChanged),
            2 => self.lists().prop_map(Step::Open),
            12 => ask.prop_map(|(ask_via, facts, explain)| Step::Ask { ask_via, facts, explain }),
            1 => Just(Step::AskRoots),
            2 => self.values().prop_map(Step::Select),
            1 => Just(Step::Unselect),
            1 => Just(Step::Withdraw),
            6 => vec(self.folders(), 0..2).prop_map(|missing| Step::Probe { missing }),
            3 => select([1_u32, 100, 300, 5_000, 60_000].as_slice()).prop_map(Step::Wait),
            1 => select(MESSAGES.as_slice()).prop_map(|text| Step::Message(text.to_owned())),
            1 => Just(Step::Close),
        ]
    }

    /// Sequences of up to this many steps. Most begin with the handshake of a client that has roots.
    pub fn steps(&self, most: usize) -> impl Strategy<Value = Vec<Step>> + use<> {
        let steps = vec(self.step(), 0..most.saturating_add(1));
        (proptest::bool::weighted(0.8), steps).prop_map(|(handshake, steps)| {
            let opening = [Step::Initialize { roots: true }, Step::Ready];
            let opening = opening.into_iter().take(if handshake { 2 } else { 0 });
            opening.chain(steps).collect()
        })
    }
}

fn raw(text: String) -> Option<Box<RawValue>> {
    RawValue::from_string(text).ok()
}

/// An answer as JSON text.
pub(super) fn json_of(reply: &Reply) -> String {
    match reply {
        Reply::Roots(uris) => {
            let roots: Vec<_> = uris.iter().map(|uri| serde_json::json!({ "uri": uri })).collect();
            serde_json::json!({ "roots": roots }).to_string()
        }
        Reply::Junk(text) => text.clone(),
        Reply::Error(_) | Reply::Abandoned => "null".to_owned(),
    }
}

/// Policies: every preset, and the recommended one with other rules.
pub fn policies() -> impl Strategy<Value = Policy> {
    let presets: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    let preset = select(presets).prop_filter_map("a preset", |name| Policy::preset(name).ok());
    let ask = select([RequestWhen::Eager, RequestWhen::Lazy, RequestWhen::EachRequest, RequestWhen::Never].as_slice());
    let pin = select([Pin::No, Pin::Sticky, Pin::Immutable].as_slice());
    let pick = select([Pick::First, Pick::Only].as_slice());
    let on_change = select([OnChange::Refetch, OnChange::Ignore].as_slice());
    let varied =
        (ask, pin, pick, on_change, 0_u32..4).prop_filter_map("a policy", |(ask, pin, pick, on_change, retries)| {
            let mut config = Policy::recommended().into_config();
            config.roots.ask = ask;
            config.roots.pick = pick;
            config.roots.on_change = on_change;
            config.memory.pin = pin;
            config.timing.retries = retries;
            Policy::try_from(config).ok()
        });
    prop_oneof![preset, varied]
}
