//! Properties over sequences of events: the machine against its second model, and what must hold of any sequence.
//!
//! A normal run takes [`CASES`] cases of up to [`STEPS`] events against the model and [`PROPERTY_CASES`] for each other property,
//! with a new seed each time. `ROOTWISE_CASES` sets another number, and `ROOTWISE_SEED` repeats the seed that a failure prints:
//!
//! ```text
//! ROOTWISE_CASES=1000000 cargo test --release -p rootwise --test sequences model -- --nocapture
//! ```
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::or_fun_call,
    clippy::use_self,
    clippy::panic,
    clippy::unreachable,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a test stops at the first surprise"
)]

#[allow(clippy::large_enum_variant, clippy::result_large_err, reason = "the model may be slow")]
mod oracle;
#[path = "oracle/single.rs"]
mod single;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use oracle::compare::{effects, left_out_notices, rank, views};
use oracle::generate::{Act, Case, Step, Time, case};
use oracle::model::Oracle;
use oracle::run::{Done, after_every_step, ask_of, config, number, replay, resolver, run, seed};
use oracle::shown::{count, shown};
use oracle::world::World;
use oracle::{Effects, Out};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use rootwise::action::{Action, RootsState};
use rootwise::event::{AskVia, AskWithdrawn, EntryKind, Event, RefusalKind, RequestFacts, RequestRefused, RootsListed};
use rootwise::host::{HostFacts, Transport};
use rootwise::path::PathStyle;
use rootwise::policy::{Pin, Policy, SourceKind};
use rootwise::{RequestToken, Resolver};

/// Cases against the model.
const CASES: u64 = 20_000;
/// Cases with one seed.
const BATCH: u64 = 500;
/// Cases for each other property.
const PROPERTY_CASES: u32 = 256;
/// Events per case.
const STEPS: usize = 40;

fn is_modern(by: Option<AskVia>, facts: &RequestFacts) -> bool {
    Oracle::new(Policy::recommended(), HostFacts::new(PathStyle::Posix)).history.manner(by, facts).1
}

/// Whether the machine does what the model predicts; if not, the events up to the difference.
fn compare(case: &Case) -> Result<(), TestCaseError> {
    let mut machine = resolver(case);
    let mut oracle = Oracle::new(case.policy.clone(), case.host.clone());
    let mut world = World::default();
    let mut trace = String::new();
    for step in &case.steps {
        let (event, now) = world.event(case, step);
        trace.push_str(&format!("\n@{now} {event:?}"));
        let mut expected = oracle.step(&event, now);
        if let Ok(effects) = &mut expected {
            effects.answers.sort_by_key(|(ask, ..)| *ask);
        }
        let got = machine.handle(event.clone(), now);
        match (&expected, &got) {
            (Err(code), Err(misuse)) => prop_assert_eq!(*code, misuse.code(), "{}", trace),
            (Ok(expected), Ok(actions)) => {
                let mut seen = effects(actions);
                trace.push_str(&format!("\n    -> {seen:?}"));
                count(&seen);
                if left_out_notices(actions) {
                    seen.notices = expected.notices.clone();
                }
                prop_assert_eq!(expected, &seen, "model (left) and machine (right) differ after{}", trace);
                world.observe(&event, now, &seen, machine.deadline().map(|at| at.0));
            }
            _ => prop_assert!(false, "model {expected:?}, machine {got:?} after{trace}"),
        }
        let (expected, seen) = (oracle.views(), views(&machine));
        prop_assert_eq!(expected, seen, "views of model (left) and machine (right) differ after{}", trace);
    }
    Ok(())
}

