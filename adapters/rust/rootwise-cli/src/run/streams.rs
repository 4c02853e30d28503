//! The streams of clients over HTTP, and which of them carries a line.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use rootwise::endpoint::event::CallStarted;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};

use super::message::{self, Head, Id, Kind, Params};
use super::shell::log;

/// Lines that a stream holds for a slow reader before it slows the servers down.
const MAX_READY: usize = 64;
/// Bytes that wait for a stream that could carry them.
const MAX_WAITING: usize = 1 << 20;

/// The streams of one client, or of all requests that belong to no session.
pub(super) struct Streams {
    state: Mutex<State>,
    /// Whether requests of several clients meet here: each then gets an id of our own, and nothing reaches the wrong one.
    is_shared: bool,
}

struct State {
    posts: HashMap<Id, Post>,
    outside: Option<Lines>,
    waiting: VecDeque<Bytes>,
    waiting_bytes: usize,
    /// Whether a message was left out, which is said once.
    has_lost: bool,
    last_id: u64,
    used_at: Instant,
}

type Lines = mpsc::Sender<Bytes>;

/// The stream that answers a request.
#[derive(Clone)]
struct Post {
    lines: Lines,
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
    pub(super) lines: mpsc::Receiver<Bytes>,
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
        Arc::new(Self { state: Mutex::new(state), is_shared })
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
        (state.posts.is_empty() && state.outside.as_ref().is_none_or(mpsc::Sender::is_closed)).then_some(state.used_at)
    }

    pub(super) fn touch(&self) {
        self.lock().used_at = Instant::now();
    }

    /// Opens the stream of a request; none if its id is in use.
    pub(super) fn open(&self, id: Id, line: Bytes, said: Said) -> Option<Opened> {
        let (sender, lines) = mpsc::channel(MAX_READY);
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
    pub(super) fn open_outside(&self) -> mpsc::Receiver<Bytes> {
        let (sender, lines) = mpsc::channel(MAX_READY);
        let mut state = self.lock();
        while let Some(line) = state.waiting.pop_front() {
            if let Err(mpsc::error::TrySendError::Full(line) | mpsc::error::TrySendError::Closed(line)) =
                sender.try_send(line)
            {
                state.waiting.push_front(line);
                break;
            }
        }
        state.waiting_bytes = state.waiting.iter().map(Bytes::len).sum();
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
            // A reader that is this slow has no room for it.
            let _ = post.lines.try_send(message::error(id, message::INTERNAL_ERROR, "server_ended", text));
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
        self.lock().outside.as_ref().is_some_and(|outside| !outside.is_closed())
    }

    /// Writes with this request, or outside requests; says whether somebody reads it.
    pub(super) async fn write(&self, with: Option<&Id>, line: Bytes) -> bool {
        let lines = {
            let state = self.lock();
            match with {
                Some(id) => state.posts.get(id).map(|post| post.lines.clone()),
                None => state.outside.clone(),
            }
        };
        match lines {
            Some(lines) => lines.send(line).await.is_ok(),
            None => false,
        }
    }

    /// Carries a line of the servers to the client that it is for.
    pub(super) async fn deliver(&self, line: Bytes) {
        let line = message::readable(&line);
        let text = line.clone();
        let mut head = Head::of(&text);
        match head.kind() {
            Kind::Response(id) => {
                let post = self.lock().posts.remove(&id);
                let Some(post) = post else { return };
                let line = match (&post.own_id, head.id) {
                    (Some(own), Some(id)) => message::replaced(&text, [(id.get(), own.as_ref())]),
                    _ => line,
                };
                let _ = post.lines.send(line).await;
                self.touch();
            }
            Kind::Notification(method) => self.notify(&method, head.params, &text).await,
            Kind::Request(..) => self.pass(line).await,
            // Only messages travel over HTTP.
            Kind::Other => {}
        }
    }

    async fn notify(&self, method: &str, params: Option<&RawValue>, text: &Bytes) {
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
                let post = state.posts.values().find(|post| post.token.as_deref() == Some(token.get()))?;
                Some((post.clone(), token, post.own_token.clone()))
            });
            let of_subscription = || {
                let subscription = meta.subscription?;
                let post = state.posts.get(subscription.get())?;
                Some((post.clone(), subscription, post.own_id.clone()))
            };
            of_token.or_else(of_subscription)
        };
        match found {
            Some((post, known, own)) => {
                let line =
                    own.map_or_else(|| text.clone(), |own| message::replaced(text, [(known.get(), own.as_ref())]));
                let _ = post.lines.send(line).await;
            }
            None => self.pass(text.clone()).await,
        }
    }

    /// Passes on what belongs to no request, on whatever stream there is; it waits for one if there is none.
    async fn pass(&self, mut line: Bytes) {
        if self.is_shared {
            // It would reach a stranger.
            return;
        }
        loop {
            let lines = {
                let mut state = self.lock();
                state.outside.take_if(|outside| outside.is_closed());
                let open = state.outside.clone().or_else(|| {
                    state.posts.values().find(|post| !post.lines.is_closed()).map(|post| post.lines.clone())
                });
                match open {
                    Some(open) => open,
                    None if state.waiting_bytes.saturating_add(line.len()) > MAX_WAITING => {
                        if !std::mem::replace(&mut state.has_lost, true) {
                            log("a client reads no stream: messages for it are left out");
                        }
                        return;
                    }
                    None => {
                        state.waiting_bytes = state.waiting_bytes.saturating_add(line.len());
                        return state.waiting.push_back(line);
                    }
                }
            };
            match lines.send(line).await {
                Ok(()) => return,
                Err(mpsc::error::SendError(back)) => line = back,
            }
        }
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

    fn read(lines: &mut mpsc::Receiver<Bytes>) -> Option<Value> {
        lines.try_recv().ok().map(|line| serde_json::from_slice(&line).unwrap())
    }

    fn opened(streams: &Streams, id: u64) -> Opened {
        let line = json!({ "id": id, "method": "tools/call", "params": { "_meta": { "progressToken": id } } });
        streams.open(id.to_string().into(), bytes(&line), Said::default()).unwrap()
    }

    #[tokio::test]
    async fn requests_with_one_id_do_not_meet() {
        let streams = Streams::new(true);
        let (mut one, mut two) = (opened(&streams, 1), opened(&streams, 1));
        let of = |opened: &Opened| serde_json::from_slice::<Value>(&opened.line).unwrap();
        assert_ne!(of(&one)["id"], of(&two)["id"]);
        assert_eq!(of(&two)["id"], of(&two)["params"]["_meta"]["progressToken"]);
        let progress =
            json!({ "method": "notifications/progress", "params": { "progressToken": of(&two)["id"], "progress": 1 } });
        streams.deliver(bytes(&progress)).await;
        streams.deliver(bytes(&json!({ "method": "notifications/message", "params": { "data": "secret" } }))).await;
        streams.deliver(bytes(&json!({ "id": of(&two)["id"], "result": {} }))).await;
        assert_eq!(read(&mut two.lines).unwrap()["params"]["progressToken"], 1);
        assert_eq!(read(&mut two.lines).unwrap(), json!({ "id": 1, "result": {} }));
        assert_eq!(read(&mut one.lines), None);
    }

    #[tokio::test]
    async fn a_message_without_a_request_takes_any_stream_and_waits_without_one() {
        let streams = Streams::new(false);
        let notice = |number: u64| bytes(&json!({ "method": "n", "params": { "number": number } }));
        streams.deliver(notice(1)).await;
        let mut one = opened(&streams, 1);
        assert!(streams.open("1".into(), one.line.clone(), Said::default()).is_none(), "its id is in use");
        streams.deliver(notice(2)).await;
        let mut outside = streams.open_outside();
        streams.deliver(notice(3)).await;
        assert_eq!(read(&mut one.lines).unwrap()["params"]["number"], 2);
        assert_eq!(read(&mut outside).unwrap()["params"]["number"], 1);
        assert_eq!(read(&mut outside).unwrap()["params"]["number"], 3);
        drop(outside);
        streams.deliver(notice(4)).await;
        assert_eq!(read(&mut one.lines).unwrap()["params"]["number"], 4);
        assert!(streams.gone(&one.id) && !streams.gone(&one.id));
        // What waits has a limit.
        for number in 0..100_000 {
            streams.deliver(notice(number)).await;
        }
        assert!(streams.lock().waiting_bytes <= MAX_WAITING);
    }
}
