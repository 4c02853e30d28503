//! The public kit for property tests, with every kind of policy; and that it finds what it is there to find.
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use rootwise::event::{AskWithdrawn, Asked, Event};
use rootwise::policy::SourceKind;
use rootwise::testing::{Client, Disk, Player, Reply, Scene, Step, client_like, policies};
use rootwise::{AskId, HostFacts, Outcome, PathStyle, Policy};

fn config() -> Config {
    Config { cases: 256, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..Config::default() }
}

fn host() -> HostFacts {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.cwd = Some("/work/app".into());
    host.excluded_dirs.home = vec!["/home/me".into()];
    host
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_policy_survives_any_sequence(policy in policies(), steps in Scene::default().steps(40), confined in any::<bool>()) {
        let mut host = host();
        if confined {
            host.allowed_dirs = Some(vec!["/work".into()]);
        }
        let mut player = Player::new(policy, host)?;
        for step in &steps {
            player.play(step)?;
        }
        player.finish()?;
    }
}

/// The project and its source that a server of this client gets, and how long that takes.
fn like(name: &str) -> (Option<(String, SourceKind)>, u32) {
    let like = client_like(name, ["/work/shop", "/work/api"], PathStyle::Posix).unwrap();
    let mut host = HostFacts::new(PathStyle::Posix);
    host.excluded_dirs.home = vec!["/home/user".into()];
    like.start(&mut host);
    let disk = Disk::new(PathStyle::Posix).file("/work/shop/.git").folder("/work/api").folder("/home/user");
    let mut player = Player::new(Policy::recommended(), host).unwrap().disk(disk).client(like.client).unwrap();
    player.play(&Step::ask()).unwrap();
    let mut waited = 0_u32;
    while player.answers().is_empty() {
        player.play(&Step::Wait(1_000)).unwrap();
        waited = waited.saturating_add(1_000);
    }
    let outcome = &player.answers().values().next_back().unwrap().outcome;
    let project = match outcome {
        Outcome::Resolved { project } => Some((project.path.clone().unwrap(), project.source)),
        _ => None,
    };
    player.finish().unwrap();
    (project, waited)
}

#[test]
fn known_clients_behave_as_the_table_says() {
    let shop = |source| Some(("/work/shop".to_owned(), source));
    assert_eq!(like("claude-code"), (shop(SourceKind::Roots), 0));
    assert_eq!(like("opencode"), (shop(SourceKind::Roots), 0));
    assert_eq!(like("cursor"), (shop(SourceKind::Env), 5_000));
    assert_eq!(like("zed"), (shop(SourceKind::Cwd), 0));
    // Its calls name the repository.
    assert_eq!(like("codex"), (shop(SourceKind::Meta), 0));
    assert_eq!(like("goose"), (shop(SourceKind::Meta), 0));
    assert_eq!(like("vs-code"), (shop(SourceKind::Roots), 0));
    assert_eq!(like("cline"), (None, 0));
    assert_eq!(like("claude-desktop"), (None, 0));
    let unknown = client_like("crusor", ["/work"], PathStyle::Posix).unwrap_err();
    assert!(unknown.problem.contains("`cursor`"), "{unknown}");
    assert_eq!(client_like("cursor", ["work"], PathStyle::Posix).unwrap_err().place, "folders[0]");
}

/// The last answer to a client that has two folders open, under a policy that asks the user which one, and how many calls that took.
fn asked_for_one_of_two(mut client: Client, form: Option<&str>) -> (Outcome, usize) {
    let policy = r#"{ "name": "asking", "sources": [{ "from": "selected" }, { "from": "roots" }], "roots": { "pick": "only" }, "elicit": "ambiguous" }"#;
    let disk = Disk::new(PathStyle::Posix).folder("/work/shop").folder("/work/api");
    if let Some(form) = form {
        client.form = Some(Reply::Junk(form.to_owned()));
    }
    let mut player = Player::new(Policy::from_json(policy).unwrap(), HostFacts::new(PathStyle::Posix)).unwrap();
    player = player.disk(disk).client(client).unwrap();
    player.play(&Step::ask()).unwrap();
    player.play(&Step::Wait(600_000)).unwrap();
    let calls = player.answers().len();
    let last = player.answers().values().next_back().unwrap().outcome.clone();
    player.finish().unwrap();
    (last, calls)
}

