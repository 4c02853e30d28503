//! What has happened, and what follows from it. Nothing is kept but the log: every question is answered by reading it again.
//!
//! Everything is known by the place in the log where it began, so that an id that the host uses again means something else.

use rootwise::endpoint::event::{CallStarted, ChannelEnd, EndpointEvent, SessionOpened};
use rootwise::host::Transport;
use serde_json::{Map, Value};

use super::memories::{MemoryKey, Whose};

/// A place in the log.
pub type At = usize;

/// One line of the log.
#[derive(Clone, Debug)]
pub enum Entry {
    /// The host told this.
    Event(EndpointEvent),
    /// An ask was put to a resolver, under an id of its own.
    Put(Put),
    /// It was answered or withdrawn.
    AskOver(u32),
    Sent(Sent),
    /// Nobody waits for a request any more.
    RequestOver(u32),
    Probe {
        owner: At,
        /// The resolver's own id.
        own: u32,
    },
    /// The client of a call must be asked this.
    NeedsInput(At, Value),
    /// An answer of a session serves other asks that are like the one it answers.
    Known {
        owner: At,
        like: String,
    },
    /// It was logged that the client of a session, or no client without one, can be asked.
    CannotAsk(Option<At>),
    /// It was logged that calls without a session cannot select.
    CannotSelect,
    /// A list of roots arrived in a session whose lists are announced.
    Listed(At),
    /// A call shares the memory that began with another one, or begins it.
    Shares {
        call: At,
        memory: At,
    },
    /// Whose memory it is that began with a call.
    Remembers {
        memory: At,
        key: MemoryKey,
    },
    Verifying(At),
    Verified(At),
    RootsAnnounced {
        owner: At,
        roots: Value,
    },
}

/// An ask that was put to a resolver.
#[derive(Clone, Debug)]
pub struct Put {
    pub own: u32,
    pub owner: At,
    pub call: Option<At>,
    pub purpose: Purpose,
    pub note: Option<CannotAsk>,
}

/// The one who gets the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Host(u32),
    Round(At),
    Roots,
}

/// Why a client cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CannotAsk {
    NoSession,
    NoStream,
    NotRepeatable,
}

/// A request that was sent; its number is its place among all requests.
#[derive(Clone, Debug)]
pub struct Sent {
    pub number: u32,
    pub owner: At,
    /// The resolver's own token.
    pub token: u32,
    /// Whether it asks the user, and not for roots.
    pub is_form: bool,
    /// The ask that caused it, by the id that the resolver knows.
    pub cause: Option<u32>,
    pub call: Option<At>,
    pub channel: Option<At>,
}

/// A stream.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    pub at: At,
    pub session: At,
    pub is_standalone: bool,
    pub is_cut: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Log(pub Vec<Entry>);

impl Log {
    pub fn add(&mut self, entry: Entry) -> At {
        self.0.push(entry);
        self.0.len() - 1
    }

    pub fn events(&self) -> impl DoubleEndedIterator<Item = (At, &EndpointEvent)> {
        self.0.iter().enumerate().filter_map(|(at, entry)| match entry {
            Entry::Event(event) => Some((at, event)),
            _ => None,
        })
    }

    pub fn events_since(&self, since: At) -> impl Iterator<Item = &EndpointEvent> {
        self.events().filter(move |(at, _)| *at > since).map(|(_, event)| event)
    }

    /// What asks have in common that the last known answer of a resolver serves.
    pub fn known(&self, of: At) -> Option<&String> {
        self.0.iter().rev().find_map(|entry| match entry {
            Entry::Known { owner, like } if *owner == of => Some(like),
            _ => None,
        })
    }

    /// The session with an id that is in use.
    pub fn session(&self, id: u32) -> Option<At> {
        self.session_before(id, self.0.len())
    }

    pub fn session_before(&self, id: u32, end: At) -> Option<At> {
        let (at, event) = self.events().rev().filter(|(at, _)| *at < end).find(|(_, event)| match event {
            EndpointEvent::SessionOpened(opened) => opened.session.0 == id,
            EndpointEvent::SessionClosed(closed) => closed.session.0 == id,
            _ => false,
        })?;
        matches!(event, EndpointEvent::SessionOpened(_)).then_some(at)
    }

    pub fn opened(&self, session: At) -> Option<&SessionOpened> {
        match &self.0[session] {
            Entry::Event(EndpointEvent::SessionOpened(opened)) => Some(opened),
            _ => None,
        }
    }

    pub fn is_http(&self, session: At) -> bool {
        self.opened(session).is_some_and(|opened| opened.transport == Transport::Http)
    }

    pub fn session_id(&self, owner: At) -> Option<u32> {
        self.opened(owner).map(|opened| opened.session.0)
    }

    pub fn is_open(&self, session: At) -> bool {
        self.session_id(session).is_some_and(|id| self.session(id) == Some(session))
    }

