//! The asks that wait.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::probes::Probes;
use super::progress::{Carrier, RootsProgress, UserProgress, Wait, WaitsFor};
use super::roots_cycle::RootsCycle;
use crate::api::action::{FORM_KEY, INPUT_KEY};
use crate::api::event::{AskVia, Asked, RequestFacts, SelectBy, Selected, SelectionCleared, Want};
use crate::api::host::HostFacts;
use crate::id::{AskId, RequestToken, Time};
use crate::peer::client::Client;
use crate::peer::form::FormAnswer;
use crate::peer::raw;
use crate::peer::root_list::RootList;
use crate::policy::{Policy, RequestWhen};
use crate::resolve::disk::{Disk, PathInfo};
use crate::resolve::sources::{RequestValues, bounded};
use crate::resolve::view::Purpose;

/// An ask as it arrives.
pub(crate) struct NewAsk {
    pub(crate) id: AskId,
    pub(crate) purpose: Purpose,
    pub(crate) ask_via: Option<AskVia>,
    pub(crate) facts: RequestFacts,
    pub(crate) target: Option<String>,
    pub(crate) explain: bool,
    /// Whether its caller shows hints.
    pub(crate) hints: bool,
    /// Whether the client's user may be asked before it ends.
    pub(crate) may_ask_user: bool,
}

/// What asks have in common whose answer is the same as long as the connection does not change: they have no request-specific
/// facts, and describe the same client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Alike {
    Legacy,
    /// Those whose client may be asked by their result.
    Modern(Client),
}

impl Alike {
    /// The one definition of an ask that may share its answer.
    pub(crate) fn of(asked: &Asked, policy: &Policy) -> Option<Self> {
        let Asked { ask: _, want, ask_via, facts, target, explain, hints, quiet } = asked;
        // The user may have to be asked before the answer to a quiet ask serves another one.
        if *want != Want::Project || target.is_some() || *explain || *hints || *quiet || !facts.only_describe_client() {
            return None;
        }
        match ask_via {
            Some(AskVia::InputRequired) => {}
            None if facts.capabilities.is_some() => {}
            _ => return facts.is_empty().then_some(Self::Legacy),
        }
        Some(Self::Modern(Client::from_request(facts, policy.config.limits.name_bytes).0))
    }
}

impl From<Asked> for NewAsk {
    fn from(asked: Asked) -> Self {
        let Asked { ask, want, ask_via, facts, target, explain, hints, quiet } = asked;
        let purpose = match want {
            Want::Project => Purpose::Project,
            Want::Roots => Purpose::Roots,
        };
        let may_ask_user = want == Want::Project && !explain && !quiet;
        Self { id: ask, purpose, ask_via, facts, target, explain, hints, may_ask_user }
    }
}

impl From<Selected> for NewAsk {
    fn from(selected: Selected) -> Self {
        let Selected { ask, by, ask_via, facts, explain } = selected;
        Self {
            id: ask,
            purpose: Purpose::Select(by),
            ask_via,
            facts,
            target: None,
            explain,
            hints: false,
            may_ask_user: false,
        }
    }
}

impl From<SelectionCleared> for NewAsk {
    fn from(cleared: SelectionCleared) -> Self {
        let SelectionCleared { ask, ask_via, facts, explain } = cleared;
        Self {
            id: ask,
            purpose: Purpose::Clear,
            ask_via,
            facts,
            target: None,
            explain,
            hints: false,
            may_ask_user: false,
        }
    }
}

/// An ask that waits.
#[derive(Clone, Debug)]
pub(crate) struct PendingAsk {
    pub(crate) id: AskId,
    /// Its place among all asks of this resolver, in the order of their arrival.
    pub(crate) place: u64,
    pub(crate) purpose: Purpose,
    pub(crate) by: AskVia,
    pub(crate) modern: bool,
    pub(crate) values: RequestValues,
    /// The client as this request describes it.
    pub(crate) client: Client,
    pub(crate) target: Option<String>,
    pub(crate) explain: bool,
    pub(crate) hints: bool,
    pub(crate) deadline: Time,
    pub(crate) wait: Wait,
    /// What replies to probes have told it since it arrived; see `add_reply`.
    pub(crate) disk: Vec<Arc<Disk>>,
    pub(crate) roots: RootsProgress,
    pub(crate) waits_for: WaitsFor,
    carrier: Carrier,
    /// The roots that came with the call itself.
    pub(crate) input: Option<RootList>,
    /// The answer of the client's user that came with the call.
    pub(crate) form: Option<FormAnswer>,
    pub(crate) user: UserProgress,
    /// The folders to which its caller is confined, and the facts that follow for it.
    confined: Option<(Vec<String>, Arc<HostFacts>)>,
}

