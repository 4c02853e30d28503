//! Whose memory a call has, and the folders of its caller (E24 and E27).

use rootwise::endpoint::event::CallStarted;
use rootwise::event::Event;
use rootwise::host::{HostFacts, Transport};
use rootwise::{Resolver, ResolverBuilder};

use super::log::{At, Entry};
use super::model::{Model, Turn, has_relative};
use super::parts;

/// Whose memory it is: a caller, a client and a conversation.
type MemoryKey = (Option<String>, Option<String>, Option<String>);

impl Model {
    /// The folders of a call that has a memory: its own, or those of its session.
    pub fn callers_dirs(&self, call: At) -> Option<Vec<String>> {
        let started = self.log.started(call).unwrap();
        let session = started.session.and_then(|session| self.log.session_before(session.0, call));
        let of_session = || self.log.opened(session?)?.allowed_dirs.clone();
        started.allowed_dirs.clone().or_else(of_session)
    }

    /// What a call that has a memory says about its host; that of a session is its session's.
    pub fn callers_facts(&self, call: At) -> HostFacts {
        let started = self.log.started(call).unwrap();
        let session = started.session.and_then(|session| self.log.session_before(session.0, call));
        match session.and_then(|session| self.log.opened(session)) {
            Some(opened) => self.facts(opened.transport, opened.local, opened.push),
            None => self.facts(started.transport.unwrap_or(Transport::Http), started.local, None),
        }
    }

    /// Whose memory a call has (E27). Cases name no conversations on pipes, which have no memory then.
    pub fn memory_key(&self, started: &CallStarted) -> Option<MemoryKey> {
        let parts = parts::call(started, &self.policy);
        let session = started.session.map(|session| self.log.session(session.0));
        let (transport, local) = match session {
            Some(None) => return None,
            Some(Some(session)) => {
                let opened = self.log.opened(session).unwrap();
                if !parts.is_modern || opened.transport != Transport::Http {
                    return None;
                }
                (opened.transport, opened.local)
            }
            None => (started.transport.unwrap_or(Transport::Http), started.local),
        };
        let facts = self.facts(transport, local, None);
        let is_local = facts.local.unwrap_or(transport == Transport::Stdio);
        let is_of_machine = parts.conversation.is_some() && is_local;
        (started.caller.is_some() || is_of_machine).then(|| (started.caller.clone(), parts.client, parts.conversation))
    }

    /// Has a call share the newest memory with its key, unless that cannot be confined as the call is.
    pub fn join_memory(&mut self, call: At, key: &MemoryKey, turn: &mut Turn) {
        let is_like = |other: At| {
            let started = self.log.started(other).unwrap();
            let parts = parts::call(started, &self.policy);
            (started.caller.clone(), parts.client, parts.conversation) == *key
        };
        let mut memories: Vec<At> = self.resolvers.keys().copied().collect();
        memories.retain(|owner| self.log.memory(*owner) == Some(*owner));
        let known = memories.into_iter().find(|owner| is_like(*owner));
        let dirs = self.callers_dirs(call);
        if let Some(memory) = known {
            let is_confined = self.resolvers[&memory].host().allowed_dirs.is_some();
            if dirs.is_none() || is_confined {
                self.log.add(Entry::Shares { call, memory });
                return;
            }
            self.process(memory, Event::Closed, turn);
            self.resolvers.remove(&memory);
        }
        self.log.add(Entry::Shares { call, memory: call });
        let builder = Resolver::builder(self.callers_facts(call)).policy(self.policy.clone());
        let builder = dirs.iter().fold(builder, ResolverBuilder::allowed_dirs);
        let builder = if key.2.is_some() { builder.for_conversation() } else { builder.for_caller() };
        self.resolvers.insert(call, builder.build().unwrap());
    }

    pub fn has_bad_dirs(&self, started: &CallStarted) -> bool {
        if self.memory_key(started).is_some() {
            return has_relative(started.allowed_dirs.as_ref());
        }
        let session = started.session.map(|session| self.log.session(session.0));
        let own = |session: At| self.log.opened(session).and_then(|opened| opened.allowed_dirs.clone());
        match session {
            None => has_relative(started.allowed_dirs.as_ref()),
            Some(Some(session)) if started.allowed_dirs.is_some() && started.allowed_dirs != own(session) => {
                let has_none = own(session).is_none() && self.process_facts().allowed_dirs.is_none();
                has_none || has_relative(started.allowed_dirs.as_ref())
            }
            Some(_) => false,
        }
    }
}