    pub fn input_is_closed(&self, session: At) -> bool {
        let id = self.session_id(session);
        self.events_since(session)
            .any(|event| matches!(event, EndpointEvent::InputClosed(closed) if Some(closed.session.0) == id))
    }

    /// The call with an id that is in use.
    pub fn call(&self, id: u32) -> Option<At> {
        let (at, event) = self.events().rev().find(|(_, event)| match event {
            EndpointEvent::CallStarted(started) => started.call.0 == id,
            EndpointEvent::CallEnded(ended) => ended.call.0 == id,
            _ => false,
        })?;
        matches!(event, EndpointEvent::CallStarted(_)).then_some(at)
    }

    pub fn started(&self, call: At) -> Option<&CallStarted> {
        match &self.0[call] {
            Entry::Event(EndpointEvent::CallStarted(started)) => Some(started),
            _ => None,
        }
    }

    /// The memory of a call (E27), by the call that began it.
    pub fn memory(&self, call: At) -> Option<At> {
        self.0.iter().find_map(|entry| match entry {
            Entry::Shares { call: shares, memory } if *shares == call => Some(*memory),
            _ => None,
        })
    }

    /// Whose memory it is that began with a call.
    pub fn memory_key(&self, call: At) -> Option<&MemoryKey> {
        self.0.iter().find_map(|entry| match entry {
            Entry::Remembers { memory, key } if *memory == call => Some(key),
            _ => None,
        })
    }

    /// How many forms were sent, how many were in results, and how many conversations had a memory on a pipe.
    pub fn reached(&self) -> [usize; 3] {
        let count = |is_it: fn(&Entry) -> bool| self.0.iter().filter(|entry| is_it(entry)).count();
        [
            count(|entry| matches!(entry, Entry::Sent(sent) if sent.is_form)),
            count(|entry| matches!(entry, Entry::NeedsInput(_, questions) if !questions["rootwise-project"].is_null())),
            count(|entry| matches!(entry, Entry::Remembers { key: (Whose::Pipe(_), ..), .. })),
        ]
    }

    /// The owner of a call's resolver: its memory, its session, or the call itself; none if its session did not exist.
    pub fn owner(&self, call: At) -> Option<At> {
        if let Some(memory) = self.memory(call) {
            return Some(memory);
        }
        match self.started(call)?.session {
            None => Some(call),
            Some(session) => self.session_before(session.0, call),
        }
    }

    pub fn has_returned(&self, call: At) -> bool {
        let id = self.started(call).map(|started| started.call);
        self.events_since(call)
            .any(|event| matches!(event, EndpointEvent::CallReturned(returned) if Some(returned.call) == id))
    }

    pub fn has_asked(&self, call: At) -> bool {
        self.puts().any(|put| put.call == Some(call) && matches!(put.purpose, Purpose::Host(_)))
    }

    /// The questions for the client of a call.
    pub fn questions(&self, call: At) -> Option<Value> {
        let mut all = Map::new();
        for entry in &self.0 {
            if let Entry::NeedsInput(needs, Value::Object(questions)) = entry
                && *needs == call
            {
                all.extend(questions.clone());
            }
        }
        (!all.is_empty()).then_some(Value::Object(all))
    }

    /// The channel with an id, with the calls that share it, as the log tells its life.
    pub fn channel(&self, id: u32) -> Option<(Channel, Vec<At>)> {
        let mut found: Option<(Channel, Vec<At>)> = None;
        for (at, event) in self.events() {
            match event {
                EndpointEvent::ChannelOpened(opened) if opened.channel.0 == id => match &mut found {
                    Some((channel, _)) => channel.is_cut = false,
                    None => {
                        let session = self.session_before(opened.session.0, at);
                        found = session
                            .map(|session| (Channel { at, session, is_standalone: true, is_cut: false }, Vec::new()));
                    }
                },
                EndpointEvent::ChannelClosed(closed) if closed.channel.0 == id => match closed.end {
                    ChannelEnd::Broken => found = None,
                    ChannelEnd::Cut => {
                        if let Some((channel, _)) = &mut found {
                            channel.is_cut = true;
                        }
                    }
                    other => panic!("no rule for {other:?}"),
                },
                EndpointEvent::CallStarted(started) if started.channel.is_some_and(|channel| channel.0 == id) => {
                    let Some(session) = started.session.and_then(|session| self.session_before(session.0, at)) else {
                        continue;
                    };
                    if self.is_http(session) && self.memory(at).is_none() {
                        let new = Channel { at, session, is_standalone: false, is_cut: false };
                        found.get_or_insert((new, Vec::new())).1.push(at);
                    }
                }
                EndpointEvent::CallEnded(ended) => {
                    if let Some((channel, calls)) = &mut found {
                        calls.retain(|call| self.started(*call).is_none_or(|started| started.call != ended.call));
                        if calls.is_empty() && !channel.is_standalone {
                            found = None;
                        }
                    }
                }
                EndpointEvent::SessionClosed(closed) => {
                    found.take_if(|(channel, _)| self.session_id(channel.session) == Some(closed.session.0));
                }
                _ => {}
            }
        }
        found
    }

