//! Memories: what is kept between the calls that belong to no session. Whose calls share one is decided here, and nowhere else.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::event::CallStarted;
use super::parts::Described;
use super::sessions::Session;
use super::turn::Turn;
use super::{Endpoint, OwnFacts, Scope};
use crate::api::host::Transport;
use crate::error::Misuse;
use crate::id::{Millis, SessionId};
use crate::machine::builder::Serves;
use crate::path::uri::fingerprint;

/// The memories of one owner; of a new one, the client that has the most forgets the one that it has not used for longest.
const MAX_PER_OWNER: usize = 64;
/// The memories of all owners.
const MAX_MEMORIES: usize = 4096;
/// How long a memory lasts that nobody uses.
const LIFE_MS: u64 = 24 * 60 * 60 * 1000;

/// A text in a fixed size: what callers and conversations are called is theirs to choose, and may be a secret.
type Fingerprint = [u8; 32];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemoryId(u32);

/// Whose calls share a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MemoryKey {
    owner: Owner,
    /// The client as it calls itself: one caller may use several.
    client: Option<Fingerprint>,
    conversation: Option<Fingerprint>,
}

/// Who is trusted to name its own conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// The client on a pipe.
    Session(SessionId),
    /// Somebody whom the host has authenticated.
    Caller(Fingerprint),
    /// The user of this machine, whose client calls over HTTP.
    Machine,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    id: MemoryId,
    /// Counts the uses of all memories.
    turn: u64,
    at: Millis,
}

impl Use {
    const fn is_old(&self, now: Millis) -> bool {
        now.0.saturating_sub(self.at.0) >= LIFE_MS
    }
}

/// All memories, by their keys and by their last use.
#[derive(Clone, Debug, Default)]
pub(super) struct Memories {
    by_key: BTreeMap<MemoryKey, Use>,
    by_use: BTreeMap<u64, MemoryKey>,
    /// How many each owner has.
    sizes: BTreeSet<(usize, Owner)>,
    last_id: u32,
    turns: u64,
}

impl Memories {
    /// The memory with this key, and whether it has lasted until now.
    fn touch(&mut self, key: MemoryKey, now: Millis) -> Option<(MemoryId, bool)> {
        let known = self.by_key.get_mut(&key)?;
        let lasts = !known.is_old(now);
        self.by_use.remove(&known.turn);
        self.turns = self.turns.saturating_add(1);
        (known.turn, known.at) = (self.turns, now);
        self.by_use.insert(self.turns, key);
        Some((known.id, lasts))
    }

    fn add(&mut self, key: MemoryKey, now: Millis) -> MemoryId {
        self.last_id = self.last_id.wrapping_add(1);
        self.turns = self.turns.saturating_add(1);
        let id = MemoryId(self.last_id);
        let before = self.of(key.owner).count();
        self.by_key.insert(key, Use { id, turn: self.turns, at: now });
        self.by_use.insert(self.turns, key);
        self.resize(key.owner, before);
        id
    }

    fn remove(&mut self, key: &MemoryKey) -> Option<MemoryId> {
        let before = self.of(key.owner).count();
        let Use { id, turn, .. } = self.by_key.remove(key)?;
        self.by_use.remove(&turn);
        self.resize(key.owner, before);
        Some(id)
    }

    /// The memories of an owner, with the number of their last use.
    fn of(&self, owner: Owner) -> impl Iterator<Item = (&MemoryKey, &Use)> {
        let first = MemoryKey { owner, client: None, conversation: None };
        self.by_key.range(first..).take_while(move |(key, _)| key.owner == owner)
    }

    /// Those that nobody used for too long.
    fn old(&self, now: Millis) -> Vec<MemoryKey> {
        let is_old = |key: &&MemoryKey| self.by_key.get(*key).is_some_and(|known| known.is_old(now));
        self.by_use.values().take_while(is_old).copied().collect()
    }

    /// Whether there is no room for another one of this owner.
    fn is_full(&self, owner: Owner) -> bool {
        self.by_key.len() >= MAX_MEMORIES || self.of(owner).count() >= MAX_PER_OWNER
    }

    /// One to forget for another one of this owner: whoever has the most loses what it has not used for longest, so that nobody
    /// loses anything to somebody who has more.
    fn surplus(&self, owner: Owner, is_idle: impl Fn(MemoryId) -> bool) -> Option<MemoryKey> {
        if self.of(owner).count() >= MAX_PER_OWNER {
            return self.least_used(owner, &is_idle);
        }
        let with_several = self.sizes.iter().rev().take_while(|(size, _)| *size > 1);
        let crowded = with_several.map(|(_, owner)| *owner).find_map(|owner| self.least_used(owner, &is_idle));
        let is_free = |key: &&MemoryKey| self.by_key.get(*key).is_some_and(|known| is_idle(known.id));
        crowded.or_else(|| self.by_use.values().find(is_free).copied())
    }

    /// Of the client of an owner that has the most memories, the one that was unused for longest.
    fn least_used(&self, owner: Owner, is_idle: &impl Fn(MemoryId) -> bool) -> Option<MemoryKey> {
        let mut clients: BTreeMap<Option<Fingerprint>, (usize, Reverse<u64>, MemoryKey)> = BTreeMap::new();
        for (key, known) in self.of(owner).filter(|(_, known)| is_idle(known.id)) {
            let (count, oldest, of_client) = clients.entry(key.client).or_insert((0, Reverse(known.turn), *key));
            *count = count.saturating_add(1);
            if known.turn < oldest.0 {
                (*oldest, *of_client) = (Reverse(known.turn), *key);
            }
        }
        clients.into_values().max().map(|(.., key)| key)
    }

