//! The policies that cases run with: small ones and the presets, with a few choices made differently.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use rootwise::policy::{
    BadOutcome, BarePaths, Elicit, EnforceRoots, Files, FindRepository, Format, Identity, Links, NameFrom, NameRule,
    Names, NonFile, NonObjects, OnChange, OnUnusable, Pick, Pin, Policy, PolicyConfig, RECOMMENDED, RequestWhen,
    RootMatch, Source, SourceKind, Traversal, Verify, Within,
};

/// Small policies after the seed systems, beside the recommended one.
const POLICIES: [&str; 6] = [
    RECOMMENDED,
    r#"{"name":"guide","sources":[{"from":"roots","verify":"none"},{"from":"remembered","verify":"none"},
        {"from":"env","read":["PWD"],"verify":"none","excludedDirs":"named"}],
        "roots":{"requireCapability":false,"onUnusable":"nextSource","nonFile":"nextSource","request":{"idPrefix":""}},
        "memory":{"keepLostRoot":true},"timing":{"minIntervalMs":0}}"#,
    r#"{"name":"agent","sources":[{"from":"roots"}],
        "roots":{"ask":"eager","request":{"idPrefix":"s-","emptyParams":true}},"timing":{"callerTimeoutMs":60000,"minIntervalMs":0}}"#,
    r#"{"name":"box","sources":[{"from":"server","format":"any","verify":"none"},{"from":"selected","verify":"none"},
        {"from":"roots","verify":"none"},{"from":"remembered"}],
        "roots":{"pick":"only","onChange":"ignore"},"selection":{"names":"any"}}"#,
    r#"{"name":"port","sources":[{"from":"header","read":["X-Workspace-Id"],"relative":"cwd","onBad":{"otherwise":"next"}},
        {"from":"selected"},{"from":"configured","read":["workspace-id"],"relative":"cwd"},{"from":"roots"},
        {"from":"cwd","when":{"transports":["stdio"]},"excludedDirs":"allow"}],
        "roots":{"pick":"only","onUnusable":"error","nonFile":"error","ambiguity":"next"},
        "memory":{"pin":"sticky","pinFrom":["roots"]},"selection":{"enforceRoots":"onSelect","rootMatch":"exactUri"}}"#,
    r#"{"name":"search","sources":[{"from":"roots","verify":"exists"},{"from":"query","read":["project_path"],"status":400},
        {"from":"remembered"},{"from":"env","read":["PROJECT","WORKSPACE_FOLDER_PATHS"],"format":"list"},
        {"from":"cwd","when":{"argument":"project-from-cwd"},"recheck":"eachAsk"}],
        "roots":{"ask":"eachRequest","onUnusable":"nextSource","onChange":"invalidate"},
        "hints":[{"sources":["env","cwd"],"once":true,"text":"Tip"},{"sources":["env"],"text":"Always"},{"sources":["cwd"],"withoutRoots":true,"text":"No roots"}],"reportDisagreement":true}"#,
];

/// The policies to start from: the small ones, and the presets that are there.
pub fn policies() -> Vec<Policy> {
    let mut policies: Vec<Policy> = POLICIES.iter().map(|text| Policy::from_json(text).unwrap()).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets");
    let mut presets: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    presets.sort();
    for preset in presets.iter().filter(|preset| preset.extension().is_some_and(|ext| ext == "json")) {
        policies.push(Policy::from_json(&std::fs::read_to_string(preset).unwrap()).unwrap());
    }
    policies
}

