//! The streams of clients over HTTP, and which of them carries a line.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rootwise::endpoint::event::CallStarted;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::watch;

use super::lines::{Gauge, Outbox, Queue};
use super::message::{self, Head, Id, Kind, Params};
use super::shell::log;

/// How long a client may read nothing of a full stream before the stream ends. Where it is alone, it slows down only itself.
const PATIENCE: Duration = Duration::from_secs(30);
const SHARED_PATIENCE: Duration = Duration::from_secs(5);
/// Bytes that wait for a stream that could carry them.
const MAX_WAITING: usize = 1 << 20;

/// The streams of one client, or of all requests that belong to no session.
pub(super) struct Streams {
    state: Mutex<State>,
    /// Whether requests of several clients meet here: each then gets an id of our own, and nothing reaches the wrong one.
    is_shared: bool,
    patience: Duration,
}

struct State {
    posts: HashMap<Id, Post>,
    outside: Option<Outbox>,
    waiting: VecDeque<Bytes>,
    waiting_bytes: usize,
    /// Whether a message was left out, which is said once.
    has_lost: bool,
    last_id: u64,
    used_at: Instant,
}

/// A stream that should take no more for now, and the request that it answers.
pub(super) struct Full {
    gauge: Arc<Gauge>,
    request: Option<Id>,
}

impl Full {
    fn of(lines: &Outbox, request: Option<&Id>) -> Option<Self> {
        (!lines.gauge.has_room()).then(|| Self { gauge: lines.gauge.clone(), request: request.cloned() })
    }
}

/// The stream that answers a request.
#[derive(Clone)]
struct Post {
    lines: Outbox,
    gone: watch::Receiver<()>,
    /// The token of its progress, as the servers know it.
    token: Option<Box<str>>,
    /// What the client calls the request and its progress, where the servers know other names.
    own_id: Option<Id>,
    own_token: Option<Box<str>>,
    said: Said,
}

/// What an HTTP request says about its project.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) headers: std::collections::BTreeMap<String, String>,
    pub(super) query: std::collections::BTreeMap<String, String>,
}

/// A request of a client that has a stream now.
pub(super) struct Opened {
    /// The id by which the servers know the request.
    pub(super) id: Id,
    pub(super) line: Bytes,
    pub(super) lines: Queue,
    /// Lives as long as the client reads.
    pub(super) reader: watch::Sender<()>,
}

