//! The connection and its asks, as decisions read them.

use super::asks::PendingAsk;
use super::builder::Serves;
use super::progress::Wait;
use super::resolver::Resolver;
use crate::api::action::RootsState;
use crate::api::event::AskVia;
use crate::api::host::Transport;
use crate::policy::RequestWhen;
use crate::resolve::ask::AskContext;
use crate::resolve::disk::Patience;
use crate::resolve::evaluate::RootsAccess;
use crate::resolve::explain::Explainer;
use crate::resolve::view::{AskView, ConnectionView};

impl Resolver {
    pub(super) fn explainer(&self) -> Explainer<'_> {
        Explainer { policy: &self.policy, host: &self.host, connection: self.connection_view() }
    }

    pub(super) fn context<'a>(&'a self, ask: &'a PendingAsk) -> AskContext<'a> {
        AskContext {
            policy: &self.policy,
            host: ask.host(&self.host),
            connection: self.connection_view(),
            ask: AskView {
                purpose: &ask.purpose,
                modern: ask.modern,
                alone: self.is_alone(ask),
                is_kept_here: self.host.transport == Transport::Http
                    && matches!(self.serves, Serves::Conversation | Serves::Caller),
                explain: ask.explain,
                values: &ask.values,
                target: ask.target.as_deref(),
                client: &ask.client,
                input: ask.input.as_ref(),
                disk: &ask.disk,
                patience: match ask.wait {
                    Wait::Full | Wait::Refreshing { .. } => Patience::Waits(&self.probes),
                    Wait::TakesOld => Patience::TakesOld,
                    Wait::Over => Patience::GaveUp,
                },
                roots: self.roots_for(ask),
                list_fresh_until: self.connection.cycle.fresh_until(&self.policy),
                list_is_stale: ask.input.is_none() && !self.has_fresh_list(ask),
                refreshes_roots: self.refreshes_roots(ask),
            },
        }
    }

    fn connection_view(&self) -> ConnectionView<'_> {
        let connection = &self.connection;
        let shared = connection.sharing.is_shown();
        ConnectionView {
            client: connection.client.as_ref(),
            shared,
            memory: &connection.memory,
            disk: &connection.disk,
            list: connection.cycle.list(),
            roots_state: match shared {
                true => RootsState::SeveralClients,
                false => connection.cycle.state(&self.policy, self.now),
            },
            stale_answers: connection.cycle.stale_answers(),
            // A caller has no common project, but what it selected counts for every call.
            project: match (&connection.memory.selected, self.serves) {
                (Some(selected), Serves::Caller) => Some(&selected.project),
                _ => connection.project.as_deref(),
            },
            now: self.now,
        }
    }

    /// Whether an ask reads and leaves nothing on the connection: nothing ties its call to the calls before it.
    pub(super) fn is_alone(&self, ask: &PendingAsk) -> bool {
        ask.modern
            && match self.serves {
                Serves::Connection => !self.host.is_one_client() || self.connection.sharing.is_shown(),
                Serves::Conversation => self.connection.sharing.is_shown(),
                Serves::Caller => false,
                Serves::OneCall => true,
            }
    }

    /// The client's roots as an ask may use them.
    fn roots_for<'a>(&'a self, ask: &'a PendingAsk) -> RootsAccess<'a> {
        if ask.modern {
            return self.roots_of_call(ask);
        }
        let Self { policy, connection, now, .. } = self;
        if connection.sharing.is_shown() {
            return RootsAccess::Unavailable(RootsState::SeveralClients);
        }
        let cycle = &connection.cycle;
        let known = match cycle.list() {
            Some(list) => RootsAccess::Known(list),
            None => RootsAccess::Unavailable(cycle.state(policy, *now)),
        };
        let gave_up = match ask.wait {
            Wait::Full | Wait::Refreshing { .. } => false,
            Wait::TakesOld => self.refreshes_roots(ask),
            Wait::Over => true,
        };
        if gave_up || ask.by == AskVia::None || ask.roots.goes_without() {
            return known;
        }
        let each = policy.config.roots.ask == RequestWhen::EachRequest && !ask.roots.has_waited();
        if self.has_fresh_list(ask) && !each {
            return known;
        }
        match cycle.token() {
            Some(token) if cycle.is_overdue() && ask.roots.joined() != Some(token) => known,
            Some(_) => RootsAccess::Wait,
            None if ask.roots.has_waited() || !cycle.may_ask(policy, *now) => known,
            None if !cycle.is_ready() => RootsAccess::Wait,
            None if cycle.is_deferred() && ask.roots.joined().is_some() => RootsAccess::Wait,
            None => RootsAccess::Send,
        }
    }

    /// The roots as a modern ask may use them: those of its own call, else those that its client sent with a call before.
    fn roots_of_call<'a>(&'a self, ask: &'a PendingAsk) -> RootsAccess<'a> {
        if let Some(list) = &ask.input {
            return RootsAccess::Known(list);
        }
        let known = self.connection.cycle.list().filter(|_| !self.is_alone(ask));
        // Nobody reports a change of such a list, so that it counts only where it can become too old.
        let may_reuse =
            self.policy.config.roots.ask != RequestWhen::EachRequest && self.policy.config.timing.max_age_ms.is_some();
        let can_be_asked = ask.by == AskVia::InputRequired
            && ask.client.declares_roots
            && self.policy.config.roots.ask != RequestWhen::Never;
        if let Some(list) = known.filter(|_| !can_be_asked || (may_reuse && self.has_fresh_list(ask))) {
            return RootsAccess::Known(list);
        }
        // Where nobody can be asked, what the client declares is not the cause, and may even be unknown.
        if ask.by != AskVia::InputRequired {
            RootsAccess::Unavailable(RootsState::NotAsked)
        } else if !ask.client.declares_roots {
            // The revision forbids asking for undeclared roots, whatever the policy says.
            RootsAccess::Unavailable(RootsState::Undeclared)
        } else if self.policy.config.roots.ask == RequestWhen::Never {
            RootsAccess::Unavailable(RootsState::NotAsked)
        } else {
            RootsAccess::Input
        }
    }

    /// Whether the list is fresh for an ask: the answer to its own request is never too old.
    fn has_fresh_list(&self, ask: &PendingAsk) -> bool {
        let cycle = &self.connection.cycle;
        if ask.roots.has_waited() { cycle.is_current() } else { cycle.is_fresh(&self.policy, self.now) }
    }

    /// Whether a wait for roots is a wait for a newer list where the last one would do.
    fn refreshes_roots(&self, ask: &PendingAsk) -> bool {
        let each = self.policy.config.roots.ask == RequestWhen::EachRequest;
        !ask.modern && !each && self.connection.cycle.has_unchanged_list()
    }
}
