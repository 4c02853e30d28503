//! The asks that wait.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::probes::Probes;
use super::roots_cycle::RootsCycle;
use crate::api::event::{AskBy, Asked, RequestFacts, SelectBy, Selected, SelectionCleared, Want};
use crate::api::host::HostFacts;
use crate::id::{AskId, RequestToken, Time};
use crate::peer::client::Client;
use crate::peer::raw;
use crate::peer::root_list::RootList;
use crate::policy::{Ask, Policy};
use crate::resolve::disk::{Disk, PathInfo};
use crate::resolve::sources::{RequestValues, bounded};

/// The key of the resolver's question among a call's input requests.
pub const INPUT_KEY: &str = "rootwise";

/// An ask as it arrives.
pub(crate) struct NewAsk {
    pub(crate) id: AskId,
    pub(crate) purpose: Purpose,
    pub(crate) ask_by: Option<AskBy>,
    pub(crate) facts: RequestFacts,
    pub(crate) target: Option<String>,
    pub(crate) explain: bool,
    /// Whether it brings nothing of its own, so that its answer may serve the next such ask.
    pub(crate) plain: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Project,
    Roots,
    Select(SelectBy),
    Clear,
}

/// Whether an ask brings nothing of its own: the one definition of an ask that may share its answer.
pub(crate) fn is_plain(asked: &Asked) -> bool {
    let Asked { ask: _, want, ask_by: _, facts, target, explain } = asked;
    *want == Want::Project && facts.is_empty() && target.is_none() && !explain
}

impl From<Asked> for NewAsk {
    fn from(asked: Asked) -> Self {
        let plain = is_plain(&asked);
        let Asked { ask, want, ask_by, facts, target, explain } = asked;
        let purpose = match want {
            Want::Project => Purpose::Project,
            Want::Roots => Purpose::Roots,
        };
        Self { id: ask, purpose, ask_by, facts, target, explain, plain }
    }
}

impl From<Selected> for NewAsk {
    fn from(selected: Selected) -> Self {
        let Selected { ask, by, ask_by, facts, explain } = selected;
        Self { id: ask, purpose: Purpose::Select(by), ask_by, facts, target: None, explain, plain: false }
    }
}

impl From<SelectionCleared> for NewAsk {
    fn from(cleared: SelectionCleared) -> Self {
        let SelectionCleared { ask, ask_by, facts, explain } = cleared;
        Self { id: ask, purpose: Purpose::Clear, ask_by, facts, target: None, explain, plain: false }
    }
}

/// An ask that waits.
#[derive(Clone, Debug)]
pub(crate) struct PendingAsk {
    pub(crate) id: AskId,
    /// Its place among all asks of this resolver, in the order of their arrival.
    pub(crate) place: u64,
    pub(crate) purpose: Purpose,
    pub(crate) by: AskBy,
    pub(crate) modern: bool,
    pub(crate) values: RequestValues,
    /// The client as this request describes it.
    pub(crate) client: Client,
    pub(crate) target: Option<String>,
    pub(crate) explain: bool,
    pub(crate) deadline: Time,
    /// Whether its wait is over.
    pub(crate) expired: bool,
    /// The end of its wait for newer versions of what is known, once it waits for one.
    pub(crate) refresh_by: Option<Time>,
    /// Whether that wait is over, so that what is known counts.
    pub(crate) takes_old: bool,
    /// What replies to probes have told it since it arrived; see `add_reply`.
    pub(crate) disk: Vec<Arc<Disk>>,
    /// Whether it waits for the client's roots.
    pub(crate) waits_for_roots: bool,
    /// The request it waits for.
    pub(crate) joined: Option<RequestToken>,
    /// Whether that request is over.
    pub(crate) roots_done: bool,
    /// Whether that request failed, so that the ask continues without roots.
    pub(crate) skip_roots: bool,
    /// The request that its call carries.
    carries: Option<RequestToken>,
    /// Whether a request that its call carried was abandoned.
    lost_request: bool,
    /// The roots that came with the call itself.
    pub(crate) input: Option<RootList>,
}

impl PendingAsk {
    /// Whether its decision may differ from that of every other ask: a selection, or a call with its own roots.
    const fn stands_alone(&self) -> bool {
        !matches!(self.purpose, Purpose::Project | Purpose::Roots) || self.input.is_some()
    }

    /// Compares everything that a decision depends on: asks that are equal in it have the same answer as long as the
    /// connection does not change, unless they stand alone.
    fn compare(&self, other: &Self) -> Ordering {
        let facts = |ask: &Self| {
            let Self { purpose, by, modern, explain, expired, takes_old, .. } = ask;
            (*purpose == Purpose::Roots, *by as u8, *modern, *explain, *expired, *takes_old)
        };
        let request = |ask: &Self| (ask.joined, ask.roots_done, ask.skip_roots);
        let texts = |one: &Self, other: &Self| {
            (&one.target, &one.values, &one.client).cmp(&(&other.target, &other.values, &other.client))
        };
        (facts(self), request(self))
            .cmp(&(facts(other), request(other)))
            .then_with(|| texts(self, other))
            .then_with(|| compare_reports(&self.disk, &other.disk))
    }
}