impl Streams {
    pub(super) fn new(is_shared: bool) -> Arc<Self> {
        let state = State {
            posts: HashMap::new(),
            outside: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            has_lost: false,
            last_id: 0,
            used_at: Instant::now(),
        };
        let patience = if is_shared { SHARED_PATIENCE } else { PATIENCE };
        Arc::new(Self { state: Mutex::new(state), is_shared, patience })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Since when there is no stream; none if there is one.
    pub(super) fn unused_since(&self) -> Option<Instant> {
        let state = self.lock();
        (state.posts.is_empty() && state.outside.as_ref().is_none_or(|outside| !outside.is_read()))
            .then_some(state.used_at)
    }

    pub(super) fn touch(&self) {
        self.lock().used_at = Instant::now();
    }

    /// Opens the stream of a request; none if its id is in use.
    pub(super) fn open(&self, id: Id, line: Bytes, said: Said) -> Option<Opened> {
        let (sender, lines) = Outbox::new(Arc::default(), None);
        let (reader, gone) = watch::channel(());
        let mut state = self.lock();
        let text = line.clone();
        let params = Params::of(Head::of(&text).params);
        let token = Params::of(params.meta).progress_token;
        let mut post = Post { lines: sender, gone, token: None, own_id: None, own_token: None, said };
        let (id, line) = if self.is_shared {
            state.last_id = state.last_id.wrapping_add(1);
            let known_as = format!("\"web:{}\"", state.last_id);
            post.own_token = token.map(|token| token.get().into());
            post.token = token.map(|_| known_as.clone().into());
            let parts = [Some(id_of(&text)?), token].into_iter().flatten().map(|part| (part.get(), known_as.as_str()));
            let line = message::replaced(&text, parts);
            post.own_id = Some(id);
            (Id::from(known_as), line)
        } else {
            post.token = token.map(|token| token.get().into());
            (id, line)
        };
        if state.posts.contains_key(&id) {
            return None;
        }
        state.posts.insert(id.clone(), post);
        Some(Opened { id, line, lines, reader })
    }

    /// Opens the stream outside requests; an earlier one ends.
    pub(super) fn open_outside(&self) -> Queue {
        let (sender, lines) = Outbox::new(Arc::default(), None);
        let mut state = self.lock();
        for line in state.waiting.drain(..) {
            sender.push(line);
        }
        state.waiting_bytes = 0;
        state.outside = Some(sender);
        lines
    }

    /// The client does not read the answer any more; says whether there is still one to come.
    pub(super) fn gone(&self, id: &Id) -> bool {
        let mut state = self.lock();
        state.used_at = Instant::now();
        state.posts.remove(id).is_some()
    }

    /// No servers are left: every open request learns that.
    pub(super) fn end(&self) {
        let (posts, ids): (Vec<Post>, Vec<Id>) = {
            let mut state = self.lock();
            state.outside = None;
            state.posts.drain().map(|(id, post)| (post, id)).unzip()
        };
        for (post, id) in posts.into_iter().zip(ids) {
            let id = post.own_id.as_ref().unwrap_or(&id);
            let text = "the server ended before it answered";
            post.lines.push(message::error(id, message::INTERNAL_ERROR, "server_ended", text));
        }
    }

    /// Tells what the request said about its project, and returns what becomes ready when its stream breaks.
    pub(super) fn describe(&self, id: &Id, started: &mut CallStarted) -> Option<watch::Receiver<()>> {
        let state = self.lock();
        let post = state.posts.get(id)?;
        started.headers.clone_from(&post.said.headers);
        started.query.clone_from(&post.said.query);
        Some(post.gone.clone())
    }

    /// Any request whose answer can carry a question.
    pub(super) fn any(&self) -> Option<Id> {
        self.lock().posts.keys().next().cloned()
    }

    pub(super) fn has_outside(&self) -> bool {
        self.lock().outside.as_ref().is_some_and(Outbox::is_read)
    }

    /// Writes with this request, or outside requests; says whether somebody reads it.
    pub(super) fn write(&self, with: Option<&Id>, line: Bytes) -> bool {
        let state = self.lock();
        let lines = match with {
            Some(id) => state.posts.get(id).map(|post| &post.lines),
            None => state.outside.as_ref(),
        };
        lines.is_some_and(|lines| lines.push(line))
    }

    /// Waits for a client that reads slowly. The stream of one that does not read at all ends; returns the request that nobody waits
    /// for then, where its servers should know of that.
    pub(super) async fn slowed(&self, full: Full) -> Option<Id> {
        if full.gauge.room_within(self.patience).await {
            return None;
        }
        let mut state = self.lock();
        let is_it = |lines: &Outbox| Arc::ptr_eq(&lines.gauge, &full.gauge);
        let request = full.request.filter(|id| state.posts.get(id).is_some_and(|post| is_it(&post.lines)));
        let post = request.as_ref().and_then(|id| state.posts.remove(id));
        if post.is_some() || state.outside.take_if(|outside| is_it(outside)).is_some() {
            log(format_args!("a client read nothing for {} s: its stream was ended", self.patience.as_secs()));
        }
        request.filter(|_| self.is_shared)
    }

    /// Carries a line of the servers to the client that it is for; never waits. The server is to wait for the stream that is returned
    /// before it says more.
    pub(super) fn deliver(&self, line: Bytes) -> Option<Full> {
        let line = message::readable(&line);
        let text = line.clone();
        let mut head = Head::of(&text);
        match head.kind() {
            Kind::Response(id) => {
                let post = self.lock().posts.remove(&id)?;
                let line = match (&post.own_id, head.id) {
                    (Some(own), Some(id)) => message::replaced(&text, [(id.get(), own.as_ref())]),
                    _ => line,
                };
                post.lines.push(line);
                self.touch();
                None
            }
            Kind::Notification(method) => self.notify(&method, head.params, &text),
            Kind::Request(..) => self.pass(line),
            // Only messages travel over HTTP.
            Kind::Other => None,
        }
    }

    fn notify(&self, method: &str, params: Option<&RawValue>, text: &Bytes) -> Option<Full> {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Meta<'m> {
            #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
            subscription: Option<&'m RawValue>,
        }
        let params = Params::of(params);
        let meta: Meta<'_> = params.meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
        let token = params.progress_token.filter(|_| method == "notifications/progress");
        let found = {
            let state = self.lock();
            let of_token = token.and_then(|token| {
                let (id, post) = state.posts.iter().find(|(_, post)| post.token.as_deref() == Some(token.get()))?;
                Some((id.clone(), post.lines.clone(), token, post.own_token.clone()))
            });
            let of_subscription = || {
                let subscription = meta.subscription?;
                let (id, post) = state.posts.get_key_value(subscription.get())?;
                Some((id.clone(), post.lines.clone(), subscription, post.own_id.clone()))
            };
            of_token.or_else(of_subscription)
        };
        match found {
            Some((id, lines, known, own)) => {
                let line =
                    own.map_or_else(|| text.clone(), |own| message::replaced(text, [(known.get(), own.as_ref())]));
                lines.push(line);
                Full::of(&lines, Some(&id))
            }
            None => self.pass(text.clone()),
        }
    }

