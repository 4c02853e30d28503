//! The asynchronous driver with a client that does what each test says, on a clock that waits for nobody.
#![cfg(feature = "tokio")]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops at the first surprise"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rootwise::endpoint::action::{AnnounceProject, EndpointLog, RouteRequest};
use rootwise::endpoint::event::{
    CallAsked, CallSelected, CallStarted, InputClosed, SessionInitialized, SessionOpened, SessionReady,
    SessionRootsChanged,
};
use rootwise::event::SelectBy;
use rootwise::host::Transport;
use rootwise::{HostFacts, Outcome, PathStyle, Policy, Project, Reason};
use rootwise_host::{Call, Cancelled, Host, NoProject, Observer, SendError, Sender, Sending, Session, project_of};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// A request that reached the client, and the way to answer it.
struct Received {
    answer: oneshot::Sender<Result<Box<RawValue>, SendError>>,
    cancelled: Arc<Mutex<Option<String>>>,
}

impl Received {
    fn roots(self, path: &str) {
        let _ = self.answer.send(Ok(raw(&format!(r#"{{"roots":[{{"uri":"file://{path}"}}]}}"#))));
    }
}

/// One channel to the client.
struct Channel {
    requests: mpsc::UnboundedSender<Received>,
}

impl Channel {
    fn new() -> (Arc<Self>, mpsc::UnboundedReceiver<Received>) {
        let (requests, receiver) = mpsc::unbounded_channel();
        (Arc::new(Self { requests }), receiver)
    }
}

impl Sender for Channel {
    fn send(&self, _request: RouteRequest, cancelled: Cancelled) -> Sending {
        let (answer, answered) = oneshot::channel();
        let reason = Arc::new(Mutex::new(None));
        let _ = self.requests.send(Received { answer, cancelled: reason.clone() });
        Box::pin(async move {
            tokio::select! {
                answer = answered => answer.unwrap_or(Err(SendError::Undeliverable)),
                why = cancelled => {
                    *reason.lock().unwrap() = Some(why);
                    Err(SendError::Undeliverable)
                }
            }
        })
    }
}

#[derive(Default)]
struct Notes {
    codes: Mutex<Vec<&'static str>>,
    changes: Mutex<Vec<Option<String>>>,
    panics: bool,
}

impl Observer for Notes {
    fn log(&self, line: &EndpointLog) {
        self.codes.lock().unwrap().push(line.code.code());
    }

    fn project_changed(&self, change: &AnnounceProject, _name: Option<&Arc<str>>) {
        self.changes.lock().unwrap().push(change.to.as_ref().and_then(|project| project.path.clone()));
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

/// A session of a host of its own, and the client's end of its pipe.
struct Client {
    host: Host,
    session: Session,
}

impl Client {
    fn new(host: Host, transport: Transport, outside: Arc<Channel>) -> Self {
        let session = host.open(SessionOpened::new(0, transport), outside).unwrap();
        let mut initialized = SessionInitialized::new(session.id());
        initialized.capabilities = Some(raw(r#"{"roots":{"listChanged":true}}"#));
        host.feed(initialized).unwrap();
        host.feed(SessionReady::new(session.id())).unwrap();
        Self { host, session }
    }

    fn call(&self, channel: &Arc<Channel>) -> Call {
        self.session.call(CallStarted::new(0), Some(channel.clone())).unwrap()
    }

    fn roots_changed(&self) {
        self.host.feed(SessionRootsChanged::new(self.session.id())).unwrap();
    }
}

fn connect(transport: Transport, notes: Arc<Notes>) -> Client {
    let host = Host::new(Policy::recommended(), &host(transport), notes).unwrap();
    Client::new(host, transport, Channel::new().0)
}

async fn ask_in(call: &Call) -> Result<String, NoProject> {
    let mut asked = CallAsked::new(0);
    asked.call = Some(call.id());
    Ok(project_of(call.ask(asked).await?)?.path.clone().unwrap())
}

/// Asks in a call of its own.
async fn ask(client: &Client, channel: &Arc<Channel>) -> Result<String, NoProject> {
    ask_in(&client.call(channel)).await
}

/// A selection outside any call.
fn selected(client: &Client, ask: u32, folder: &str) -> CallSelected {
    let mut selected = CallSelected::new(ask, SelectBy::Value(folder.into()));
    selected.session = Some(client.session.id());
    selected
}

#[tokio::test]
async fn one_request_answers_every_caller_and_later_ones() {
    let notes = Arc::<Notes>::default();
    let client = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let answers = async { tokio::join!(ask(&client, &channel), ask(&client, &channel)) };
    let answering = async { requests.recv().await.unwrap().roots("/usr/share") };
    let ((one, two), ()) = tokio::join!(answers, answering);
    assert_eq!((one.unwrap(), two.unwrap()), ("/usr/share".into(), "/usr/share".into()));
    assert_eq!(ask(&client, &channel).await.unwrap(), "/usr/share");
    assert!(requests.try_recv().is_err());
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr/share".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_costs_one_wait_and_a_late_answer_counts() {
    let notes = Arc::<Notes>::default();
    let client = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let began = Instant::now();
    assert_eq!(ask(&client, &channel).await.unwrap(), "/usr");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert_eq!(ask(&client, &channel).await.unwrap(), "/usr");
    assert_eq!(began.elapsed().as_secs(), 5);
    assert!(notes.codes.lock().unwrap().contains(&"wait_expired"));
    requests.recv().await.unwrap().roots("/usr/share");
    while ask(&client, &channel).await.unwrap() == "/usr" {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr".to_owned()), Some("/usr/share".to_owned())]);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_life_is_over_is_cancelled() {
    let client = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    ask(&client, &channel).await.unwrap();
    let received = requests.recv().await.unwrap();
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(*received.cancelled.lock().unwrap(), Some("timeout".to_owned()));
}

#[tokio::test]
async fn an_error_of_the_client_and_a_channel_that_fails_lead_to_the_next_source() {
    for error in
        [SendError::Client { code: -32601, message: "no".into() }, SendError::Undeliverable, SendError::Unreadable]
    {
        let client = connect(Transport::Stdio, Arc::default());
        let (channel, mut requests) = Channel::new();
        let answering = async { requests.recv().await.unwrap().answer.send(Err(error.clone())) };
        let (answer, _) = tokio::join!(ask(&client, &channel), answering);
        assert_eq!(answer.unwrap(), "/usr", "{error}");
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_takes_its_request_along_over_http_only() {
    for (transport, again) in [(Transport::Http, true), (Transport::Stdio, false)] {
        let client = connect(transport, Arc::default());
        let (first, mut first_requests) = Channel::new();
        let (second, mut second_requests) = Channel::new();
        let call = client.call(&first);
        let received = tokio::select! {
            _ = ask_in(&call) => panic!("answered"),
            received = first_requests.recv() => received.unwrap(),
        };
        let answer = ask(&client, &second);
        let answering = async {
            if again {
                second_requests.recv().await.unwrap().roots("/usr/share");
                assert_eq!(*received.cancelled.lock().unwrap(), Some("its call was cancelled".to_owned()));
            } else {
                received.roots("/usr/share");
            }
        };
        assert_eq!(tokio::join!(answer, answering).0.unwrap(), "/usr/share");
    }
}

#[tokio::test]
async fn a_call_ends_with_its_channel_and_callers_elsewhere_get_a_request_of_their_own() {
    let client = connect(Transport::Http, Arc::default());
    let (first, mut first_requests) = Channel::new();
    let (second, mut second_requests) = Channel::new();
    let call = client.call(&first);
    let others = async {
        let lost = first_requests.recv().await.unwrap();
        let close = async {
            call.broken();
            second_requests.recv().await.unwrap().roots("/usr/share");
            assert_eq!(*lost.cancelled.lock().unwrap(), Some("its stream broke".to_owned()));
        };
        tokio::join!(ask(&client, &second), close).0
    };
    let (one, other, two) = tokio::join!(ask_in(&call), ask_in(&call), others);
    assert_eq!([one.unwrap_err().reason(), other.unwrap_err().reason()], [Some(Reason::Cancelled); 2]);
    assert_eq!(two.unwrap(), "/usr/share");
}

#[tokio::test(start_paused = true)]
async fn a_channel_that_closed_while_it_asked_costs_no_later_call_its_roots() {
    let client = connect(Transport::Http, Arc::default());
    let (first, mut first_requests) = Channel::new();
    let call = client.call(&first);
    let breaking = async {
        first_requests.recv().await.unwrap();
        call.broken();
    };
    let began = Instant::now();
    assert_eq!(tokio::join!(ask_in(&call), breaking).0.unwrap_err().reason(), Some(Reason::Cancelled));
    // A call that asks again without a way to its client does not ask for another one.
    assert_eq!(ask_in(&call).await.unwrap_err().reason(), Some(Reason::CallOver));
    assert_eq!(began.elapsed(), Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(6)).await;
    let (second, mut second_requests) = Channel::new();
    let answering = async { second_requests.recv().await.unwrap().roots("/usr/share") };
    assert_eq!(tokio::join!(ask(&client, &second), answering).0.unwrap(), "/usr/share");
}

#[tokio::test]
async fn a_stream_outside_calls_carries_requests_as_long_as_it_is_open() {
    let (outside, mut requests) = Channel::new();
    let host = Host::new(Policy::recommended(), &host(Transport::Http), Arc::new(())).unwrap();
    let client = Client::new(host, Transport::Http, outside);
    let (channel, mut with_call) = Channel::new();
    let answering = async { with_call.recv().await.unwrap().roots("/usr/share") };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr/share");
    let stream = client.session.channel().unwrap();
    client.roots_changed();
    requests.recv().await.unwrap().roots("/usr/lib");
    assert_eq!(ask(&client, &channel).await.unwrap(), "/usr/lib");
    drop(stream);
    client.roots_changed();
    let answering = async { with_call.recv().await.unwrap().roots("/usr") };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr");
    assert!(requests.try_recv().is_err());
}

#[tokio::test]
async fn the_end_of_a_connection_is_a_change_of_its_project() {
    let notes = Arc::<Notes>::default();
    let client = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let answering = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&client, &channel), answering).0.unwrap();
    drop(client);
    assert_eq!(*notes.changes.lock().unwrap(), [Some("/usr/share".to_owned()), None]);
    drop(connect(Transport::Stdio, notes.clone()));
    assert_eq!(notes.changes.lock().unwrap().len(), 2, "without a project nothing changes");
}

#[tokio::test]
async fn the_answer_to_an_ask_among_the_events_reaches_nobody() {
    let client = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let call = client.call(&channel);
    let answering = async {
        let request = requests.recv().await.unwrap();
        for ask in 1..10 {
            client.host.feed(selected(&client, ask, "/usr/lib")).unwrap();
        }
        request.roots("/usr");
    };
    let mut asked = CallAsked::new(0);
    asked.call = Some(call.id());
    let answer = tokio::join!(call.ask(asked), answering).0.unwrap();
    assert!(matches!(answer.outcome, Outcome::Resolved { .. }), "{answer:?}");
}

#[tokio::test]
async fn a_client_that_closes_its_input_gets_the_next_source_at_once() {
    let client = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let answering = async {
        requests.recv().await.unwrap();
        client.host.feed(InputClosed::new(client.session.id())).unwrap();
    };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr");
}

#[tokio::test]
async fn closing_answers_everybody_and_later_asks() {
    let client = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    let answering = async {
        requests.recv().await.unwrap();
        client.session.close();
    };
    let (answer, ()) = tokio::join!(ask(&client, &channel), answering);
    assert_eq!(answer.unwrap_err().code(), "closed");
    assert_eq!(ask(&client, &channel).await.unwrap_err().to_string(), "The connection is closed.");
}

#[tokio::test]
async fn an_answer_that_is_too_large_counts_as_unreadable() {
    let notes = Arc::<Notes>::default();
    let client = connect(Transport::Stdio, notes.clone());
    let (channel, mut requests) = Channel::new();
    let answering = async {
        let long = format!(r#"{{"roots":[],"x":"{}"}}"#, "x".repeat(20_000_000));
        let _ = requests.recv().await.unwrap().answer.send(Ok(raw(&long)));
    };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr");
    assert!(notes.codes.lock().unwrap().contains(&"event_failed"));
}

#[tokio::test]
async fn a_listener_that_panics_stops_nothing() {
    let notes = Arc::new(Notes { panics: true, ..Notes::default() });
    let client = connect(Transport::Http, notes.clone());
    let (channel, mut requests) = Channel::new();
    let answering = async { requests.recv().await.unwrap().roots("/usr/share") };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr/share");
    client.roots_changed();
    let answering = async { requests.recv().await.unwrap().roots("/usr/lib") };
    assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), "/usr/lib");
    assert_eq!(notes.changes.lock().unwrap().len(), 2);
}

fn path_of(project: Option<Arc<Project>>) -> Option<String> {
    project.and_then(|project| project.path.clone())
}

#[tokio::test]
async fn a_known_project_is_the_last_answer_until_something_happens() {
    let client = connect(Transport::Stdio, Arc::default());
    let (channel, mut requests) = Channel::new();
    assert_eq!(client.session.known(), None);
    for path in ["/usr/share", "/usr"] {
        client.roots_changed();
        assert_eq!(client.session.known(), None, "the roots may have changed");
        let answering = async { requests.recv().await.unwrap().roots(path) };
        assert_eq!(tokio::join!(ask(&client, &channel), answering).0.unwrap(), path);
        // The first answer changed the connection; the next one changes nothing.
        assert_eq!(ask(&client, &channel).await.unwrap(), path);
        assert_eq!(path_of(client.session.known()).as_deref(), Some(path));
    }
    client.session.ask(selected(&client, 0, "/usr/share")).await.unwrap();
    assert_eq!(client.session.known(), None, "a tool selected another project");
    assert_eq!(ask(&client, &channel).await.unwrap(), "/usr/share");
    client.session.close();
    assert_eq!(client.session.known(), None, "the connection is closed");
}

#[tokio::test(start_paused = true)]
async fn a_known_project_ends_with_the_age_of_its_list() {
    let mut config = Policy::recommended().into_config();
    config.timing.max_age_ms = Some(1_000);
    let policy = Policy::try_from(config).unwrap();
    let host = Host::new(policy, &host(Transport::Stdio), Arc::new(())).unwrap();
    let client = Client::new(host, Transport::Stdio, Channel::new().0);
    let (channel, mut requests) = Channel::new();
    let answering = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&client, &channel), answering).0.unwrap();
    ask(&client, &channel).await.unwrap();
    assert!(client.session.known().is_some());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(client.session.known(), None);
}

#[tokio::test]
async fn a_known_project_serves_modern_calls_that_describe_their_client_alike() {
    let mut config = Policy::recommended().into_config();
    config.timing.max_age_ms = Some(600_000);
    let host = Host::new(Policy::try_from(config).unwrap(), &host(Transport::Stdio), Arc::new(())).unwrap();
    let session = host.open(SessionOpened::new(0, Transport::Stdio), Channel::new().0).unwrap();
    let (declared, named) = (json!({ "roots": {} }), json!({ "name": "one" }));
    let call = |lifted: bool| {
        let mut started = CallStarted::new(0);
        started.protocol_version = Some("2026-07-28".into());
        if lifted {
            (started.capabilities, started.client_info) =
                (to_raw_value(&declared).ok(), Some(raw(r#"{ "name": "one" }"#)));
        } else {
            let key = "io.modelcontextprotocol/clientCapabilities";
            started.meta = to_raw_value(&json!({ key: declared })).ok();
        }
        started
    };
    let mut first = call(true);
    first.input_responses = Some(raw(r#"{"rootwise":{"roots":[{"uri":"file:///usr/share"}]}}"#));
    let known = || path_of(session.known_to(Some(&declared), Some(&named)));
    for started in [first, call(true)] {
        assert_eq!(known(), None, "no answer serves others yet");
        assert_eq!(ask_in(&session.call(started, None).unwrap()).await.unwrap(), "/usr/share");
    }
    assert_eq!(known().as_deref(), Some("/usr/share"));
    let other = json!({ "roots": {}, "elicitation": {} });
    assert_eq!(session.known_to(Some(&other), Some(&named)), None);
    assert_eq!(session.known_to(Some(&declared), Some(&json!({ "name": "two" }))), None);
    assert_eq!(session.known_to(Some(&declared), None), None);
    assert_eq!(session.known(), None, "a legacy call describes no client");
    // What a call describes in `_meta` is not compared.
    ask_in(&session.call(call(false), None).unwrap()).await.unwrap();
    ask_in(&session.call(call(false), None).unwrap()).await.unwrap();
    assert_eq!((known(), session.known(), session.known_to(None, None)), (None, None, None));
}

#[tokio::test]
async fn within_allowed_folders_no_project_is_known_without_a_look_at_the_disk() {
    let mut facts = host(Transport::Stdio);
    facts.allowed_dirs = Some(vec!["/usr".into()]);
    let host = Host::new(Policy::recommended(), &facts, Arc::new(())).unwrap();
    let client = Client::new(host, Transport::Stdio, Channel::new().0);
    let (channel, mut requests) = Channel::new();
    let answering = async { requests.recv().await.unwrap().roots("/usr/share") };
    tokio::join!(ask(&client, &channel), answering).0.unwrap();
    for _ in 0..3 {
        assert_eq!(ask(&client, &channel).await.unwrap(), "/usr/share");
        assert_eq!(client.session.known(), None);
    }
}

#[test]
fn without_a_runtime_the_error_says_so() {
    let host = Host::new(Policy::recommended(), &host(Transport::Stdio), Arc::new(())).unwrap();
    let error = host.open(SessionOpened::new(0, Transport::Stdio), Channel::new().0).unwrap_err();
    assert!(error.to_string().starts_with("bad options at runtime: "), "{error}");
}