/// Compares what two asks know about the disk, whichever replies told them.
fn compare_reports(one: &[Arc<Disk>], other: &[Arc<Disk>]) -> Ordering {
    if one.iter().map(Arc::as_ptr).eq(other.iter().map(Arc::as_ptr)) {
        return Ordering::Equal;
    }
    reports(one).cmp(reports(other))
}

fn reports(disks: &[Arc<Disk>]) -> impl Iterator<Item = impl Ord> {
    let reports = disks.iter().flat_map(|disk| disk.iter());
    reports.map(|(path, info)| (path, info.found.map(|found| found as u8), &info.real_path, &info.asked, &info.markers))
}

/// Adds a reply to what asks know about the disk: the newest report on each path, and then the paths that replies left out.
fn add_reply(known: &mut Vec<Arc<Disk>>, reply: &Arc<Disk>) {
    let is_left_out = |info: &PathInfo| info.found.is_none();
    if known.is_empty() {
        if !reply.values().any(is_left_out) {
            return known.push(reply.clone());
        }
        known.push(Arc::default());
    }
    if known.len() < 2 && reply.values().any(is_left_out) {
        known.push(Arc::default());
    }
    for (path, info) in reply.iter() {
        let Some(disk) = known.get_mut(usize::from(is_left_out(info))).map(Arc::make_mut) else { continue };
        let info = match disk.get(path) {
            Some(earlier) => info.clone().with_earlier(earlier),
            None => info.clone(),
        };
        disk.insert(path.clone(), info);
    }
}

/// What was found out about the asks that were looked at, for asks that are like one of them. Sorted by what is compared.
pub(crate) struct Recent<T>(Vec<(Box<PendingAsk>, T)>);

impl<T> Recent<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Takes out what is known about an ask like this one.
    pub(crate) fn take(&mut self, ask: &PendingAsk) -> Option<(Box<PendingAsk>, T)> {
        let at = self.find(ask).ok().filter(|_| !ask.stands_alone())?;
        Some(self.0.remove(at))
    }

    pub(crate) fn keep(&mut self, known: (Box<PendingAsk>, T)) {
        if let Err(at) = self.find(&known.0)
            && !known.0.stands_alone()
        {
            self.0.insert(at, known);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    fn find(&self, ask: &PendingAsk) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| known.compare(ask))
    }
}

/// In boxes, so that one more ask does not copy all others to another place: a thousand of them take half a megabyte.
pub(crate) type Waiting = Vec<Box<PendingAsk>>;

/// The asks that wait, in the order of their arrival.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskQueue {
    waiting: Waiting,
    /// The number of asks that ever arrived.
    arrived: u64,
}

impl AskQueue {
    /// Reads an ask: only the values that the policy's sources need are kept.
    pub(crate) fn read(
        &mut self,
        new: NewAsk,
        initialized: bool,
        now: Time,
        policy: &Policy,
        host: &HostFacts,
    ) -> Box<PendingAsk> {
        let (client, looks_modern) = Client::from_request(&new.facts, policy.limits.name_bytes);
        let by = new.ask_by.unwrap_or(match (looks_modern, initialized) {
            (true, _) => AskBy::InputRequired,
            (false, true) => AskBy::Request,
            (false, false) => AskBy::None,
        });
        let modern = by == AskBy::InputRequired || (by == AskBy::None && looks_modern);
        self.arrived = self.arrived.saturating_add(1);
        Box::new(PendingAsk {
            id: new.id,
            place: self.arrived,
            purpose: new.purpose,
            by,
            modern,
            values: RequestValues::read(&new.facts, policy),
            input: if modern { read_input(&new.facts, policy, host) } else { None },
            client,
            target: new.target.filter(|target| !target.trim().is_empty()).map(|target| bounded(target, &policy.limits)),
            explain: new.explain,
            deadline: now.saturating_add(policy.timing.wait_ms.into()),
            expired: false,
            refresh_by: None,
            takes_old: false,
            disk: Vec::new(),
            waits_for_roots: false,
            joined: None,
            roots_done: false,
            skip_roots: false,
            carries: None,
            lost_request: false,
        })
    }

    pub(crate) fn push(&mut self, ask: Box<PendingAsk>) {
        self.waiting.push(ask);
    }

    /// Puts back asks that still wait.
    pub(crate) fn put_back(&mut self, asks: Waiting) {
        self.waiting.extend(asks);
        self.waiting.sort_by_key(|ask| ask.place);
    }

    pub(crate) fn take(&mut self) -> Waiting {
        core::mem::take(&mut self.waiting)
    }

    pub(crate) const fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn has_id(&self, id: AskId) -> bool {
        self.waiting.iter().any(|ask| ask.id == id)
    }