impl PendingAsk {
    /// From now on it waits for the user alone; whatever else arrives still counts.
    pub(crate) const fn wait_for_user(&mut self, until: Time) {
        self.user = UserProgress::Apart;
        self.wait = Wait::Over;
        self.waits_for = WaitsFor::User;
        self.deadline = until;
    }

    /// The wait for the user is over, and its own wait begins anew.
    fn go_on(&mut self, user: UserProgress, now: Time, policy: &Policy) {
        self.user = user;
        self.waits_for = WaitsFor::Disk;
        self.wait = Wait::Full;
        self.deadline = now.saturating_add(policy.config.timing.caller_timeout_ms.into());
    }

    /// The host facts that count for it.
    pub(crate) fn host<'a>(&'a self, host: &'a HostFacts) -> &'a HostFacts {
        self.confined.as_ref().map_or(host, |(_, confined)| confined)
    }

    /// The folders to which its caller is confined.
    fn dirs(&self) -> Option<&Vec<String>> {
        self.confined.as_ref().map(|(dirs, _)| dirs)
    }

    /// Whether its decision may differ from that of every other ask: a selection, or a call with its own roots.
    const fn stands_alone(&self) -> bool {
        !matches!(self.purpose, Purpose::Project | Purpose::Roots) || self.input.is_some()
    }
}

/// Compares everything that a decision depends on: asks that are equal in it have the same answer as long as the
/// connection does not change, unless they are stateless.
impl Ord for PendingAsk {
    fn cmp(&self, other: &Self) -> Ordering {
        let facts = |ask: &Self| {
            let Self { purpose, by, modern, explain, wait, roots, .. } = ask;
            let wait = match wait {
                Wait::Full | Wait::Refreshing { .. } => 0,
                Wait::TakesOld => 1,
                Wait::Over => 2,
            };
            (*purpose == Purpose::Roots, *by as u8, *modern, *explain, wait, *roots)
        };
        let texts = (&self.target, &self.values, &self.client, self.dirs());
        let other_texts = (&other.target, &other.values, &other.client, other.dirs());
        facts(self)
            .cmp(&facts(other))
            .then_with(|| texts.cmp(&other_texts))
            .then_with(|| compare_reports(&self.disk, &other.disk))
    }
}

impl PartialOrd for PendingAsk {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PendingAsk {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PendingAsk {}

/// Compares what two asks know about the disk, whichever replies told them.
fn compare_reports(one: &[Arc<Disk>], other: &[Arc<Disk>]) -> Ordering {
    if one.iter().map(Arc::as_ptr).eq(other.iter().map(Arc::as_ptr)) {
        return Ordering::Equal;
    }
    reports(one).cmp(reports(other))
}

fn reports(disks: &[Arc<Disk>]) -> impl Iterator<Item = impl Ord> {
    let reports = disks.iter().flat_map(|disk| disk.iter());
    reports.map(|(path, info)| {
        let PathInfo { found, real_path, asked, markers, repository, at: _ } = info.as_ref();
        (path, found.map(|found| found as u8), real_path, asked, markers, repository)
    })
}

/// Adds a reply to what asks know about the disk: the newest report on each path, and then the paths that replies left out.
fn add_reply(known: &mut Vec<Arc<Disk>>, reply: &Arc<Disk>) {
    let is_left_out = |info: &PathInfo| info.found.is_none();
    if known.is_empty() {
        if !reply.values().any(|info| is_left_out(info)) {
            return known.push(reply.clone());
        }
        known.push(Arc::default());
    }
    if known.len() < 2 && reply.values().any(|info| is_left_out(info)) {
        known.push(Arc::default());
    }
    for (path, info) in reply.iter() {
        let Some(disk) = known.get_mut(usize::from(is_left_out(info))).map(Arc::make_mut) else { continue };
        let info = match disk.get(path) {
            Some(earlier) => Box::new((**info).clone().with_earlier(earlier)),
            None => info.clone(),
        };
        disk.insert(path.clone(), info);
    }
}

/// What was found out about the asks of one event that were decided, for asks that are like one of them.
pub(crate) struct DecisionCache<T> {
    known: BTreeMap<Box<PendingAsk>, T>,
    /// Whether the event has several asks, so that one may be like another.
    is_used: bool,
}

impl<T> DecisionCache<T> {
    pub(crate) const fn of(asks: &Waiting) -> Self {
        Self { known: BTreeMap::new(), is_used: asks.len() > 1 }
    }

