//! The asynchronous driver with a client that does what each test says, on a clock that waits for nobody.
#![cfg(feature = "tokio")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rootwise::action::SendRequest;
use rootwise::event::{Asked, ClientInitialized, SelectBy, Selected};
use rootwise::host::Transport;
use rootwise::{HostFacts, Outcome, PathStyle, Policy, Project};
use rootwise_host::{Connection, GivenUp, LogLine, NoProject, Observer, SendError, Sender, Sending};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// A request that reached the client, and the way to answer it.
struct Received {
    answer: oneshot::Sender<Result<Box<RawValue>, SendError>>,
    given_up: Arc<Mutex<Option<&'static str>>>,
}

impl Received {
    fn roots(self, path: &str) {
        let _ = self.answer.send(Ok(raw(&format!(r#"{{"roots":[{{"uri":"file://{path}"}}]}}"#))));
    }
}

/// One channel to the client.
struct Channel {
    requests: mpsc::UnboundedSender<Received>,
    open: AtomicBool,
}

impl Channel {
    fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<Received>) {
        let (requests, receiver) = mpsc::unbounded_channel();
        (Arc::new(Self { requests, open: AtomicBool::new(true) }), receiver)
    }
}

impl Sender for Channel {
    fn send(&self, _request: SendRequest, given_up: GivenUp) -> Sending {
        let (answer, answered) = oneshot::channel();
        let reason = Arc::new(Mutex::new(None));
        let _ = self.requests.send(Received { answer, given_up: reason.clone() });
        Box::pin(async move {
            tokio::select! {
                answer = answered => answer.unwrap_or(Err(SendError::Undeliverable)),
                why = given_up => {
                    *reason.lock().unwrap() = Some(why);
                    Err(SendError::Undeliverable)
                }
            }
        })
    }

    fn is_open(&self) -> bool {
        self.open.load(Ordering::SeqCst)
    }
}

#[derive(Default)]
struct Notes {
    codes: Mutex<Vec<&'static str>>,
    changes: Mutex<Vec<Option<String>>>,
    panics: bool,
}

impl Observer for Notes {
    fn log(&self, line: &LogLine) {
        self.codes.lock().unwrap().push(line.code);
    }

    fn changed(&self, project: Option<&Arc<Project>>, _previous: Option<&Arc<Project>>) {
        self.changes.lock().unwrap().push(project.and_then(|project| project.path.clone()));
        assert!(!self.panics, "a listener that fails");
    }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn host(transport: Transport) -> HostFacts {
    let mut host = HostFacts::new(PathStyle::Posix);
    host.transport = transport;
    host.local = Some(true);
    host.env.insert("CLAUDE_PROJECT_DIR".into(), "/usr".into());
    host
}

fn connect(transport: Transport, notes: Arc<Notes>) -> Connection {
    let connection = Connection::new(Policy::recommended(), host(transport), None, notes).unwrap();
    handshake(&connection);
    connection
}

fn handshake(connection: &Connection) {
    let capabilities = Some(raw(r#"{"roots":{"listChanged":true}}"#));
    connection.initialized(ClientInitialized { capabilities, ..ClientInitialized::default() });
    connection.ready();
}

async fn ask(connection: &Connection, channel: &Arc<Channel>) -> Result<String, NoProject> {
    let project = connection.ask(Asked::default(), Some(channel.clone())).await?;
    Ok(project.path.clone().unwrap())
}

#[tokio::test]
async fn one_request_answers_every_caller_and_later_ones() {
    let notes = Arc::<Notes>::default();
    let connection = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let answers = async { tokio::join!(ask(&connection, &channel), ask(&connection, &channel)) };
    let client = async { requests.recv().await.unwrap().roots("/usr/share") };
    let ((one, two), ()) = tokio::join!(answers, client);
    assert_eq!((one.unwrap(), two.unwrap()), ("/usr/share".into(), "/usr/share".into()));
    assert_eq!(ask(&connection, &channel).await.unwrap(), "/usr/share");
    assert!(requests.try_recv().is_err());
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr/share".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_costs_one_wait_and_a_late_answer_counts() {
    let notes = Arc::<Notes>::default();
    let connection = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let began = Instant::now();
    assert_eq!(ask(&connection, &channel).await.unwrap(), "/usr");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(ask(&connection, &channel).await.unwrap(), "/usr");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert!(notes.codes.lock().unwrap().contains(&"wait_expired"));
    requests.recv().await.unwrap().roots("/usr/share");
    while ask(&connection, &channel).await.unwrap() == "/usr" {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr".to_owned()), Some("/usr/share".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_life_is_over_is_cancelled() {
    let connection = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    ask(&connection, &channel).await.unwrap();
    let received = requests.recv().await.unwrap();
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(*received.given_up.lock().unwrap(), Some("no answer in time"));
}

#[tokio::test]
async fn an_error_of_the_client_and_a_channel_that_fails_lead_to_the_next_source() {
    for error in
        [SendError::Client { code: -32601, message: "no".into() }, SendError::Undeliverable, SendError::Unreadable]
    {
        let connection = connect(Transport::Stdio, Arc::default());
        let (channel, mut requests) = Channel::new();
        let client = async { requests.recv().await.unwrap().answer.send(Err(error.clone())) };
        let (answer, _) = tokio::join!(ask(&connection, &channel), client);
        assert_eq!(answer.unwrap(), "/usr", "{error}");
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_takes_its_request_along_over_http_only() {
    for (transport, again) in [(Transport::Http, true), (Transport::Stdio, false)] {
        let connection = connect(transport, Arc::default());
        let (first, mut first_requests) = Channel::new();
        let (second, mut second_requests) = Channel::new();
        let received = tokio::select! {
            _ = ask(&connection, &first) => panic!("answered"),
            received = first_requests.recv() => received.unwrap(),
        };
        let answer = ask(&connection, &second);
        let client = async {
            if again {
                second_requests.recv().await.unwrap().roots("/usr/share");
                assert_eq!(*received.given_up.lock().unwrap(), Some("its stream broke"));
            } else {
                received.roots("/usr/share");
            }
        };
        assert_eq!(tokio::join!(answer, client).0.unwrap(), "/usr/share");
    }
}

#[tokio::test]
async fn a_call_ends_with_its_channel_and_callers_elsewhere_get_a_request_of_their_own() {
    let connection = connect(Transport::Http, Arc::default());
    let (first, mut first_requests) = Channel::new();
    let (second, mut second_requests) = Channel::new();
    let client = async {
        let lost = first_requests.recv().await.unwrap();
        let close = async {
            first.open.store(false, Ordering::SeqCst);
            connection.channel_closed();
            second_requests.recv().await.unwrap().roots("/usr/share");
            assert_eq!(*lost.given_up.lock().unwrap(), Some("its stream broke"));
        };
        tokio::join!(ask(&connection, &second), close).0
    };
    let (one, other, two) = tokio::join!(ask(&connection, &first), ask(&connection, &first), client);
    assert_eq!([one.unwrap_err().code(), other.unwrap_err().code()], ["cancelled", "cancelled"]);
    assert_eq!(two.unwrap(), "/usr/share");
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_closed_while_it_asked_costs_no_later_call_its_roots() {
    let connection = connect(Transport::Http, Arc::default());
    let (first, mut first_requests) = Channel::new();
    let client = async {
        first_requests.recv().await.unwrap();
        first.open.store(false, Ordering::SeqCst);
        connection.channel_closed();
    };
    let began = Instant::now();
    assert_eq!(tokio::join!(ask(&connection, &first), client).0.unwrap_err().code(), "cancelled");
    // A call that asks again without a way to its client does not ask for another one.
    assert_eq!(ask(&connection, &first).await.unwrap_err().code(), "cancelled");
    assert_eq!(began.elapsed(), Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(6)).await;
    let (second, mut second_requests) = Channel::new();
    let client = async { second_requests.recv().await.unwrap().roots("/usr/share") };
    assert_eq!(tokio::join!(ask(&connection, &second), client).0.unwrap(), "/usr/share");
}

#[tokio::test]
async fn the_end_of_a_connection_is_a_change_of_its_project() {
    let notes = Arc::<Notes>::default();
    let connection = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let client = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&connection, &channel), client).0.unwrap();
    drop(connection);
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr/share".to_owned()), None]);
    drop(connect(Transport::Stdio, notes.clone()));
    assert_eq!(notes.changes.lock().unwrap().len(), 2, "without a project nothing changes");
}

#[tokio::test]
async fn the_answer_to_a_question_among_the_events_reaches_nobody() {
    let connection = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let client = async {
        let request = requests.recv().await.unwrap();
        let by = SelectBy::Value("/usr/lib".into());
        connection.feed(Selected::new(1, by));
        request.roots("/usr");
    };
    let asked = connection.question(Asked::default(), Some(channel.clone()));
    let answer = tokio::join!(asked, client).0.unwrap();
    assert!(matches!(answer.outcome, Outcome::Resolved { .. }), "{answer:?}");
}

#[tokio::test]
async fn a_client_that_closes_its_input_gets_the_next_source_at_once() {
    let connection = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let client = async {
        requests.recv().await.unwrap();
        connection.input_closed();
    };
    assert_eq!(tokio::join!(ask(&connection, &channel), client).0.unwrap(), "/usr");
}

#[tokio::test]
async fn closing_answers_everybody_and_later_asks() {
    let connection = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let client = async {
        requests.recv().await.unwrap();
        connection.close();
    };
    let (answer, ()) = tokio::join!(ask(&connection, &channel), client);
    assert_eq!(answer.unwrap_err().code(), "closed");
    assert_eq!(ask(&connection, &channel).await.unwrap_err().to_string(), "The connection is closed.");
}

#[tokio::test]
async fn an_answer_that_is_too_large_counts_as_unreadable() {
    let notes = Arc::<Notes>::default();
    let connection = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let client = async {
        let long = format!(r#"{{"roots":[],"x":"{}"}}"#, "x".repeat(20_000_000));
        let _ = requests.recv().await.unwrap().answer.send(Ok(raw(&long)));
    };
    assert_eq!(tokio::join!(ask(&connection, &channel), client).0.unwrap(), "/usr");
    assert!(notes.codes.lock().unwrap().contains(&"event_failed"));
}

#[tokio::test]
async fn a_listener_that_panics_stops_nothing() {
    let notes = Arc::new(Notes { panics: true, ..Notes::default() });
    let connection = connect(Transport::Http, notes.clone());
    let (channel, mut requests) = Channel::new();
    let client = async { requests.recv().await.unwrap().roots("/usr/share") };
    assert_eq!(tokio::join!(ask(&connection, &channel), client).0.unwrap(), "/usr/share");
    connection.roots_changed();
    let client = async { requests.recv().await.unwrap().roots("/usr/lib") };
    assert_eq!(tokio::join!(ask(&connection, &channel), client).0.unwrap(), "/usr/lib");
    assert_eq!(notes.changes.lock().unwrap().len(), 2);
}

fn path_of(project: Option<Arc<Project>>) -> Option<String> {
    project.and_then(|project| project.path.clone())
}

#[tokio::test]
async fn a_known_project_is_the_last_answer_until_something_happens() {
    let connection = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    assert_eq!(connection.known(), None);
    for path in ["/usr/share", "/usr"] {
        connection.roots_changed();
        assert_eq!(connection.known(), None, "the roots may have changed");
        let client = async { requests.recv().await.unwrap().roots(path) };
        assert_eq!(tokio::join!(ask(&connection, &channel), client).0.unwrap(), path);
        // The first answer changed the connection; the next one changes nothing.
        assert_eq!(ask(&connection, &channel).await.unwrap(), path);
        assert_eq!(path_of(connection.known()).as_deref(), Some(path));
    }
    let by = SelectBy::Value("/usr/share".into());
    let selected = Selected::new(0, by);
    connection.question(selected, None).await.unwrap();
    assert_eq!(connection.known(), None, "a tool selected another project");
    assert_eq!(ask(&connection, &channel).await.unwrap(), "/usr/share");
    connection.close();
    assert_eq!(connection.known(), None, "the connection is closed");
}

#[tokio::test(start_paused = true)]
async fn a_known_project_ends_with_the_age_of_its_list() {
    let mut config = Policy::recommended().into_config();
    config.timing.max_age_ms = Some(1_000);
    let policy = Policy::try_from(config).unwrap();
    let connection = Connection::new(policy, host(Transport::Stdio), None, Arc::new(())).unwrap();
    handshake(&connection);
    let (channel, mut requests) = Channel::new();
    let client = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&connection, &channel), client).0.unwrap();
    ask(&connection, &channel).await.unwrap();
    assert!(connection.known().is_some());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(connection.known(), None);
}

#[tokio::test]
async fn within_allowed_folders_no_project_is_known_without_a_look_at_the_disk() {
    let mut host = host(Transport::Stdio);
    host.allowed_dirs = Some(vec!["/usr".into()]);
    let connection = Connection::new(Policy::recommended(), host, None, Arc::new(())).unwrap();
    handshake(&connection);
    let (channel, mut requests) = Channel::new();
    let client = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&connection, &channel), client).0.unwrap();
    for _ in 0..3 {
        assert_eq!(ask(&connection, &channel).await.unwrap(), "/usr/share");
        assert_eq!(connection.known(), None);
    }
}

#[test]
fn without_a_runtime_the_error_says_so() {
    let error = Connection::new(Policy::recommended(), host(Transport::Stdio), None, Arc::new(())).unwrap_err();
    assert!(error.to_string().starts_with("bad options at runtime: "), "{error}");
}