    pub(crate) fn has_place(&self, place: u64) -> bool {
        self.waiting.binary_search_by_key(&place, |ask| ask.place).is_ok()
    }

    pub(crate) fn withdraw(&mut self, id: AskId) {
        self.waiting.retain(|ask| ask.id != id);
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        let refresh_by = |ask: &PendingAsk| ask.refresh_by.filter(|_| !ask.takes_old);
        self.waiting.iter().map(|ask| refresh_by(ask).map_or(ask.deadline, |by| by.min(ask.deadline))).min()
    }

    /// The first ask that waits for roots.
    pub(crate) fn first_waiting_for_roots(&self) -> Option<AskId> {
        self.waiting.iter().find(|ask| ask.waits_for_roots).map(|ask| ask.id)
    }

    /// A request was sent with the call of one ask: every ask that waits for roots waits for it.
    pub(crate) fn join(&mut self, token: RequestToken, carrier: Option<AskId>) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.waits_for_roots) {
            ask.joined = Some(token);
            ask.carries = (carrier == Some(ask.id)).then_some(token);
        }
    }

    /// A request ended for the asks that waited for it.
    pub(crate) fn conclude(&mut self, token: RequestToken, failed: bool) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.joined == Some(token)) {
            ask.roots_done = true;
            ask.skip_roots = failed;
        }
    }

    /// The host facts changed, and with them the meaning of the roots that calls brought.
    pub(crate) fn host_changed(&mut self, policy: &Policy, host: &HostFacts) {
        for input in self.waiting.iter_mut().filter_map(|ask| ask.input.as_mut()) {
            *input = RootList::restore(input.keep(), policy, host);
        }
    }

    /// The stream that carried a request ended. An ask that waited for it has it sent again. The ask that carried it does
    /// so only once: streams that keep ending must not keep it sending.
    pub(crate) fn abandon(&mut self, token: RequestToken) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.joined == Some(token)) {
            ask.joined = None;
            ask.roots_done = false;
            if ask.carries == Some(token) {
                ask.skip_roots |= core::mem::replace(&mut ask.lost_request, true);
            }
        }
    }

    /// Marks the asks whose wait is over, and what they waited for.
    pub(crate) fn expire(&mut self, now: Time, policy: &Policy, cycle: &mut RootsCycle, probes: &mut Probes) {
        let has_old_list = cycle.has_unchanged_list() && policy.roots.ask != Ask::EachRequest;
        for ask in &mut self.waiting {
            let refresh_ends = !ask.takes_old && ask.refresh_by.is_some_and(|by| by <= now);
            ask.expired |= ask.deadline <= now;
            ask.takes_old |= refresh_ends;
            if refresh_ends {
                probes.give_up(ask.place);
            }
            let gives_up = ask.expired || (refresh_ends && has_old_list);
            if let Some(token) = ask.joined.filter(|_| ask.waits_for_roots && gives_up) {
                cycle.caller_gave_up(token, !ask.expired);
            }
        }
    }

    /// A probe was answered for the asks at these places. Those that knew the same and are told the same share what they
    /// know then, so that a thousand of them need no more than one.
    pub(crate) fn learn<'r>(&mut self, replies: impl Iterator<Item = (u64, &'r Arc<Disk>)>) {
        let mut groups: Vec<Learning<'r>> = Vec::new();
        for (place, reply) in replies {
            let Ok(ask) = self.waiting.binary_search_by_key(&place, |ask| ask.place) else { continue };
            let Some(known) = self.waiting.get_mut(ask).map(|ask| core::mem::take(&mut ask.disk)) else { continue };
            let found = groups.binary_search_by(|group| {
                Arc::as_ptr(group.reply).cmp(&Arc::as_ptr(reply)).then_with(|| compare_reports(&group.known, &known))
            });
            match found {
                Ok(at) => groups.get_mut(at).into_iter().for_each(|group| group.asks.push(ask)),
                Err(at) => groups.insert(at, Learning { reply, known, asks: [ask].into() }),
            }
        }
        for Learning { reply, mut known, asks } in groups {
            add_reply(&mut known, reply);
            for ask in asks {
                if let Some(ask) = self.waiting.get_mut(ask) {
                    ask.disk.clone_from(&known);
                }
            }
        }
    }
}

/// Asks that knew the same, and are told the same.
struct Learning<'r> {
    reply: &'r Arc<Disk>,
    known: Vec<Arc<Disk>>,
    /// Their positions in the queue.
    asks: Vec<usize>,
}

/// The resolver's part of a call's input responses: if the key is present, it is an answer, even as junk.
fn read_input(facts: &RequestFacts, policy: &Policy, host: &HostFacts) -> Option<RootList> {
    let [response] = raw::members(facts.input_responses.as_ref()?.get(), [INPUT_KEY])?;
    if !response.is_present() {
        return None;
    }
    let result = response.get().map_or("null", |result| result.get());
    Some(RootList::read(result, policy, host))
}