    /// Takes out what is known about an ask like this one.
    pub(crate) fn take(&mut self, ask: &PendingAsk) -> Option<(Box<PendingAsk>, T)> {
        if ask.stands_alone() { None } else { self.known.remove_entry(ask) }
    }

    /// What is known about an ask can be kept for others under this one.
    pub(crate) fn key(&self, ask: &PendingAsk) -> Option<Box<PendingAsk>> {
        (self.is_used && !ask.stands_alone()).then(|| ask.clone().into())
    }

    pub(crate) fn keep(&mut self, ask: Box<PendingAsk>, known: T) {
        if !ask.stands_alone() {
            self.known.entry(ask).or_insert(known);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
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
        operator: &HostFacts,
    ) -> Box<PendingAsk> {
        let (client, looks_modern) = Client::from_request(&new.facts, policy.config.limits.name_bytes);
        let by = new.ask_via.unwrap_or(match (looks_modern, initialized) {
            (true, _) => AskVia::InputRequired,
            (false, true) => AskVia::Request,
            (false, false) => AskVia::None,
        });
        let modern = by == AskVia::InputRequired || (by == AskVia::None && looks_modern);
        self.arrived = self.arrived.saturating_add(1);
        let confined = new.facts.allowed_dirs.as_ref().map(|dirs| (dirs.clone(), Arc::new(operator.confined_to(dirs))));
        Box::new(PendingAsk {
            id: new.id,
            place: self.arrived,
            purpose: new.purpose,
            by,
            modern,
            values: RequestValues::read(&new.facts, policy),
            input: if modern { read_input(&new.facts, policy, host) } else { None },
            form: if modern { read_form(&new.facts) } else { None },
            user: if new.may_ask_user { UserProgress::MayAsk } else { UserProgress::Apart },
            client,
            target: new
                .target
                .filter(|target| !target.trim().is_empty())
                .map(|target| bounded(target, &policy.config.limits)),
            explain: new.explain,
            hints: new.hints,
            deadline: now.saturating_add(policy.config.timing.caller_timeout_ms.into()),
            wait: Wait::Full,
            disk: Vec::new(),
            roots: RootsProgress::Apart,
            waits_for: WaitsFor::Disk,
            carrier: Carrier::Reliable(None),
            confined,
        })
    }

    pub(crate) fn push(&mut self, ask: Box<PendingAsk>) {
        self.waiting.push(ask);
    }

    /// Puts back asks that still wait.
    pub(crate) fn put_back(&mut self, asks: Waiting) {
        for ask in asks {
            let at = self.waiting.partition_point(|waiting| waiting.place < ask.place);
            self.waiting.insert(at, ask);
        }
    }

    pub(crate) fn take(&mut self) -> Waiting {
        core::mem::take(&mut self.waiting)
    }

    pub(crate) const fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn has_id(&self, id: AskId) -> bool {
        self.waiting.iter().any(|ask| ask.id == id && ask.user != UserProgress::Late)
    }

    pub(crate) fn has_place(&self, place: u64) -> bool {
        self.waiting.binary_search_by_key(&place, |ask| ask.place).is_ok()
    }

    pub(crate) fn withdraw(&mut self, id: AskId) {
        self.waiting.retain(|ask| ask.id != id || ask.user == UserProgress::Late);
    }

    pub(crate) fn deadline(&self) -> Option<Time> {
        let next = |ask: &PendingAsk| match ask.wait {
            Wait::Refreshing { until } => until,
            Wait::Full | Wait::TakesOld | Wait::Over => ask.deadline,
        };
        self.waiting.iter().map(|ask| next(ask)).min()
    }

    /// The first ask that waits for roots.
    pub(crate) fn first_waiting_for_roots(&self) -> Option<AskId> {
        self.waiting.iter().find(|ask| ask.waits_for == WaitsFor::Roots).map(|ask| ask.id)
    }

    /// A request was sent with the call of one ask: every ask that waits for roots waits for it.
    pub(crate) fn join(&mut self, token: RequestToken, carrier: Option<AskId>) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.waits_for == WaitsFor::Roots) {
            ask.roots.join(token);
            ask.carrier.carry((carrier == Some(ask.id)).then_some(token));
        }
    }

