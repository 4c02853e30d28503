//! The router alone: what it does with each event, without processes and clocks.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test stops at the first surprise")]

use serde_json::json;

use super::*;

fn settings() -> Settings {
    Settings {
        argument: Some("project".into()),
        tools: false,
        asks_early: true,
        answer_roots: true,
        fallback: false,
        max: 3,
        restarts: 1,
        start_timeout: Duration::from_secs(60),
        idle: Duration::from_secs(10),
        meta_names: BTreeSet::from(["cwd".to_owned()]),
        name: "server".into(),
    }
}

fn project(path: &str) -> Arc<Project> {
    let project = json!({
        "key": path, "id": "1", "slug": "p-1", "name": "p", "displayName": "p", "path": path, "source": "roots",
    });
    Arc::new(serde_json::from_value(project).unwrap())
}

/// A router, and what it did, in short.
struct Play {
    router: Router,
    done: Vec<String>,
}

impl Play {
    fn new(settings: Settings) -> Self {
        let start = Place::of_folder(std::path::Path::new("/empty"));
        let (router, actions) = Router::new(settings, None, Some(start));
        let mut play = Self { router, done: Vec::new() };
        play.note(actions);
        play
    }

    fn note(&mut self, actions: Vec<Action>) {
        for action in actions {
            let text = |line: &Bytes| String::from_utf8_lossy(line).trim_end().to_owned();
            self.done.extend(match action {
                Action::ToClient(line) => Some(format!("client {}", text(&line))),
                Action::ToServer(id, line) => Some(format!("server {id} {}", text(&line))),
                Action::Start(id, place) => Some(format!("start {id} {}", place.folder.display())),
                Action::CloseInput(id) => Some(format!("close {id}")),
                Action::Terminate(id) => Some(format!("terminate {id}")),
                Action::Kill(id) => Some(format!("kill {id}")),
                Action::Ask(ticket, facts) => {
                    Some(format!("ask {ticket} {}", facts.and_then(|facts| facts.argument).unwrap_or_default()))
                }
                Action::Withdraw(ticket) => Some(format!("withdraw {ticket}")),
                Action::Exit(code) => Some(format!("exit {code}")),
                _ => None,
            });
        }
    }

    fn handle(&mut self, event: Event) -> Vec<String> {
        let actions = self.router.handle(event);
        self.note(actions);
        std::mem::take(&mut self.done)
    }

    fn client(&mut self, message: Value) -> Vec<String> {
        self.handle(Event::ClientLine { line: format!("{message}\n").into(), known: None })
    }

    fn call(&mut self, id: u64, known: Option<&str>) -> Vec<String> {
        let message = json!({ "id": id, "method": "tools/call", "params": { "name": "t" } });
        self.handle(Event::ClientLine { line: format!("{message}\n").into(), known: known.map(project) })
    }

    fn server(&mut self, instance: u64, message: Value) -> Vec<String> {
        self.handle(Event::ServerLine { instance, line: format!("{message}\n").into() })
    }

    fn resolved(&mut self, ticket: u64, path: &str) -> Vec<String> {
        self.handle(Event::Resolved { ticket, resolution: Resolution::Project(project(path)) })
    }

    /// Answers the handshake that a server was sent last.
    fn shake(&mut self, instance: u64, sent: &[String]) -> Vec<String> {
        let line = sent.iter().rev().find(|line| line.contains("\"initialize\"")).unwrap();
        let message: Value = serde_json::from_str(line.splitn(3, ' ').nth(2).unwrap()).unwrap();
        self.server(instance, json!({ "id": message["id"], "result": { "capabilities": { "tools": {} } } }))
    }