    /// Takes note that the number of an owner's memories was another one before.
    fn resize(&mut self, owner: Owner, before: usize) {
        self.sizes.remove(&(before, owner));
        let size = self.of(owner).count();
        if size > 0 {
            self.sizes.insert((size, owner));
        }
    }
}

impl Endpoint {
    /// The scope of a call: its session; or a memory that it shares with other calls, which is created if it is new; or itself.
    /// With it come the folders to which its caller is confined.
    pub(super) fn scope_of(
        &mut self,
        started: &CallStarted,
        described: &Described,
        turn: &mut Turn,
    ) -> Result<(Scope, Option<Vec<String>>), Misuse> {
        let alone = Scope::Call(started.call);
        let without_memory = match started.session {
            Some(session) if self.session(session).is_none() => return Ok((alone, None)),
            session => (session.map_or(alone, Scope::Session), started.allowed_dirs.clone()),
        };
        // A mistake of the host is found before anything changes.
        self.check_dirs(started.allowed_dirs.as_deref())?;
        let Some((key, own)) = self.memory_key(started, described, turn) else { return Ok(without_memory) };
        let dirs = own.allowed_dirs.clone();
        if let Some((id, lasts)) = self.memories.touch(key, self.now) {
            let scope = Scope::Memory(id);
            if lasts && self.scopes.get(&scope).is_some_and(|memory| memory.takes_dirs(dirs.as_ref())) {
                return Ok((scope, dirs));
            }
            self.memories.remove(&key);
            self.close_scope(scope, turn);
        }
        for key in self.memories.old(self.now) {
            self.forget_idle(&key);
        }
        if self.memories.is_full(key.owner) {
            let surplus = self.memories.surplus(key.owner, |id| self.is_idle(id));
            if !surplus.is_some_and(|key| self.forget_idle(&key)) {
                return Ok(without_memory);
            }
        }
        let serves = if key.conversation.is_some() { Serves::Conversation } else { Serves::Caller };
        let memory = Session::new(self.builder(&own)?.serving(serves).build()?, own);
        let scope = Scope::Memory(self.memories.add(key, self.now));
        self.scopes.insert(scope, memory.into());
        Ok((scope, dirs))
    }

    /// Whether no call has this memory now.
    fn is_idle(&self, id: MemoryId) -> bool {
        self.scopes.get(&Scope::Memory(id)).is_none_or(|memory| memory.calls.is_empty())
    }

    /// Forgets a memory that no call has now.
    fn forget_idle(&mut self, key: &MemoryKey) -> bool {
        if !self.memories.by_key.get(key).is_some_and(|known| self.is_idle(known.id)) {
            return false;
        }
        if let Some(id) = self.memories.remove(key) {
            self.remove_scope(Scope::Memory(id));
        }
        true
    }

    /// Whose memory a call has, if it has one beside that of its session; and what its resolver is made with.
    fn memory_key(
        &mut self,
        started: &CallStarted,
        described: &Described,
        turn: &mut Turn,
    ) -> Option<(MemoryKey, OwnFacts)> {
        let conversation = described.conversation.as_deref().map(fingerprint);
        let client = described.client.as_deref().map(fingerprint);
        let dirs = started.allowed_dirs.clone();
        let of_session = started.session.and_then(|id| Some((id, self.session(id)?)));
        let own = match of_session {
            Some(_) if !described.is_modern => return None,
            Some((_, session)) => {
                OwnFacts { allowed_dirs: dirs.or_else(|| session.own.allowed_dirs.clone()), ..session.own.clone() }
            }
            None => {
                let transport = started.transport.unwrap_or(Transport::Http);
                OwnFacts { transport, local: started.local, push: None, allowed_dirs: dirs }
            }
        };
        let owner = match (of_session, &started.caller) {
            (Some((id, session)), _) if !session.is_http() => {
                conversation.filter(|_| session.takes_dirs(own.allowed_dirs.as_ref()))?;
                self.client_described(id, described.client.as_deref(), turn);
                let resolver = &self.session(id)?.resolver;
                let is_one = resolver.host().is_one_client() && !resolver.is_shared();
                is_one.then_some(Owner::Session(id))?
            }
            _ if self.hosts.of(own.transport).replicas && own.transport == Transport::Http => return None,
            (_, Some(caller)) => Owner::Caller(fingerprint(caller)),
            (_, None) => {
                let is_of_machine = conversation.is_some() && self.hosts.with(&own).is_local();
                is_of_machine.then_some(Owner::Machine)?
            }
        };
        Some((MemoryKey { owner, client, conversation }, own))
    }

    /// Several clients have shown themselves on the pipe of a session: no later call has one of its memories, and those that
    /// have one are stateless.
    pub(super) fn share_conversations(&mut self, session: SessionId, turn: &mut Turn) {
        let ids: Vec<MemoryId> = self.memories.of(Owner::Session(session)).map(|(_, known)| known.id).collect();
        for id in ids {
            self.several_clients(Scope::Memory(id), turn);
        }
    }

    /// Ends the memories of a session.
    pub(super) fn forget_conversations(&mut self, session: SessionId, turn: &mut Turn) {
        let keys: Vec<MemoryKey> = self.memories.of(Owner::Session(session)).map(|(key, _)| *key).collect();
        for key in keys {
            if let Some(id) = self.memories.remove(&key) {
                self.close_scope(Scope::Memory(id), turn);
            }
        }
    }
}

impl Session {
    /// Whether a call with these folders can use it: one that was created without any cannot be confined later.
    fn takes_dirs(&self, dirs: Option<&Vec<String>>) -> bool {
        dirs.is_none() || self.resolver.host().allowed_dirs.is_some()
    }
}