    /// The user named a project. The ask that waits for the user selects it; if nobody waits any more, an ask without an
    /// answer does.
    pub(crate) fn select(&mut self, by: SelectBy, now: Time, policy: &Policy) {
        let purpose = Purpose::Select(by);
        if let Some(ask) = self.waiting_for_user() {
            ask.purpose = purpose;
            let by = ask.by;
            return ask.go_on(UserProgress::Selects { by }, now, policy);
        }
        self.arrived = self.arrived.saturating_add(1);
        self.waiting.push(Box::new(PendingAsk {
            id: AskId::default(),
            place: self.arrived,
            purpose,
            // Nobody carries a request for it.
            by: AskVia::None,
            modern: false,
            values: RequestValues::default(),
            client: Client::default(),
            target: None,
            explain: false,
            hints: false,
            deadline: now.saturating_add(policy.config.timing.caller_timeout_ms.into()),
            wait: Wait::Full,
            disk: Vec::new(),
            roots: RootsProgress::Apart,
            waits_for: WaitsFor::Disk,
            carrier: Carrier::Reliable(None),
            input: None,
            form: None,
            user: UserProgress::Late,
            confined: None,
        }));
    }

    /// The ask that waits for the user goes on without an answer; returns it.
    pub(crate) fn give_up_user(&mut self, now: Time, policy: &Policy) -> Option<AskId> {
        let ask = self.waiting_for_user()?;
        ask.go_on(UserProgress::Apart, now, policy);
        Some(ask.id)
    }

    fn waiting_for_user(&mut self) -> Option<&mut PendingAsk> {
        self.waiting.iter_mut().find(|ask| ask.waits_for == WaitsFor::User).map(|ask| &mut **ask)
    }

    /// A request ended for the asks that waited for it.
    pub(crate) fn conclude(&mut self, token: RequestToken, failed: bool) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.roots.joined() == Some(token)) {
            ask.roots = if failed { RootsProgress::Failed } else { RootsProgress::Answered };
        }
    }

    /// The host facts changed, and with them the meaning of the roots that calls brought.
    pub(crate) fn host_changed(&mut self, policy: &Policy, host: &HostFacts, operator: &HostFacts) {
        for ask in &mut self.waiting {
            if let Some(input) = &mut ask.input {
                *input = RootList::restore(input.save(), policy, host);
            }
            if let Some((dirs, confined)) = &mut ask.confined {
                *confined = Arc::new(operator.confined_to(dirs));
            }
        }
    }

    /// The stream that carried a request ended. An ask that waited for it has it sent again. The ask that carried it does
    /// so only once: streams that keep ending must not keep it sending.
    pub(crate) fn abandon(&mut self, token: RequestToken) {
        for ask in self.waiting.iter_mut().filter(|ask| ask.roots.joined() == Some(token)) {
            ask.roots = ask.carrier.lose(token);
        }
    }

    /// Marks the asks whose wait is over, and what they waited for.
    pub(crate) fn expire(&mut self, now: Time, policy: &Policy, cycle: &mut RootsCycle, probes: &mut Probes) {
        let has_old_list = cycle.has_unchanged_list() && policy.config.roots.ask != RequestWhen::EachRequest;
        for ask in &mut self.waiting {
            let refresh_ends = matches!(ask.wait, Wait::Refreshing { until } if until <= now);
            let is_over = ask.deadline <= now;
            if is_over {
                ask.wait = Wait::Over;
                if ask.waits_for == WaitsFor::User {
                    ask.waits_for = WaitsFor::Disk;
                }
            } else if refresh_ends {
                ask.wait = Wait::TakesOld;
            }
            if refresh_ends {
                probes.give_up(ask.place);
            }
            let gives_up = is_over || (refresh_ends && has_old_list);
            if let Some(token) = ask.roots.joined().filter(|_| ask.waits_for == WaitsFor::Roots && gives_up) {
                cycle.caller_gave_up(token, !is_over);
            }
        }
    }

    /// A probe was answered for the asks at these places. Those that knew the same and are told the same share what they
    /// know then, so that a thousand of them need no more than one.
    pub(crate) fn learn<'r>(&mut self, replies: &'r [(u64, Arc<Disk>)]) {
        let mut groups: Vec<Learning<'r>> = Vec::new();
        for (place, reply) in replies {
            let Ok(ask) = self.waiting.binary_search_by_key(place, |ask| ask.place) else { continue };
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

/// The same for the answer of the client's user.
fn read_form(facts: &RequestFacts) -> Option<FormAnswer> {
    let [response] = raw::members(facts.input_responses.as_ref()?.get(), [FORM_KEY])?;
    response.is_present().then(|| response.get().map_or(FormAnswer::Nothing, |answer| FormAnswer::read(answer.get())))
}
