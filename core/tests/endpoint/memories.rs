//! Whose memory a call has, and the folders of its caller (E24 and E27).

use rootwise::endpoint::event::{CallStarted, EndpointEvent};
use rootwise::event::Event;
use rootwise::host::{HostFacts, Transport};
use rootwise::{Resolver, ResolverBuilder};

use super::carry::saved;
use super::log::{At, Entry};
use super::model::{Model, Turn, has_relative};
use super::parts;

/// Who may name conversations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    Pipe(At),
    Caller(String),
    Machine,
}

/// Whose memory it is, with the client and the conversation.
pub type MemoryKey = (Whose, Option<String>, Option<String>);

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

    /// Whose memory a new call has (E27).
    pub fn memory_key(&self, started: &CallStarted) -> Option<MemoryKey> {
        let session = started.session.map(|session| self.log.session(session.0));
        let parts = parts::call(started, &self.policy);
        let (transport, local) = match session {
            Some(None) => return None,
            Some(Some(session)) => {
                let opened = self.log.opened(session).unwrap();
                if !parts.is_modern {
                    return None;
                }
                if opened.transport != Transport::Http {
                    let resolver = &self.resolvers[&session];
                    let fits = started.allowed_dirs.is_none() || resolver.host().allowed_dirs.is_some();
                    let is_one = resolver.host().dedicated != Some(false) || opened.transport != Transport::Stdio;
                    let has_one = parts.conversation.is_some() && fits && is_one && !is_shared(resolver);
                    return has_one.then_some((Whose::Pipe(session), parts.client, parts.conversation));
                }
                (opened.transport, opened.local)
            }
            None => (started.transport.unwrap_or(Transport::Http), started.local),
        };
        if transport == Transport::Http && self.process_facts().replicas {
            return None;
        }
        let facts = self.facts(transport, local, None);
        let is_local = facts.local.unwrap_or(transport == Transport::Stdio);
        let whose = match &started.caller {
            Some(caller) => Whose::Caller(caller.clone()),
            None if parts.conversation.is_some() && is_local => Whose::Machine,
            None => return None,
        };
        Some((whose, parts.client, parts.conversation))
    }

    /// The memories of conversations on a pipe.
    fn conversations(&self, pipe: At) -> Vec<At> {
        let is_its = |owner: &At| matches!(self.log.memory_key(*owner), Some((Whose::Pipe(of), ..)) if *of == pipe);
        self.resolvers.keys().copied().filter(is_its).collect()
    }

    /// The conversations of a pipe end with it.
    pub fn end_conversations(&mut self, pipe: At, turn: &mut Turn) {
        for memory in self.conversations(pipe) {
            self.process(memory, Event::Closed, turn);
            self.resolvers.remove(&memory);
        }
    }

    /// Once several clients share a pipe, its conversations count for nothing. What becomes of a call that has begun the
    /// resolvers of the model cannot be told; a vector has it.
    pub fn share_conversations(&mut self, pipe: At) {
        if self.log.opened(pipe).is_some() && is_shared(&self.resolvers[&pipe]) {
            let conversations = self.conversations(pipe);
            let is_in_use = |(at, event): (At, &EndpointEvent)| match event {
                EndpointEvent::CallStarted(started) if self.log.call(started.call.0) == Some(at) => {
                    self.log.memory(at).is_some_and(|memory| conversations.contains(&memory))
                }
                _ => false,
            };
            self.is_lost |= self.log.events().any(is_in_use);
        }
    }

    /// Has a call share the newest memory with its key, unless that cannot be confined as the call is.
    pub fn join_memory(&mut self, call: At, key: &MemoryKey, turn: &mut Turn) {
        let mut memories = self.resolvers.keys().copied();
        let known = memories.find(|owner| self.log.memory_key(*owner) == Some(key));
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
        self.log.add(Entry::Remembers { memory: call, key: key.clone() });
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

/// Whether several clients have shown themselves to a resolver.
fn is_shared(resolver: &Resolver) -> bool {
    saved(resolver)["state"]["sharing"]["shown"] == true
}
