//! The subscriptions of clients of 2026-07-28. They are kept here and not by one server, because the server that announces changes is
//! another one when the project changes.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::instances::{Own, State};
use super::lists::LISTS;
use super::{Action, Era, InstanceId, Router};
use crate::run::message::{self, Head, Id, Params, members_of};

/// Subscriptions that a client may have.
const MAX_SUBSCRIPTIONS: usize = 1_024;
/// The entry of `_meta` that names the subscription of a message.
const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";

/// What a client wants to hear of.
pub(super) struct Subscription {
    /// The request, as the client sent it.
    line: Bytes,
    /// The notifications of changed lists among it.
    lists: Vec<&'static str>,
    is_acknowledged: bool,
    /// The server that announces to it, and the id by which that one knows it.
    at: Option<(InstanceId, Id)>,
}

impl Router {
    /// Keeps a subscription; no server answers it.
    pub(super) fn subscribe(&mut self, id: Id, params: Option<&RawValue>, line: Bytes) {
        if self.subscriptions.len() >= MAX_SUBSCRIPTIONS {
            return self.refuse(&id, "too_many_requests", "too many subscriptions are open");
        }
        let wanted = wanted(params);
        let is_wanted = |key: &str| wanted.get(key).is_some_and(|value| value == true);
        let lists = LISTS.iter().filter(|list| is_wanted(list.key)).map(|list| list.changed).collect();
        self.subscriptions.insert(id, Subscription { line, lists, is_acknowledged: false, at: None });
        self.follow_current();
    }

    /// Ends a subscription; says whether it was one.
    pub(super) fn unsubscribe(&mut self, id: &Id) -> bool {
        let Some(subscription) = self.subscriptions.remove(id) else { return false };
        self.leave(subscription.at);
        true
    }

    fn leave(&mut self, at: Option<(InstanceId, Id)>) {
        if let Some((instance, known_as)) = at {
            self.send(instance, message::cancelled(&known_as, "the client listens no more"));
        }
    }

    /// Has the current server announce its changes, and the last one no more.
    pub(super) fn follow_current(&mut self) {
        let current = self.current.and_then(|id| Some((id, self.instances.get(&id)?)));
        let is_starting = current.is_some_and(|(_, known)| matches!(known.state, State::Starting | State::Initialized));
        // One of an older revision announces without being asked.
        let announcing = |(id, known): (InstanceId, &super::Instance)| {
            (known.state == State::Ready && known.era == Some(Era::Modern)).then_some(id)
        };
        let target = current.and_then(announcing);
        let ids: Vec<Id> = self.subscriptions.keys().cloned().collect();
        for id in ids {
            self.follow(&id, target);
            if !is_starting {
                self.acknowledge(&id);
            }
        }
    }

    fn follow(&mut self, id: &Id, target: Option<InstanceId>) {
        let Some(subscription) = self.subscriptions.get_mut(id) else { return };
        if subscription.at.as_ref().map(|(at, _)| *at) == target {
            return;
        }
        let (last, line) = (subscription.at.take(), subscription.line.clone());
        self.leave(last);
        let Some(target) = target else { return };
        let known_as = self.own_id();
        let Some(line) = message::with_id(&line, &known_as) else { return };
        if let Some(instance) = self.instances.get_mut(&target) {
            instance.own.insert(known_as.clone(), Own::Listen);
        }
        if let Some(subscription) = self.subscriptions.get_mut(id) {
            subscription.at = Some((target, known_as));
        }
        self.send(target, line);
    }

    fn acknowledge(&mut self, id: &Id) {
        let Some(subscription) = self.subscriptions.get_mut(id) else { return };
        if std::mem::replace(&mut subscription.is_acknowledged, true) {
            return;
        }
        let line = subscription.line.clone();
        let mut honoured = wanted(Head::of(&line).params);
        let is_told = subscription.at.is_some();
        if let Some(honoured) = honoured.as_object_mut() {
            // Changes of one resource are known only to a server of this revision.
            honoured.retain(|key, value| {
                *value == true && LISTS.iter().any(|list| list.key == key) || is_told && key == "resourceSubscriptions"
            });
        }
        let method = "notifications/subscriptions/acknowledged";
        self.act(Action::ToClient(notice(id, method, json!({ "notifications": honoured }))));
    }

    /// Tells the client that a list has changed.
    pub(super) fn announce(&mut self, changed: &str) {
        if !self.is_modern() {
            return self.act(Action::ToClient(message::notification(changed)));
        }
        let listening = self.subscriptions.iter().filter(|(_, known)| known.lists.contains(&changed));
        let told: Vec<Bytes> = listening.map(|(id, _)| notice(id, changed, json!({}))).collect();
        for line in told {
            self.act(Action::ToClient(line));
        }
    }

    /// Passes on what a server announces to a client of 2026-07-28; says whether it is that.
    pub(super) fn announced(&mut self, instance: InstanceId, method: &str, line: &Bytes) -> bool {
        #[derive(Default, Deserialize)]
        #[serde(default)]
        struct Meta<'m> {
            #[serde(borrow, rename = "io.modelcontextprotocol/subscriptionId")]
            subscription: Option<&'m RawValue>,
        }
        let text = message::readable(line);
        let meta = Params::of(Head::of(&text).params).meta;
        let meta: Meta<'_> = meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
        let Some(subscription) = meta.subscription else {
            if method.ends_with("/list_changed") && self.current.is_none_or(|current| current == instance) {
                self.announce(method);
            }
            return method.ends_with("/list_changed");
        };
        let is_it = |at: &(InstanceId, Id)| at.0 == instance && *at.1 == *subscription.get();
        let found = self.subscriptions.iter().find(|(_, known)| known.at.as_ref().is_some_and(is_it));
        if let Some((id, _)) = found {
            let line = message::replaced(&text, [(subscription.get(), id.as_ref())]);
            self.act(Action::ToClient(line));
        }
        true
    }
}

/// What a subscription asks for.
fn wanted(params: Option<&RawValue>) -> Value {
    let wanted = members_of(params).remove("notifications");
    wanted.and_then(|wanted| serde_json::from_str(wanted.get()).ok()).unwrap_or_else(|| json!({}))
}

/// A notification of one subscription.
fn notice(id: &Id, method: &str, mut params: Value) -> Bytes {
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    if let Some(params) = params.as_object_mut() {
        params.insert("_meta".into(), json!({ SUBSCRIPTION_ID: id }));
    }
    message::line(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
}