#[test]
fn a_client_of_either_revision_answers_forms() {
    let modern = || client_like("claude-code", ["/work/shop", "/work/api"], PathStyle::Posix).unwrap().client;
    let legacy = || {
        let mut client = modern();
        (client.modern, client.meta) = (false, None);
        client
    };
    let api = r#"{ "action": "accept", "content": { "project": "api" } }"#;
    let is_api = |outcome: &Outcome| matches!(outcome, Outcome::Resolved { project } if project.name == "api");
    // Its calls are made again: with its roots, then with its user's choice.
    let (outcome, calls) = asked_for_one_of_two(modern(), Some(api));
    assert!(is_api(&outcome) && calls == 3, "{calls} calls: {outcome:?}");
    let (outcome, calls) = asked_for_one_of_two(legacy(), Some(api));
    assert!(is_api(&outcome) && calls == 1, "{calls} calls: {outcome:?}");
    for (client, expected) in [(modern(), 3), (legacy(), 1)] {
        let (outcome, calls) = asked_for_one_of_two(client, None);
        assert!(matches!(outcome, Outcome::Unresolved(_)) && calls == expected, "{calls} calls: {outcome:?}");
    }
    // Nobody answers, and the call is not made again.
    let mut silent = modern();
    silent.form = None;
    let (outcome, calls) = asked_for_one_of_two(silent, None);
    assert!(matches!(outcome, Outcome::NeedsInput { .. }) && calls == 2, "{calls} calls: {outcome:?}");
}

#[test]
fn a_played_session_is_what_it_says() {
    let mut player = Player::new(Policy::recommended(), host()).unwrap();
    let steps = [
        Step::Initialize { roots: true },
        Step::Ready,
        Step::ask(),
        Step::Probe { missing: vec![] },
        Step::Reply(Reply::Roots(vec!["file:///work/api".into()])),
        Step::Probe { missing: vec![] },
    ];
    for step in &steps {
        player.play(step).unwrap();
    }
    let answer = player.answers().get(&AskId(1)).unwrap();
    let Outcome::Resolved { project } = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(project.path.as_deref(), Some("/work/api"));
    player.finish().unwrap();
}

#[test]
fn a_violation_tells_the_events_that_led_to_it() {
    let mut player = Player::new(Policy::recommended(), host()).unwrap();
    player.play(&Step::Initialize { roots: true }).unwrap();
    player.feed(Asked::new(7)).unwrap();
    // The host uses the id of an ask that waits.
    let violation = player.feed(Asked::new(7)).unwrap_err();
    assert!(violation.what.contains("ask 7 is still waiting"), "{violation}");
    assert_eq!(violation.events, 3);
    assert!(violation.history.contains("ClientInitialized"));
    player.feed(Event::AskWithdrawn(AskWithdrawn::new(7))).unwrap();
    player.finish().unwrap();
}

type Case = (HostFacts, Client, Vec<Step>);