    /// The channel of a call, as long as it is there; the outer value says whether the call ever had one.
    pub fn channel_of(&self, call: At) -> Option<Option<Channel>> {
        let session = self.owner(call).filter(|owner| *owner != call)?;
        let id = self.started(call)?.channel.filter(|_| self.is_http(session))?;
        Some(self.channel(id.0).filter(|(_, calls)| calls.contains(&call)).map(|(channel, _)| channel))
    }

    /// Whether the stream of a call broke while its session was open.
    pub fn is_cut_off(&self, call: At) -> bool {
        let Some(started) = self.started(call).filter(|_| self.channel_of(call) == Some(None)) else { return false };
        let is_end = |event: &&EndpointEvent| match event {
            EndpointEvent::ChannelClosed(closed) => {
                closed.end == ChannelEnd::Broken && Some(closed.channel) == started.channel
            }
            EndpointEvent::SessionClosed(closed) => Some(closed.session) == started.session,
            _ => false,
        };
        matches!(self.events_since(call).find(is_end), Some(EndpointEvent::ChannelClosed(_)))
    }

    /// The streams of a session outside calls, in the order of their opening.
    pub fn standalone(&self, session: At) -> Vec<Channel> {
        let mut ids: Vec<u32> = self
            .events()
            .filter_map(|(_, event)| match event {
                EndpointEvent::ChannelOpened(opened) => Some(opened.channel.0),
                _ => None,
            })
            .collect();
        ids.sort_unstable();
        ids.dedup();
        let all = ids.into_iter().filter_map(|id| self.channel(id)).map(|(channel, _)| channel);
        let mut found: Vec<Channel> =
            all.filter(|channel| channel.is_standalone && channel.session == session).collect();
        found.sort_by_key(|channel| channel.at);
        found
    }

    pub fn puts(&self) -> impl Iterator<Item = &Put> {
        self.0.iter().filter_map(|entry| match entry {
            Entry::Put(put) => Some(put),
            _ => None,
        })
    }

    /// The asks that wait, in the order of their arrival.
    pub fn waiting(&self) -> impl Iterator<Item = &Put> {
        let is_over = |own: u32| self.0.iter().any(|entry| matches!(entry, Entry::AskOver(over) if *over == own));
        self.puts().filter(move |put| !is_over(put.own))
    }

    pub fn put(&self, own: u32) -> Option<&Put> {
        self.puts().find(|put| put.own == own)
    }

    pub fn sent(&self) -> impl DoubleEndedIterator<Item = &Sent> {
        self.0.iter().filter_map(|entry| match entry {
            Entry::Sent(sent) => Some(sent),
            _ => None,
        })
    }

    /// The requests of an owner for which the host waits: one for roots and one for the user at most, in this order.
    pub fn requests(&self, owner: At) -> Vec<Sent> {
        let is_over =
            |number: u32| self.0.iter().any(|entry| matches!(entry, Entry::RequestOver(over) if *over == number));
        let open = self.sent().filter(|sent| sent.owner == owner && !is_over(sent.number));
        let mut open: Vec<Sent> = open.cloned().collect();
        open.sort_by_key(|sent| sent.is_form);
        open
    }

    /// The request for roots of an owner for which the host waits.
    pub fn in_flight(&self, owner: At) -> Option<Sent> {
        self.requests(owner).into_iter().find(|sent| !sent.is_form)
    }

    /// Whether a request is one of the last finished ones that a session remembers.
    pub fn is_remembered(&self, sent: &Sent) -> bool {
        let finished: Vec<u32> = self
            .0
            .iter()
            .filter_map(|entry| match entry {
                Entry::RequestOver(number) => Some(*number),
                _ => None,
            })
            .filter(|number| self.sent().any(|other| other.number == *number && other.owner == sent.owner))
            .collect();
        finished.iter().rev().take(8).any(|number| *number == sent.number)
    }

    pub fn probes(&self) -> Vec<(At, u32)> {
        let probes = self.0.iter().filter_map(|entry| match entry {
            Entry::Probe { owner, own } => Some((*owner, *own)),
            _ => None,
        });
        probes.collect()
    }

    pub fn roots_are_watched(&self) -> bool {
        let last = self.events().rev().find_map(|(_, event)| match event {
            EndpointEvent::RootsWatched(watched) => Some(watched.watched),
            _ => None,
        });
        last.unwrap_or(false)
    }
}

impl PartialEq for Channel {
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at
    }
}
