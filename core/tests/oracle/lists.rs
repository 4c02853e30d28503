//! Which list of roots counts for an ask.

use rootwise::event::AskVia;
use rootwise::policy::RequestWhen;

use super::decide::{RootsNow, Says, declares_roots, own_roots};
use super::history::History;
use super::peer::RawList;
use super::record::{Ask, List};
use super::values::Patience;

impl History {
    pub fn roots_now(&self, ask: Option<&Ask>, patience: Patience) -> RootsNow {
        let list = || self.list().filter(|_| !self.is_shared());
        let known = || {
            let waited = |list: &List| {
                ask.is_some_and(|ask| self.was_served(ask) || self.was_refused(ask)) && !self.is_stale(list)
            };
            self.reads(list().is_some_and(|list| !self.is_current(&list) && !waited(&list)));
            RootsNow::Use(list().map(|list| list.roots))
        };
        let Some(ask) = ask else {
            return known();
        };
        if ask.modern {
            return self.modern_roots(ask);
        }
        let cannot =
            self.policy.config().roots.ask == RequestWhen::Never || ask.by != AskVia::Request || self.is_shared();
        if patience == Patience::Over || cannot || self.goes_without(ask) {
            return known();
        }
        if self.list().is_some_and(|list| self.is_good_for(&list, ask)) {
            return known();
        }
        if self.list_is_refreshed_for(ask) && self.refresh_is_over(ask) {
            return known();
        }
        if let Some(request) = self.in_flight() {
            // A silent client costs one wait, not one per call.
            let waits = self.waited_for(ask, usize::MAX) == Some(request.token);
            return if request.overdue && !waits { known() } else { RootsNow::WaitForRequest };
        }
        if self.was_served(ask) {
            // It waits for a newer list that is on its way, but asks only once.
            return known();
        }
        if self.deferred().is_some() && self.waited_for(ask, usize::MAX).is_some() {
            return RootsNow::WaitForMore;
        }
        if self.may_ask() {
            RootsNow::Send
        } else if !self.is_ready() && self.asking_is_possible() {
            RootsNow::WaitForMore
        } else {
            known()
        }
    }

    /// Whether a list is new enough for an ask.
    fn is_good_for(&self, list: &List, ask: &Ask) -> bool {
        let served = self.was_served(ask);
        let new = served || (self.is_fresh(list.at) && self.policy.config().roots.ask != RequestWhen::EachRequest);
        !self.is_stale(list) && new
    }

    /// Whether an ask waits for roots only for a short time: a list is known and, as far as anybody said, still true.
    pub fn list_is_refreshed_for(&self, ask: &Ask) -> bool {
        self.list_is_unchanged() && !ask.modern && self.policy.config().roots.ask != RequestWhen::EachRequest
    }

    /// Whether a list is known and no change was reported since it was asked for.
    pub fn list_is_unchanged(&self) -> bool {
        self.list().is_some_and(|list| !self.changed_since(list.asked_at_place))
    }

    /// What a source says while roots are not there.
    pub fn says_roots(&self, now: &RootsNow, ask: Option<&Ask>) -> Says {
        if matches!(now, RootsNow::NeedsInput) {
            return Says::NeedsInput;
        }
        let refresh = ask.is_some_and(|ask| self.list_is_refreshed_for(ask));
        let (send, request) = (matches!(now, RootsNow::Send), matches!(now, RootsNow::WaitForRequest));
        Says::Roots { send, request, refresh }
    }

    fn modern_roots(&self, ask: &Ask) -> RootsNow {
        if let Some(ours) = own_roots(&ask.facts) {
            return RootsNow::Use(Some(RawList::read(&ours, self.policy.config())));
        }
        let when = self.policy.config().roots.ask;
        let cannot = when == RequestWhen::Never || ask.by != AskVia::InputRequired || !declares_roots(ask);
        // What its client sent with a call before counts while it is fresh, or where nobody can be asked.
        let ages = self.policy.config().timing.max_age_ms.is_some();
        let may_reuse = ages && when != RequestWhen::EachRequest;
        if let Some(list) = self.list().filter(|_| !self.is_alone(ask))
            && (cannot || (self.is_current(&list) && may_reuse))
        {
            self.reads(!self.is_current(&list));
            return RootsNow::Use(Some(list.roots));
        }
        if cannot { RootsNow::Use(None) } else { RootsNow::NeedsInput }
    }

    /// Whether the client of an ask has roots, as far as it says.
    pub fn has_roots(&self, ask: &Ask) -> bool {
        if ask.modern { declares_roots(ask) } else { self.initialized() == Some(true) && !self.is_unsupported() }
    }

    pub fn most_roots(&self) -> usize {
        usize::try_from(self.policy.config().limits.roots).unwrap()
    }
}