/// Plays generated cases on the sample disk of a system; returns the first one that fails the check, made small.
fn failing_case(
    style: PathStyle,
    confine: Option<&str>,
    check: impl Fn(&Player) -> Result<(), TestCaseError>,
) -> Option<Case> {
    let policy = Arc::new(Policy::recommended());
    let scene = Scene::new(Disk::sample(style), &policy);
    let mut runner = TestRunner::new(config());
    let result = runner.run(&(scene.hosts(), scene.clients(), scene.steps(30)), |(mut host, client, steps)| {
        host.allowed_dirs = confine.map(|folder| vec![folder.to_owned()]);
        let mut player = Player::new(policy.clone(), host)?.disk(scene.disk().clone()).client(client)?;
        for step in &steps {
            player.play(step)?;
        }
        check(&player)?;
        Ok(player.finish()?)
    });
    match result {
        Ok(()) => None,
        Err(TestError::Fail(_, case)) => Some(case),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_source_of_the_recommended_policy_wins_now_and_then() {
    for style in [PathStyle::Posix, PathStyle::Windows] {
        let winners = RefCell::new(BTreeMap::<SourceKind, u32>::new());
        let failing = failing_case(style, None, |player| {
            for answer in player.answers().values() {
                if let Outcome::Resolved { project } = &answer.outcome {
                    *winners.borrow_mut().entry(project.source).or_default() += 1;
                }
            }
            Ok(())
        });
        assert!(failing.is_none(), "{failing:?}");
        let winners = winners.into_inner();
        let wanted: BTreeSet<SourceKind> =
            Policy::recommended().config().sources.iter().map(|source| source.from).collect();
        assert_eq!(winners.keys().copied().collect::<BTreeSet<_>>(), wanted, "{winners:?}");
        // The source that most servers rely on is no rarity.
        let all: u32 = winners.values().sum();
        assert!(winners.get(&SourceKind::Roots).copied().unwrap_or_default() * 10 > all, "{winners:?}");
    }
}

#[test]
fn a_property_that_links_break_is_found_broken_and_one_that_holds_is_not() {
    let is_below_work = |player: &Player| {
        let project = player.resolver().project();
        let real = project.and_then(|project| project.real_path.as_deref());
        prop_assert!(real.is_none_or(|real| real.starts_with("/work")), "{real:?}");
        Ok(())
    };
    assert!(failing_case(PathStyle::Posix, Some("/work"), is_below_work).is_none());
    assert!(failing_case(PathStyle::Posix, None, is_below_work).is_some());
    let follows_no_link = |player: &Player| {
        let project = player.resolver().project();
        prop_assert!(project.is_none_or(|project| project.real_path.is_none() || project.real_path == project.path));
        Ok(())
    };
    let (_, client, steps) = failing_case(PathStyle::Windows, None, follows_no_link).unwrap();
    // What it found is as small as the fault: one link, one ask.
    assert!(steps.len() <= 3, "{client:?} {steps:?}");
}

#[test]
fn clients_that_go_wrong_cost_what_the_policy_allows() {
    let outcome = |client: Client, waits: &[u32]| {
        let mut host = host();
        host.env.insert("CLAUDE_PROJECT_DIR".into(), "/work/app".into());
        let disk = Disk::sample(PathStyle::Posix);
        let mut player = Player::new(Policy::recommended(), host).unwrap().disk(disk).client(client).unwrap();
        player.play(&Step::ask()).unwrap();
        for ms in waits {
            player.play(&Step::Wait(*ms)).unwrap();
        }
        let path = player.resolver().project().and_then(|project| project.path.clone());
        player.finish().unwrap();
        path
    };
    let roots = ["file:///work/api"];
    assert_eq!(outcome(Client::prompt(roots), &[]).as_deref(), Some("/work/api"));
    assert_eq!(outcome(Client::without_roots(), &[]).as_deref(), Some("/work/app"));
    assert_eq!(outcome(Client::silent(), &[]), None);
    assert_eq!(outcome(Client::silent(), &[60_000]).as_deref(), Some("/work/app"));
    assert_eq!(outcome(Client::late(50, roots), &[49]), None);
    assert_eq!(outcome(Client::late(50, roots), &[49, 1]).as_deref(), Some("/work/api"));
}

#[test]
fn a_disk_follows_links_and_knows_markers() {
    use rootwise::event::Probed;

    let disk = Disk::sample(PathStyle::Windows).link(r"C:\loop", r"C:\loop");
    assert_eq!(disk.real_path(r"c:\WORK\link").as_deref(), Some(r"C:\work\api"));
    assert_eq!(disk.real_path(r"C:\work\out\..\link").as_deref(), Some(r"C:\work\api"));
    assert_eq!(disk.real_path(r"C:\loop\x"), None);
    assert_eq!(disk.real_path(r"C:\work\dangling"), None);
    assert!(
        disk.folders().contains(&r"C:\work\out".to_owned())
            && !disk.folders().contains(&r"C:\work\dangling".to_owned())
    );
    assert_eq!(disk.without(r"C:\work").real_path(r"C:\work\link"), None);

    // The walk from the working directory finds the marker, and the link counts by its spelling.
    let disk = Disk::sample(PathStyle::Posix);
    let mut host = host();
    host.cwd = Some("/work/app/sub".into());
    let mut player =
        Player::new(Policy::recommended(), host).unwrap().disk(disk).client(Client::without_roots()).unwrap();
    player.play(&Step::ask()).unwrap();
    assert_eq!(player.resolver().project().unwrap().path.as_deref(), Some("/work/app"));
    // A disk has answered every probe; steps have nothing left to answer.
    assert!(player.play(&Step::Probe { missing: vec![] }).unwrap().is_empty());
    let unknown = player.feed(Event::from(Probed::new(99, vec![]))).unwrap_err();
    assert!(unknown.what.contains("probe 99"), "{unknown}");
}