    /// A client whose first server is ready, and whose project is asked for.
    fn ready() -> Self {
        let mut play = Self::new(settings());
        assert_eq!(std::mem::take(&mut play.done), ["start 1 /empty"]);
        let sent = play.client(json!({ "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
        assert!(sent[0].contains(r#""roots":{"listChanged":true}"#), "{sent:?}");
        let told = play.shake(1, &sent);
        assert!(told[0].starts_with("client") && told[0].contains(r#""listChanged":true"#), "{told:?}");
        let asked = play.client(json!({ "method": "notifications/initialized" }));
        assert!(asked.contains(&"ask 0 null".to_owned()), "{asked:?}");
        play
    }

    /// The same in the project `/a`, with its server, which has the number that is returned.
    fn in_a() -> (Self, u64) {
        let mut play = Self::ready();
        let sent = play.resolved(0, "/a");
        let id = sent[0].split(' ').nth(1).unwrap().parse().unwrap();
        assert_eq!(sent[0], format!("start {id} /a"));
        let done = play.shake(id, &sent);
        assert!(done.contains(&"close 1".to_owned()), "the first server is let go: {done:?}");
        (play, id)
    }
}

#[test]
fn requests_wait_for_the_project_and_pass_in_order() {
    let mut play = Play::ready();
    assert!(play.client(json!({ "id": 1, "method": "tools/list" })).is_empty());
    let asked = play.call(2, None);
    let ticket: u64 = asked[0].split(' ').nth(1).unwrap().parse().unwrap();
    // The second is answered first, and waits for its turn.
    assert!(play.resolved(ticket, "/a").is_empty());
    let sent = play.resolved(0, "/a");
    let id: u64 = sent[0].split(' ').nth(1).unwrap().parse().unwrap();
    let flushed = play.shake(id, &sent);
    let order: Vec<bool> =
        flushed.iter().filter(|line| line.contains("tools/")).map(|line| line.contains("tools/list")).collect();
    assert_eq!(order, [true, false], "{flushed:?}");
}

#[test]
fn a_call_goes_to_the_server_of_its_project_without_a_question() {
    let (mut play, a) = Play::in_a();
    assert_eq!(
        play.call(5, Some("/a")),
        [format!("server {a} {}", json!({ "id": 5, "method": "tools/call", "params": { "name": "t" } }))]
    );
    // Unless it says something itself.
    let named = json!({ "id": 6, "method": "tools/call", "params": { "name": "t", "arguments": { "project": "/b" } } });
    let asked = play.handle(Event::ClientLine { line: named.to_string().into(), known: Some(project("/a")) });
    assert!(asked[0].starts_with("ask ") && asked[0].ends_with("\"/b\""), "{asked:?}");
    let meta = json!({ "id": 7, "method": "tools/call", "params": { "name": "t", "_meta": { "cwd": "/b" } } });
    let asked = play.handle(Event::ClientLine { line: meta.to_string().into(), known: Some(project("/a")) });
    assert!(asked[0].starts_with("ask "), "{asked:?}");
}

#[test]
fn a_change_of_project_lets_requests_in_flight_end() {
    let (mut play, a) = Play::in_a();
    play.call(5, Some("/a"));
    let sent = play.handle(Event::ProjectChanged(Some(project("/b"))));
    let b: u64 = sent[0].split(' ').nth(1).unwrap().parse().unwrap();
    assert!(!play.shake(b, &sent).contains(&format!("close {a}")), "it has a request");
    let answered = play.server(a, json!({ "id": 5, "result": {} }));
    assert_eq!(answered, [format!("client {}", json!({ "id": 5, "result": {} })), format!("close {a}")]);
}

#[test]
fn every_message_of_a_batch_goes_its_own_way() {
    let mut play = Play::new(settings());
    play.client(json!({ "id": 0, "method": "initialize", "params": { "capabilities": {} } }));
    let call = |id: u64, project: &str| json!({ "id": id, "method": "tools/call", "params": { "name": "t", "arguments": { "project": project } } });
    let done = play.client(json!([call(1, "/a"), call(2, "/b")]));
    let asked: Vec<&str> = done
        .iter()
        .filter_map(|line| line.strip_prefix("ask ")?.split_once(' '))
        .map(|(_, argument)| argument)
        .collect();
    assert_eq!(asked, ["\"/a\"", "\"/b\""], "{done:?}");
    // A list inside a list is no message; it reaches the server as the other bytes that are none.
    assert!(play.client(json!([[1]])).iter().any(|line| line.ends_with("[1]")));
}

#[test]
fn an_id_that_is_in_use_is_refused() {
    let (mut play, _) = Play::in_a();
    play.call(5, Some("/a"));
    let refused = play.call(5, Some("/a"));
    assert!(refused[0].contains("duplicate_id"), "{refused:?}");
}

#[test]
fn idle_servers_end_and_that_of_the_connection_stays() {
    let (mut play, a) = Play::in_a();
    let sent = play.call(5, Some("/b"));
    let b: u64 = sent[0].split(' ').nth(1).unwrap().parse().unwrap();
    play.shake(b, &sent);
    let ticks = |play: &mut Play| (0..4).flat_map(|_| play.handle(Event::Alarm(Alarm::Tick))).collect::<Vec<_>>();
    assert!(ticks(&mut play).is_empty(), "it has a request");
    play.server(b, json!({ "id": 5, "result": {} }));
    assert_eq!(ticks(&mut play), [format!("close {b}")]);
    assert!(play.router.instances[&a].is_usable());
}

#[test]
fn a_server_that_does_not_end_is_told_and_then_killed() {
    let (mut play, a) = Play::in_a();
    play.handle(Event::ServerEnded { instance: 1, end: End { code: 0, how: String::new(), lived: Duration::ZERO } });
    assert_eq!(play.handle(Event::ClientEnded), [format!("close {a}")]);
    assert_eq!(play.handle(Event::Alarm(Alarm::Closed(a))), [format!("terminate {a}")]);
    assert_eq!(play.handle(Event::Alarm(Alarm::Terminated(a))), [format!("kill {a}")]);
    let end = End { code: 137, how: String::new(), lived: Duration::ZERO };
    assert_eq!(play.handle(Event::ServerEnded { instance: a, end }), ["exit 137"]);
}

#[test]
fn a_server_that_crashes_is_started_again_only_so_often() {
    let (mut play, a) = Play::in_a();
    let end = || End { code: 1, how: "ended".into(), lived: Duration::ZERO };
    play.handle(Event::ServerEnded { instance: a, end: end() });
    let again = *play.router.instances.keys().next_back().unwrap();
    assert_eq!(play.handle(Event::Alarm(Alarm::StartNow(again)))[0], format!("start {again} /a"));
    assert!(play.call(5, Some("/a")).is_empty(), "it waits for the server");
    let refused = play.handle(Event::ServerEnded { instance: again, end: end() });
    assert!(refused[0].contains("isError") && refused[0].contains("2 times in a row"), "{refused:?}");
    let refused = play.call(6, Some("/a"));
    assert!(refused[0].contains("2 times in a row"), "{refused:?}");
    // Later it gets another chance.
    for _ in 0..6 {
        play.handle(Event::Alarm(Alarm::Tick));
    }
    assert!(play.call(7, Some("/a"))[0].starts_with("start "));
}

#[test]
fn a_server_for_a_modern_client_gets_nothing_without_its_envelope() {
    let mut play = Play::new(settings());
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" });
    let sent = play.client(json!({ "id": 1, "method": "tools/list", "params": { "_meta": meta } }));
    let probe: Value = sent.iter().find_map(|line| serde_json::from_str(line.strip_prefix("server 1 ")?).ok()).unwrap();
    assert_eq!(probe["method"], "server/discover");
    play.server(1, json!({ "id": probe["id"], "result": {} }));
    play.server(1, json!({ "id": 1, "result": { "tools": [] } }));
    let done = play.handle(Event::ProjectChanged(Some(project("/a"))));
    assert!(done[0].starts_with("start "), "{done:?}");
    let sent: Vec<&String> = done.iter().filter(|line| line.starts_with("server")).collect();
    assert!(sent.len() == 1 && sent.iter().all(|line| line.contains(r#"protocolVersion":"2026-07-28""#)), "{done:?}");
}

fn ended() -> End {
    End { code: 1, how: "ended".into(), lived: Duration::ZERO }
}

#[test]
fn a_signal_ends_this_program_also_after_servers_were_given_up() {
    let (mut play, a) = Play::in_a();
    play.handle(Event::ServerEnded { instance: 1, end: ended() });
    play.handle(Event::ServerEnded { instance: a, end: ended() });
    let again = *play.router.instances.keys().next_back().unwrap();
    play.handle(Event::Alarm(Alarm::StartNow(again)));
    play.handle(Event::ServerEnded { instance: again, end: ended() });
    assert!(play.call(6, Some("/a"))[0].contains("2 times in a row"));
    assert_eq!(play.handle(Event::Signalled), ["exit 1"]);
}

#[test]
fn no_server_starts_again_when_nobody_needs_it_any_more() {
    for last in [Event::Signalled, Event::ClientEnded] {
        let (mut play, a) = Play::in_a();
        play.handle(Event::ServerEnded { instance: 1, end: ended() });
        play.handle(Event::ServerEnded { instance: a, end: ended() });
        let again = *play.router.instances.keys().next_back().unwrap();
        assert_eq!(play.handle(last), ["exit 1"]);
        assert!(play.handle(Event::Alarm(Alarm::StartNow(again))).is_empty());
    }
}

#[test]
fn a_server_that_closes_a_stream_and_lives_on_is_ended() {
    let (mut play, a) = Play::in_a();
    play.call(5, Some("/a"));
    // It may be about to end by itself.
    assert!(play.handle(Event::StreamEnded { instance: a, stream: "output" }).is_empty());
    assert_eq!(play.handle(Event::Alarm(Alarm::Cut(a, "output"))), [format!("kill {a}")]);
    let told = play.handle(Event::ServerEnded { instance: a, end: ended() });
    assert!(told[0].contains("closed its output before it answered"), "{told:?}");
    // One whose input was closed here ends in its own time.
    let (mut play, a) = Play::in_a();
    play.handle(Event::ClientEnded);
    play.handle(Event::StreamEnded { instance: a, stream: "output" });
    assert!(play.handle(Event::Alarm(Alarm::Cut(a, "output"))).is_empty());
}