    /// Passes on what belongs to no request, on whatever stream there is; it waits for one if there is none.
    fn pass(&self, line: Bytes) -> Option<Full> {
        if self.is_shared {
            // It would reach a stranger.
            return None;
        }
        let mut state = self.lock();
        state.outside.take_if(|outside| !outside.is_read());
        if let Some(outside) = state.outside.as_ref().filter(|outside| outside.push(line.clone())) {
            return Full::of(outside, None);
        }
        if let Some((id, post)) = state.posts.iter().find(|(_, post)| post.lines.push(line.clone())) {
            return Full::of(&post.lines, Some(id));
        }
        if state.waiting_bytes.saturating_add(line.len()) <= MAX_WAITING {
            state.waiting_bytes = state.waiting_bytes.saturating_add(line.len());
            state.waiting.push_back(line);
        } else if !std::mem::replace(&mut state.has_lost, true) {
            log("a client reads no stream: messages for it are left out");
        }
        None
    }
}

fn id_of(line: &[u8]) -> Option<&RawValue> {
    Head::of(line).id
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test stops at the first surprise")]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn bytes(message: &Value) -> Bytes {
        message::line(message)
    }

    fn read(queue: &mut Queue) -> Option<Value> {
        let line = queue.lines.try_recv().ok()?;
        queue.gauge.remove(line.len());
        Some(serde_json::from_slice(&line).unwrap())
    }

    fn opened(streams: &Streams, id: u64) -> Opened {
        let line = json!({ "id": id, "method": "tools/call", "params": { "_meta": { "progressToken": id } } });
        streams.open(id.to_string().into(), bytes(&line), Said::default()).unwrap()
    }

    #[test]
    fn requests_with_one_id_do_not_meet() {
        let streams = Streams::new(true);
        let (mut one, mut two) = (opened(&streams, 1), opened(&streams, 1));
        let of = |opened: &Opened| serde_json::from_slice::<Value>(&opened.line).unwrap();
        assert_ne!(of(&one)["id"], of(&two)["id"]);
        assert_eq!(of(&two)["id"], of(&two)["params"]["_meta"]["progressToken"]);
        let progress =
            json!({ "method": "notifications/progress", "params": { "progressToken": of(&two)["id"], "progress": 1 } });
        streams.deliver(bytes(&progress));
        streams.deliver(bytes(&json!({ "method": "notifications/message", "params": { "data": "secret" } })));
        streams.deliver(bytes(&json!({ "id": of(&two)["id"], "result": {} })));
        assert_eq!(read(&mut two.lines).unwrap()["params"]["progressToken"], 1);
        assert_eq!(read(&mut two.lines).unwrap(), json!({ "id": 1, "result": {} }));
        assert_eq!(read(&mut one.lines), None);
    }

    #[test]
    fn a_message_without_a_request_takes_any_stream_and_waits_without_one() {
        let streams = Streams::new(false);
        let notice = |number: u64| bytes(&json!({ "method": "n", "params": { "number": number } }));
        streams.deliver(notice(1));
        let mut one = opened(&streams, 1);
        assert!(streams.open("1".into(), one.line.clone(), Said::default()).is_none(), "its id is in use");
        streams.deliver(notice(2));
        let mut outside = streams.open_outside();
        streams.deliver(notice(3));
        assert_eq!(read(&mut one.lines).unwrap()["params"]["number"], 2);
        assert_eq!(read(&mut outside).unwrap()["params"]["number"], 1);
        assert_eq!(read(&mut outside).unwrap()["params"]["number"], 3);
        drop(outside);
        streams.deliver(notice(4));
        assert_eq!(read(&mut one.lines).unwrap()["params"]["number"], 4);
        assert!(streams.gone(&one.id) && !streams.gone(&one.id));
        // What waits has a limit.
        for number in 0..100_000 {
            streams.deliver(notice(number));
        }
        assert!(streams.lock().waiting_bytes <= MAX_WAITING);
    }
    #[tokio::test]
    async fn a_client_that_does_not_read_loses_its_stream_and_holds_nobody_up() {
        for is_shared in [true, false] {
            let mut streams = Arc::into_inner(Streams::new(is_shared)).unwrap();
            streams.patience = Duration::from_millis(20);
            let (slow, mut other) = (opened(&streams, 1), opened(&streams, 2));
            let known_as = |opened: &Opened| serde_json::from_slice::<Value>(&opened.line).unwrap()["id"].clone();
            let progress = json!({ "method": "notifications/progress", "params": { "progressToken": known_as(&slow), "message": "x".repeat(100_000) } });
            let full = (0..100).find_map(|_| streams.deliver(bytes(&progress))).unwrap();
            streams.deliver(bytes(&json!({ "id": known_as(&other), "result": {} })));
            assert_eq!(read(&mut other.lines).unwrap()["id"], 2);
            // Only where requests of several clients meet are the servers told.
            let given_up = streams.slowed(full).await;
            assert_eq!(given_up, is_shared.then(|| slow.id.clone()));
            assert!(streams.lock().posts.is_empty());
        }
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_keeps_its_stream() {
        let mut streams = Arc::into_inner(Streams::new(true)).unwrap();
        streams.patience = Duration::from_secs(2);
        let mut slow = opened(&streams, 1);
        let progress = json!({ "method": "notifications/progress", "params": { "progressToken": "web:1", "message": "x".repeat(100_000) } });
        let full = (0..100).find_map(|_| streams.deliver(bytes(&progress))).unwrap();
        let waiting = streams.slowed(full);
        let reading = async {
            // Longer than its patience in all.
            for message in 0..25 {
                tokio::time::sleep(Duration::from_millis(100)).await;
                streams.deliver(bytes(&progress));
                assert!(read(&mut slow.lines).is_some(), "{message}");
            }
            while read(&mut slow.lines).is_some() {}
        };
        assert_eq!(tokio::join!(waiting, reading).0, None);
        assert_eq!(streams.lock().posts.len(), 1);
    }
}
