//! The answers to requests for the client's roots.

use alloc::sync::Arc;

use super::resolver::{Resolver, Turn};
use super::roots_cycle::{AfterFailure, Failure, TokenStatus};
use crate::api::event::{RefusalKind, RequestRefused};
use crate::api::host::Transport;
use crate::api::project::Project;
use crate::id::{RequestToken, Time};
use crate::peer::client::means_unsupported;
use crate::peer::root_list::RootList;
use crate::policy::SourceKind;

impl Resolver {
    pub(super) fn roots_listed(&mut self, request: Option<RequestToken>, result: &str, turn: &mut Turn) {
        if request.is_some() && request == self.connection.question.token() {
            return self.logger(turn).answer_ignored(TokenStatus::InFlight);
        }
        let answers_request = match request.map(|token| self.connection.cycle.token_status(token)) {
            None => false,
            Some(TokenStatus::InFlight) => true,
            Some(status) => return self.ignore_answer(status, request, turn),
        };
        let list = RootList::read(result, &self.policy, &self.host);
        let may_be_shared = self.host.transport != Transport::Http && self.connection.sharing.expects_second_answer();
        match request.filter(|_| may_be_shared && answers_request) {
            Some(token) if self.connection.cycle.holds_answer() => self.answered_twice(token, turn),
            Some(_) => self.connection.cycle.hold(list, self.now),
            None => self.accept_list(list, self.now, request, turn),
        }
    }

    /// Two clients answered the request in flight: neither answer counts.
    fn answered_twice(&mut self, token: RequestToken, turn: &mut Turn) {
        if self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.several();
            self.forget_if_shared(was_shown, turn);
        }
        self.connection.has_evidence = true;
        if self.connection.cycle.failed(Failure::Failed, &self.policy, self.now) == AfterFailure::Without {
            self.asks.conclude(token, true);
        }
    }

    /// Takes a list of roots that arrived at a time, as the answer to a request or from the host.
    pub(super) fn accept_list(
        &mut self,
        list: RootList,
        arrived: Time,
        request: Option<RequestToken>,
        turn: &mut Turn,
    ) {
        let answers_request = request.is_some();
        self.logger(turn).roots_listed(&list, &self.connection);
        let memory = &mut self.connection.memory;
        let lost = |project: &Arc<Project>| project.source == SourceKind::Roots && !list.has(project);
        if !self.policy.config.memory.keep_lost_root && memory.remembered.as_ref().is_some_and(lost) {
            memory.remembered = None;
        }
        let confirms = |known: &RootList| self.connection.cycle.is_current() && *known == list;
        if !self.connection.cycle.list().is_none_or(confirms) {
            self.connection.disk.clear();
        }
        let newest = self.connection.cycle.listed(list, arrived, answers_request, &self.policy, self.now);
        if let (true, Some(token)) = (newest, request) {
            self.asks.conclude(token, false);
        }
        self.connection.has_evidence = true;
        self.connection.lists = self.connection.lists.wrapping_add(1);
        turn.probe_connection = true;
    }

    pub(super) fn request_refused(&mut self, refused: &RequestRefused, turn: &mut Turn) {
        if self.form_refused(refused, turn) {
            return;
        }
        let status = self.connection.cycle.token_status(refused.request);
        if status != TokenStatus::InFlight {
            let by_client = (refused.kind == RefusalKind::Error).then_some(refused.request);
            return self.ignore_answer(status, by_client, turn);
        }
        if refused.kind == RefusalKind::Error {
            if self.connection.cycle.holds_answer() {
                return self.answered_twice(refused.request, turn);
            }
            self.connection.cycle.refused_by_client();
        }
        self.connection.has_evidence = true;
        if refused.kind == RefusalKind::Abandoned {
            match self.connection.cycle.abandoned(&self.policy, self.now) {
                AfterFailure::Again => self.asks.abandon(refused.request),
                AfterFailure::Without => self.asks.conclude(refused.request, true),
            }
            return self.logger(turn).roots_refused(refused, false);
        }
        let message = refused.message.as_deref().unwrap_or_default();
        let unsupported = refused.kind == RefusalKind::Error && means_unsupported(refused.code, message);
        let failure = if unsupported { Failure::Unsupported } else { Failure::Failed };
        let after = self.connection.cycle.failed(failure, &self.policy, self.now);
        self.logger(turn).roots_refused(refused, unsupported);
        if after == AfterFailure::Without {
            self.asks.conclude(refused.request, true);
        }
    }

    /// The user's answer to something that is no question for a user, or to one that is over.
    pub(super) fn ignore_reply(&mut self, request: RequestToken, turn: &mut Turn) {
        match self.connection.cycle.token_status(request) {
            status @ TokenStatus::InFlight => self.logger(turn).answer_ignored(status),
            status => self.ignore_answer(status, Some(request), turn),
        }
    }

    /// `by_client` is the request, if the answer came from the client and not from the host.
    fn ignore_answer(&mut self, status: TokenStatus, by_client: Option<RequestToken>, turn: &mut Turn) {
        let is_second = self.connection.cycle.ignored_answer(by_client);
        self.logger(turn).answer_ignored(status);
        if is_second && self.host.transport != Transport::Http {
            let was_shown = self.connection.sharing.is_shown();
            self.connection.sharing.several();
            self.forget_if_shared(was_shown, turn);
        }
    }
}