/// A policy with a few of its choices made differently.
pub fn policy() -> impl Strategy<Value = Policy> {
    let change = prop_oneof![
        select(vec![RequestWhen::Eager, RequestWhen::Lazy, RequestWhen::EachRequest, RequestWhen::Never])
            .prop_map(|ask| Twist::new(move |p| p.roots.ask = ask)),
        select(vec![Pick::First, Pick::Only]).prop_map(|pick| Twist::new(move |p| p.roots.pick = pick)),
        select(vec![OnUnusable::Accept, OnUnusable::NextRoot, OnUnusable::NextSource, OnUnusable::Error])
            .prop_map(|rule| Twist::new(move |p| p.roots.on_unusable = rule)),
        select(vec![NonFile::Skip, NonFile::NextSource, NonFile::Error, NonFile::NameOnly])
            .prop_map(|rule| Twist::new(move |p| p.roots.non_file = rule)),
        select(vec![BarePaths::Repair, BarePaths::Refuse])
            .prop_map(|rule| Twist::new(move |p| p.roots.bare_paths = rule)),
        select(vec![Files::Parent, Files::Refuse]).prop_map(|rule| Twist::new(move |p| p.roots.files = rule)),
        select(vec![BadOutcome::Next, BadOutcome::Error])
            .prop_map(|rule| Twist::new(move |p| p.roots.ambiguity = rule)),
        select(vec![OnChange::Ignore, OnChange::Invalidate, OnChange::Refetch])
            .prop_map(|rule| Twist::new(move |p| p.roots.on_change = rule)),
        any::<bool>().prop_map(|on| Twist::new(move |p| p.roots.require_capability = on)),
        select(vec![None, Some(0), Some(500), Some(1_000)])
            .prop_map(|age| Twist::new(move |p| p.timing.max_age_ms = age)),
        select(vec![Within::Anywhere, Within::KnownFolders]).prop_map(|within| Twist::new(move |p| {
            let named = |kind: SourceKind| !matches!(kind, SourceKind::Roots | SourceKind::Configured);
            let single = |source: &&mut Source| named(source.from) && source.format != Format::List;
            for source in p.sources.iter_mut().filter(single) {
                source.within = Some(within);
            }
        })),
        select(vec![None, Some(false), Some(true)]).prop_map(|dedicated| Twist::new(move |p| {
            for source in &mut p.sources {
                source.when.dedicated = dedicated;
            }
        })),
        select(vec![Pin::No, Pin::Sticky, Pin::Immutable]).prop_map(|pin| Twist::new(move |p| {
            p.memory.pin = pin;
            if pin == Pin::No {
                p.memory.pin_from.clear();
            }
        })),
        any::<bool>().prop_map(|on| Twist::new(move |p| p.memory.keep_lost_root = on)),
        select(vec![Verify::None, Verify::Exists, Verify::Directory]).prop_map(|verify| Twist::new(move |p| {
            for source in p.sources.iter_mut().filter(|source| source.from == SourceKind::Roots) {
                source.verify = verify;
            }
        })),
        select(vec![Verify::None, Verify::Directory]).prop_map(|verify| Twist::new(move |p| {
            for source in &mut p.sources {
                source.verify = verify;
            }
        })),
        select(vec![BadOutcome::Next, BadOutcome::Error]).prop_map(|outcome| Twist::new(move |p| {
            for source in p.sources.iter_mut().filter(|source| source.from != SourceKind::Roots) {
                source.on_bad.otherwise = Some(outcome);
            }
        })),
        select(vec![Links::Keep, Links::Follow]).prop_map(|links| Twist::new(move |p| {
            for source in p.sources.iter_mut().filter(|source| source.verify != Verify::None) {
                source.links = links;
            }
        })),
        select(vec![NonObjects::Skip, NonObjects::EmptyList])
            .prop_map(|rule| Twist::new(move |p| p.roots.non_objects = rule)),
        Just(Format::Path).prop_map(|format| Twist::new(move |p| {
            for source in p.sources.iter_mut().filter(|source| source.format == Format::PathOrUri) {
                source.format = format;
            }
        })),
        select(vec![EnforceRoots::Off, EnforceRoots::OnSelect])
            .prop_map(|rule| Twist::new(move |p| p.selection.enforce_roots = rule)),
        select(vec![RootMatch::Key, RootMatch::ExactUri])
            .prop_map(|rule| Twist::new(move |p| p.selection.root_match = rule)),
        select(vec![Names::Roots, Names::Any]).prop_map(|rule| Twist::new(move |p| p.selection.names = rule)),
        select(vec![NameRule::Any, NameRule::Word]).prop_map(|rule| Twist::new(move |p| p.selection.name_rule = rule)),
        select(vec![Traversal::Resolve, Traversal::Refuse])
            .prop_map(|rule| Twist::new(move |p| p.selection.traversal = rule)),
        select(vec![NameFrom::Basename, NameFrom::RootName]).prop_map(|rule| Twist::new(move |p| p.name_from = rule)),
        any::<bool>().prop_map(|yes| Twist::new(move |p| p.require_path = yes)),
        (0..4_u32).prop_map(|retries| Twist::new(move |p| p.timing.retries = retries)),
        select(vec![0, 100, 400]).prop_map(|interval| Twist::new(move |p| p.timing.min_interval_ms = interval)),
        select(vec![(300, 300), (300, 1_000), (1_000, 1_500)]).prop_map(|(wait, life)| Twist::new(move |p| {
            p.timing.caller_timeout_ms = wait;
            p.timing.request_timeout_ms = life;
        })),
        select(vec![0, 1, 2]).prop_map(|most| Twist::new(move |p| p.limits.waiting_asks = most)),
        select(vec![1, 2]).prop_map(|most| Twist::new(move |p| p.limits.roots = most)),
        any::<prop::sample::Index>().prop_map(|from| Twist::new(move |p| {
            // Another order of the sources.
            let at = from.index(p.sources.len());
            p.sources.rotate_left(at);
        })),
    ];
    let asks_user = select(vec![Elicit::Never, Elicit::Never, Elicit::Ambiguous, Elicit::Unresolved])
        .prop_map(|when| Twist::new(move |p| p.elicit = when));
    // Often, because only some folders of a case are in a repository, and fewer are in one with a remote.
    let identity = select(vec![None, None, Some(Identity::Repository), Some(Identity::Remote)]);
    let find = select(vec![None, None, Some(FindRepository::Local), Some(FindRepository::Remote)]);
    let packages = select(vec![vec![], vec!["package.json"], vec!["Cargo.toml", "package.json"]]);
    let looks = (identity, find, packages).prop_map(|(identity, find, packages)| {
        Twist::new(move |p| {
            p.identity = identity.unwrap_or(p.identity);
            p.repository = find.unwrap_or(p.repository);
            p.packages = packages.iter().map(|name| (*name).to_owned()).collect();
        })
    });
    (select(policies()), vec(change, 0..4), asks_user, looks).prop_map(|(policy, mut twists, asks_user, looks)| {
        twists.extend([asks_user, looks]);
        let mut policy = policy;
        for twist in twists {
            let mut twisted = policy.clone().into_config();
            (twist.0)(&mut twisted);
            if let Ok(twisted) = Policy::try_from(twisted) {
                policy = twisted;
            }
        }
        policy
    })
}

/// A change to a policy.
#[derive(Clone)]
struct Twist(std::rc::Rc<dyn Fn(&mut PolicyConfig)>);

impl Twist {
    fn new(change: impl Fn(&mut PolicyConfig) + 'static) -> Self {
        Self(std::rc::Rc::new(change))
    }
}

impl std::fmt::Debug for Twist {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Twist")
    }
}