/// Compares batches of cases on all cores; every batch has a seed of its own, counted from the first.
#[test]
fn the_machine_does_what_the_model_predicts() {
    let (cases, seed) = (number("ROOTWISE_CASES").unwrap_or(CASES), seed());
    let batches = cases.div_ceil(BATCH);
    let (next, differing) = (AtomicU64::new(0), AtomicU64::new(0));
    let started = std::time::Instant::now();
    let work = || {
        while let batch = next.fetch_add(1, Ordering::Relaxed)
            && batch < batches
        {
            let left = cases - batch * BATCH;
            let config = Config {
                cases: left.min(BATCH) as u32,
                rng_seed: RngSeed::Fixed(seed.wrapping_add(batch)),
                ..config(0)
            };
            if let Err(failure) = TestRunner::new(config).run(&case(STEPS), |case| compare(&case)) {
                differing.fetch_add(1, Ordering::Relaxed);
                println!("ROOTWISE_SEED={} ROOTWISE_CASES={BATCH} differs: {failure}", seed.wrapping_add(batch));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let shown = shown();
    println!("{cases} cases with {shown:?}, seed {seed}, {} s", started.elapsed().as_secs());
    let missing = shown.iter().find(|(_, shown)| *shown == 0).filter(|_| cases >= CASES);
    assert_eq!(missing, None, "the cases do not show this");
    assert_eq!(differing.into_inner(), 0, "batches in which machine and model differ");
}

proptest! {
    #![proptest_config(config(PROPERTY_CASES))]

    #[test]
    fn actions_come_in_the_fixed_order_and_are_bounded(case in case(STEPS)) {
        for done in run(&case) {
            let actions = done.actions.unwrap_or_default();
            prop_assert!(actions.is_sorted_by_key(rank), "order of {actions:?}");
            let others = actions.iter().filter(|action| !matches!(action, Action::Answer(_))).count();
            prop_assert!(others <= case.policy.config().limits.actions as usize, "{others} actions for {:?}", done.event);
            let seen = effects(&actions);
            let asked = seen.send.len() <= 1 && seen.forms.len() <= 1;
            // A request for roots and a form can end at the same time.
            prop_assert!(asked && seen.probe.len() <= 1 && seen.cancel.len() <= 2 && seen.announce.len() <= 1);
        }
    }

    #[test]
    fn no_project_is_ever_outside_the_allowed_folders(case in case(STEPS)) {
        let mut case = case;
        case.host.allowed_dirs = Some(vec!["/p".to_owned()]);
        let mut host = case.host.clone();
        for done in run(&case) {
            let Some(actions) = done.actions else { continue };
            if let Event::HostFactsChanged(changed) = &done.event {
                host = changed.facts.clone();
            }
            let projects = actions.iter().filter_map(|action| match action {
                Action::Answer(answer) => match &answer.outcome {
                    rootwise::Outcome::Resolved { project }
                    | rootwise::Outcome::Selected { project, .. }
                    | rootwise::Outcome::Cleared { project: Some(project), .. } => Some(project),
                    _ => None,
                },
                Action::Announce(announce) => announce.to.as_ref(),
                _ => None,
            });
            let Some(allowed) = &host.allowed_dirs else { continue };
            let inside = |path: &str| allowed.iter().any(|dir| rootwise::path::is_inside(dir, path, host.style));
            for project in projects.filter(|project| project.path.is_some()) {
                let real = project.real_path.as_deref().unwrap_or_default();
                prop_assert!(project.path.as_deref().is_some_and(inside) && inside(real), "{:?}", project);
            }
        }
    }

    #[test]
    fn within_allowed_folders_every_answer_rests_on_a_look_at_the_disk_since_its_ask(case in case(STEPS)) {
        let mut case = case;
        case.host.allowed_dirs = Some(vec!["/p".to_owned()]);
        let mut host = case.host.clone();
        // The real paths that were reported since each ask.
        let mut reported: BTreeMap<u32, BTreeSet<(String, Option<String>)>> = BTreeMap::new();
        for done in run(&case) {
            let Some(actions) = done.actions else { continue };
            match &done.event {
                Event::HostFactsChanged(changed) => host = changed.facts.clone(),
                Event::Probed(probed) => {
                    let paths = probed.paths.iter().map(|path| (path.path.clone(), path.real_path.clone()));
                    let paths: BTreeSet<_> = paths.collect();
                    reported.values_mut().for_each(|known| known.extend(paths.iter().cloned()));
                }
                event => {
                    reported.extend(ask_of(event).map(|ask| (ask, BTreeSet::new())));
                }
            }
            for action in &actions {
                let Action::Answer(answer) = action else { continue };
                let (rootwise::Outcome::Resolved { project }
                | rootwise::Outcome::Selected { project, .. }
                | rootwise::Outcome::Cleared { project: Some(project), .. }) = &answer.outcome else {
                    continue;
                };
                if let (Some(path), Some(_)) = (&project.path, &host.allowed_dirs) {
                    let look = (path.clone(), project.real_path.clone());
                    let followed = project.real_path.as_ref() == Some(path);
                    for ask in &answer.asks {
                        let known = reported.get(&ask.0).is_some_and(|known| {
                            known.contains(&look) || (followed && known.iter().any(|(_, real)| real.as_ref() == Some(path)))
                        });
                        prop_assert!(known, "nobody checked {:?} for ask {}", project, ask);
                    }
                }
            }
        }
    }

    #[test]
    fn no_answer_rests_on_old_knowledge_without_saying_so(case in case(STEPS)) {
        let Some(most) = case.policy.config().timing.max_age_ms.map(u64::from) else { return Ok(()) };
        let (mut clock, mut trace) = (0, String::new());
        // When lists arrived, when each path was reported, and when each ask came.
        let mut lists: Vec<u64> = Vec::new();
        let mut reports: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut asks: BTreeMap<u32, u64> = BTreeMap::new();
        for done in run(&case) {
            let Some(actions) = done.actions else { continue };
            clock = done.now.max(clock);
            trace.push_str(&format!("\n@{clock} {:?}\n    -> {:?}", done.event, effects(&actions)));
            match &done.event {
                Event::RootsListed(_) | Event::Message(_) => lists.push(clock),
                Event::Probed(probed) => {
                    for path in &probed.paths {
                        let real = path.real_path.iter().cloned();
                        // What is above a file is a folder.
                        let above = rootwise::path::parent(&path.path, PathStyle::Posix).filter(|_| path.found == EntryKind::File);
                        for path in real.chain([path.path.clone()]).chain(above) {
                            reports.entry(path).or_default().push(clock);
                        }
                    }
                }
                // A deadline may accept a list that was held back for 250 ms.
                Event::DeadlineReached => lists.push(clock.saturating_sub(250)),
                event => asks.extend(ask_of(event).map(|ask| (ask, clock))),
            }
            for action in &actions {
                let Action::Answer(answer) = action else { continue };
                let rootwise::Outcome::Resolved { project } = &answer.outcome else { continue };
                for ask in answer.asks.iter().filter(|_| !project.stale) {
                    let since = asks.get(&ask.0).copied().unwrap_or(0);
                    let counts = |at: &u64| *at >= since || clock - *at < most;
                    let is_modern = project.source == SourceKind::Roots && lists.is_empty();
                    // A pinned project does not follow the list (rule 16).
                    let may_be_pinned = case.policy.config().memory.pin != Pin::No;
                    if project.source == SourceKind::Roots && !is_modern && !may_be_pinned && project.root.is_some() {
                        // A modern ask brings its list itself.
                        let own = case.steps.iter().any(|step| matches!(&step.act, Act::Ask { facts, .. } | Act::Clear { facts, .. } if facts.input_responses.is_some()));
                        prop_assert!(own || lists.iter().any(counts), "an old list for ask {ask} after{trace}");
                    }
                    if let (Some(path), Some(_)) = (&project.path, &project.real_path) {
                        let known = reports.get(path).is_some_and(|times| times.iter().any(counts));
                        prop_assert!(known, "an old report on {path} for ask {ask} after{trace}");
                    }
                }
            }
        }
    }

    #[test]
    fn once_several_clients_have_shown_themselves_nothing_of_one_client_counts(case in case(STEPS)) {
        let mut machine = resolver(&case);
        let mut world = World::default();
        let mut shown = false;
        for step in &case.steps {
            let (event, now) = world.event(&case, step);
            let Ok(actions) = machine.handle(event.clone(), now) else { continue };
            shown |= machine.roots().state == RootsState::SeveralClients;
            let modern = match &event {
                Event::Asked(asked) => is_modern(asked.ask_via, &asked.facts),
                _ => true,
            };
            for action in &actions {
                let Action::Answer(answer) = action else { continue };
                if let rootwise::Outcome::Resolved { project }
                | rootwise::Outcome::Cleared { project: Some(project), .. } = &answer.outcome
                    && shown
                {
                    let kept = matches!(project.source, SourceKind::Selected | SourceKind::Remembered);
                    let roots = project.source == SourceKind::Roots && !modern;
                    let process = matches!(project.source, SourceKind::Env | SourceKind::Cwd);
                    let said = case.policy.config().sources.iter().any(|source| source.from == project.source && source.when.dedicated == Some(false));
                    prop_assert!(!kept && !roots && (!process || said), "{:?}", project);
                }
                let is_selected = matches!(answer.outcome, rootwise::Outcome::Selected { .. });
                prop_assert!(!shown || !is_selected);
            }
            world.observe(&event, now, &effects(&actions), machine.deadline().map(|at| at.0));
        }
    }

    #[test]
    fn at_most_one_request_is_outstanding(case in case(STEPS)) {
        let mut outstanding: Option<u32> = None;
        let mut initialized = false;
        for done in run(&case) {
            let Some(actions) = done.actions else { continue };
            let seen = effects(&actions);
            let over = match &done.event {
                Event::RootsListed(listed) => listed.request.map(|token| token.0),
                Event::RequestRefused(refused) => Some(refused.request.0),
                Event::Closed => outstanding,
                Event::ClientInitialized(_) => outstanding.filter(|_| initialized),
                // A raw message may hold the answer, or a second `initialize`.
                Event::Message(message) => {
                    let id = outstanding.map(|token| format!("{}{token}", case.policy.config().roots.request.id_prefix));
                    let answered = id.is_some_and(|id| message.text.contains(&format!("\"id\":\"{id}\"")) || message.text.contains(&format!("\"id\":{id},")));
                    outstanding.filter(|_| answered || message.text.contains("\"initialize\""))
                }
                _ => None,
            };
            initialized |= matches!(&done.event, Event::ClientInitialized(_)) || matches!(&done.event, Event::Message(message) if message.text.contains("\"initialize\""));
            for token in over.into_iter().chain(seen.cancel.iter().map(|(token, _)| *token)) {
                if outstanding == Some(token) {
                    outstanding = None;
                }
            }
            for (token, ..) in &seen.send {
                prop_assert_eq!(outstanding, None, "request {} was sent while another was outstanding", token);
                outstanding = Some(*token);
            }
        }
    }

    #[test]
    fn the_end_of_a_stream_ends_no_ask_of_another_call(case in case(STEPS)) {
        let mut carrier = None;
        after_every_step(&case, |machine, world, seen, trace| {
            carrier = seen.send.last().map_or(carrier, |(_, carrier, _)| *carrier);
            // An overdue request that is abandoned counts as one without an answer.
            if machine.roots().state != RootsState::Pending {
                return Ok(());
            }
            let answers = |event: Event| effects(&machine.clone().handle(event, 0).unwrap()).answers;
            let asks = |answers: &[(u32, Out, Vec<String>)]| answers.iter().map(|(ask, ..)| *ask).collect::<BTreeSet<_>>();
            let (request, kind) = (world.tokens, RefusalKind::Abandoned);
            let mut after = answers(Event::RequestRefused(RequestRefused::new(request, kind)));
            // The last list is stale then (rule 14), so that a call of 2026-07-28 asks its client again (rule 4).
            after.retain(|(_, out, _)| !matches!(out, Out::NeedsInput(_)));
            // A selection that goes on without roots (rule 47) is the answer for everybody who waits.
            if after.iter().any(|(_, out, _)| matches!(out, Out::Selected(_))) {
                return Ok(());
            }
            let ended = asks(&after);
            // Any event may end an ask that can end.
            let anyway = asks(&answers(Event::AskWithdrawn(AskWithdrawn::new(u32::MAX))));
            let others: Vec<_> = ended.difference(&anyway).filter(|ask| Some(**ask) != carrier).collect();
            prop_assert!(others.is_empty(), "{others:?} ended with the request of {carrier:?} after{trace}");
            Ok(())
        })?;
    }

    #[test]
    fn every_ask_is_answered_exactly_once_and_never_after_it_was_withdrawn(case in case(STEPS)) {
        let mut case = case;
        case.steps.push(Step { time: Time::By(1), act: Act::Closed });
        let mut waiting: BTreeSet<u32> = BTreeSet::new();
        for done in run(&case) {
            let Some(actions) = done.actions else { continue };
            if let Some(ask) = ask_of(&done.event) {
                prop_assert!(waiting.insert(ask), "ask {ask} was taken twice");
            }
            if let Event::AskWithdrawn(withdrawn) = &done.event {
                waiting.remove(&withdrawn.ask.0);
            }
            for (ask, ..) in effects(&actions).answers {
                prop_assert!(waiting.remove(&ask), "ask {ask} was answered without waiting");
            }
        }
        prop_assert!(waiting.is_empty(), "never answered: {waiting:?}");
    }

    #[test]
    fn a_refused_event_changes_nothing(case in case(STEPS)) {
        let mut machine = resolver(&case);
        let mut world = World::default();
        for step in &case.steps {
            let (event, now) = world.event(&case, step);
            let before = format!("{machine:?}");
            // Far ahead, so that a clock that moved would show.
            let far = now + 1_000_000;
            let wrong = Event::Probed(rootwise::event::Probed::new(1_000, Vec::new()));
            prop_assert!(machine.handle(wrong, far).is_err());
            prop_assert_eq!(&before, &format!("{machine:?}"));
            match machine.handle(event.clone(), now) {
                Ok(actions) => world.observe(&event, now, &effects(&actions), machine.deadline().map(|at| at.0)),
                Err(_) => prop_assert_eq!(&before, &format!("{machine:?}")),
            }
        }
    }

    #[test]
    fn the_same_events_give_the_same_answers(case in case(STEPS), cut in any::<prop::sample::Index>()) {
        let done = run(&case);
        let first: Vec<_> = done.iter().map(|done| done.actions.clone()).collect();
        let mut again = resolver(&case);
        prop_assert_eq!(&first, &replay(&mut again, &done));
        // A copy made on the way goes on like the original, which is not disturbed.
        let cut = cut.index(done.len());
        let mut machine = resolver(&case);
        replay(&mut machine, &done[..cut]);
        let mut copy = machine.clone();
        let rest = replay(&mut copy, &done[cut..]);
        prop_assert_eq!(&first[cut..], &rest[..]);
        prop_assert_eq!(&first[cut..], &replay(&mut machine, &done[cut..])[..]);
    }

    #[test]
    fn a_stale_answer_never_changes_the_project(case in case(STEPS)) {
        // Elsewhere a second answer shows a second client.
        let mut case = case;
        case.host.transport = Transport::Http;
        for step in &mut case.steps {
            if let Act::Host(facts) = &mut step.act {
                facts.transport = Transport::Http;
            }
        }
        after_every_step(&case, |machine, world, _, trace| {
            // Every token but the newest is over, except that of a form.
            for token in (1..world.tokens).filter(|token| *token != world.form) {
                let result = oracle::generate::raw(r#"{"roots":[{"uri":"file:///stale"}]}"#);
                let listed = Event::RootsListed(RootsListed::new(result).request(RequestToken(token)));
                let kind = RefusalKind::Error;
                let refused = Event::RequestRefused(RequestRefused::new(token, kind).code(-32601));
                for stale in [listed, refused] {
                    // Any event may end or probe for an ask that waits, so the measure is an event that says nothing.
                    let nothing = Event::AskWithdrawn(AskWithdrawn::new(u32::MAX));
                    let mut undisturbed = machine.clone();
                    let expected = effects(&undisturbed.handle(nothing, 0).unwrap());
                    let seen = effects(&machine.handle(stale, 0).unwrap());
                    let seen = Effects { notices: expected.notices.clone(), ..seen };
                    prop_assert_eq!(expected, seen, "no news (left) and a stale answer (right) differ after{}", trace);
                    prop_assert_eq!(views(&undisturbed), views(machine), "after{}", trace);
                }
            }
            Ok(())
        })?;
    }

    #[test]
    fn deadlines_alone_bring_the_machine_to_rest(case in case(STEPS)) {
        let mut machine = resolver(&case);
        let mut world = World::default();
        for step in &case.steps {
            let (event, now) = world.event(&case, step);
            if let Ok(actions) = machine.handle(event.clone(), now) {
                world.observe(&event, now, &effects(&actions), machine.deadline().map(|at| at.0));
            }
        }
        // Deadlines may have passed already, if nobody said so.
        let mut now = world.now;
        for _ in 0..64 {
            let Some(deadline) = machine.deadline() else { return Ok(()) };
            now = now.max(deadline.0);
            machine.handle(Event::DeadlineReached, now).unwrap();
            prop_assert!(machine.deadline().is_none_or(|next| next.0 > now), "a deadline that was reached came back");
        }
        prop_assert!(false, "still not at rest at {now}: {:?}", machine.deadline().map(|at| at.0));
    }

    #[test]
    fn a_restored_machine_is_the_same_with_all_asks_withdrawn_and_all_probes_over(
        case in case(STEPS), cut in any::<prop::sample::Index>()
    ) {
        let cut = cut.index(case.steps.len());
        let mut machine = resolver(&case);
        let mut world = World::default();
        let mut waiting: BTreeSet<u32> = BTreeSet::new();
        for step in &case.steps[..cut] {
            let (event, now) = world.event(&case, step);
            let Ok(actions) = machine.handle(event.clone(), now) else { continue };
            let seen = effects(&actions);
            waiting.extend(ask_of(&event));
            if let Event::AskWithdrawn(withdrawn) = &event {
                waiting.remove(&withdrawn.ask.0);
            }
            for (ask, ..) in &seen.answers {
                waiting.remove(ask);
            }
            world.observe(&event, now, &seen, machine.deadline().map(|at| at.0));
        }
        let text = machine.snapshot();
        let host = machine.host().clone();
        let mut restored = Resolver::builder(host).policy(case.policy.clone()).restore(&text, world.now).unwrap();
        // A snapshot of what was restored says the same again.
        prop_assert_eq!(&text, &restored.snapshot());
        for ask in waiting {
            machine.handle(Event::AskWithdrawn(AskWithdrawn::new(ask)), world.now).unwrap();
        }
        for (probe, _) in std::mem::take(&mut world.probes) {
            machine.handle(Event::Probed(rootwise::event::Probed::new(probe, Vec::new())), world.now).unwrap();
        }
        let resting = |machine: &Resolver| {
            let mut views = views(machine);
            views.deadline = None;
            views
        };
        prop_assert_eq!(resting(&machine), resting(&restored));
        world.deadline = machine.deadline().map(|at| at.0);
        for step in &case.steps[cut..] {
            let (event, now) = world.event(&case, step);
            let one = machine.handle(event.clone(), now);
            let other = restored.handle(event.clone(), now);
            prop_assert_eq!(one.is_ok(), other.is_ok(), "{:?}", event);
            let (Ok(one), Ok(other)) = (one, other) else { continue };
            prop_assert_eq!(effects(&one), effects(&other), "{:?} at {}", event, now);
            world.observe(&event, now, &effects(&one), machine.deadline().map(|at| at.0));
            prop_assert_eq!(views(&machine), views(&restored), "{:?} at {}", event, now);
        }
    }

    #[test]
    fn resolvers_side_by_side_behave_like_each_alone(cases in prop::collection::vec(case(12), 2..4)) {
        let alone: Vec<Vec<Done>> = cases.iter().map(run).collect();
        let mut machines: Vec<Resolver> = cases.iter().map(resolver).collect();
        let longest = alone.iter().map(Vec::len).max().unwrap_or(0);
        for turn in 0..longest {
            for (machine, alone) in machines.iter_mut().zip(&alone) {
                if let Some(done) = alone.get(turn) {
                    let actions = machine.handle(done.event.clone(), done.now).ok();
                    prop_assert_eq!(&actions, &done.actions);
                    prop_assert_eq!(&views(machine), &done.views);
                }
            }
        }
    }
}

/// Probes are left unanswered: who shares one with whom is told by the model.
#[test]
fn stateless_asks_leave_no_trace_on_the_connection() {
    let property = |mut case: Case| {
        case.steps.retain(|step| {
            !matches!(step.act, Act::Probed(..) | Act::Deadline | Act::Closed | Act::Init(_) | Act::Host(_))
        });
        // Nothing ties the modern calls of a process that serves several clients together.
        if case.host.transport == Transport::Other {
            case.host.transport = Transport::Http;
        }
        case.host.dedicated = Some(false);
        // The room for waiting asks is shared, and may be.
        let mut policy = case.policy.into_config();
        policy.limits.waiting_asks = 1_024;
        case.policy = Policy::try_from(policy).unwrap();
        let init = Step { time: Time::By(1), act: Act::Init(r#"{"roots":{}}"#) };
        case.steps.insert(0, init);
        for step in &mut case.steps {
            // Ids of their own, so that the two kinds can be told apart.
            if let Act::Ask { id, by, facts, .. }
            | Act::Select { id, ask_via: by, facts, .. }
            | Act::Clear { id, ask_via: by, facts, .. } = &mut step.act
                && is_modern(*by, facts)
            {
                *id += 100;
            }
        }
        let done = run(&case);
        let is_modern = |done: &Done| ask_of(&done.event).is_some_and(|ask| ask >= 100);
        let mut machine = resolver(&case);
        // The clock is the host's: a time that goes back counts as the last one, whoever brought that.
        let mut clock = 0;
        for done in &done {
            let now = clock.max(done.now);
            if done.actions.is_some() {
                clock = now;
            }
            if is_modern(done) {
                continue;
            }
            let actions = machine.handle(done.event.clone(), now).ok();
            prop_assert_eq!(actions.is_some(), done.actions.is_some());
            let mut alone = effects(&actions.unwrap_or_default());
            let mut beside = effects(done.actions.as_deref().unwrap_or_default());
            beside.answers.retain(|(ask, ..)| *ask < 100);
            alone.probe.clear();
            beside.probe.clear();
            prop_assert_eq!(
                alone,
                beside,
                "alone (left) and beside modern asks (right): {:?} at {}",
                &done.event,
                done.now
            );
            prop_assert_eq!(views(&machine).project, done.views.project.clone());
        }
        Ok(())
    };
    if let Err(failure) = TestRunner::new(config(PROPERTY_CASES)).run(&case(STEPS), property) {
        panic!("{failure}");
    }
}
