//! Saving and restoring a connection, so that another process can go on with it.

use alloc::string::{String, ToString};
use alloc::sync::Arc;

use crate::error::Misuse;
use crate::form::fields;
use crate::host::HostFacts;
use crate::machine::connection::{Connection, Memory, ReportedOnce};
use crate::machine::probes::Probes;
use crate::machine::resolver::Resolver;
use crate::machine::roots_cycle::{Cycle, Failure, Flight, Time};
use crate::peer::client::Client;
use crate::peer::raw::Json;
use crate::peer::root_list::{KeptList, RootList};
use crate::policy::Policy;
use crate::project::Project;
use crate::read;
use crate::resolve::verify::Disk;
use crate::uri::project_id;
use crate::write::{Written, text};

const VERSION: u32 = 1;

struct Envelope {
    rootwise: u32,
    /// Which policy the state belongs to.
    policy: String,
    /// Hash of the state's text.
    check: String,
    state: Json,
}

fields!(Envelope: rootwise, policy, check, state;);

/// The state of a connection; times are relative to the moment it was saved.
struct State {
    client: Option<Client>,
    ready: bool,
    closed: bool,
    has_evidence: bool,
    project: Option<Arc<Project>>,
    revision: u32,
    memory: Memory,
    reported: ReportedOnce,
    disk: Disk,
    list: Option<KeptList>,
    list_age: Time,
    stale: bool,
    flight: Option<FlightState>,
    deferred_in: Option<Time>,
    sent_ago: Option<Time>,
    unsupported: bool,
    failures: u32,
    timed_out: Option<bool>,
    last_token: u32,
    stale_answers: u32,
    probes: u32,
    id_prefix: String,
}

fields!(State: ready, closed, has_evidence, revision, memory, reported, disk, list_age, stale, unsupported, failures, last_token, stale_answers, probes, id_prefix; client, project, list, flight, deferred_in, sent_ago, timed_out);

struct FlightState {
    token: u32,
    id: String,
    dies_in: Time,
    overdue: bool,
    dirty: bool,
}

fields!(FlightState: token, id, dies_in, overdue, dirty;);

impl Resolver {
    /// Saves the connection: its state and the request in flight, no asks and no probes.
    #[must_use]
    pub fn snapshot(&self) -> String {
        let Connection { client, ready, closed, cycle, memory, disk, has_evidence, project, revision, reported } =
            self.connection.clone();
        let state = State {
            client,
            ready,
            closed,
            has_evidence,
            project,
            revision,
            memory,
            reported,
            disk,
            list: cycle.list.as_ref().map(RootList::keep),
            list_age: self.now.saturating_sub(cycle.list_at),
            stale: cycle.stale,
            flight: cycle.flight.map(|flight| FlightState {
                token: flight.token,
                id: flight.id,
                dies_in: flight.dies_at.saturating_sub(self.now),
                overdue: flight.overdue,
                dirty: flight.dirty,
            }),
            // A deferred request that only asks were waiting for goes with them.
            deferred_in: cycle.deferred.filter(|_| self.host.may_push()).map(|at| at.saturating_sub(self.now)),
            sent_ago: cycle.last_sent.map(|at| self.now.saturating_sub(at)),
            unsupported: cycle.unsupported,
            failures: cycle.failures,
            timed_out: cycle.last_failure.map(|failure| failure == Failure::TimedOut),
            last_token: cycle.last_token,
            stale_answers: cycle.stale_answers,
            probes: self.probes.asked,
            id_prefix: self.id_prefix.clone(),
        };
        let state = text(&state);
        let check = project_id(&state);
        let policy = fingerprint(&self.policy);
        text(&Envelope { rootwise: VERSION, policy, check, state: Json::known(state) })
    }

    /// Goes on with a saved connection: the same as the saved resolver with all asks withdrawn and all probes over.
    ///
    /// Give an id prefix of its own where several processes may restore the same snapshot, so that request ids stay
    /// unique.
    ///
    /// # Errors
    /// The snapshot is damaged, of another version or of another policy, or the options cannot work.
    pub fn restore(
        snapshot: &str,
        policy: Arc<Policy>,
        host: Arc<HostFacts>,
        now: u64,
        id_prefix: Option<&str>,
    ) -> Result<Self, Misuse> {
        let mut resolver = Self::new(policy, host)?;
        let envelope: Envelope =
            read::parse(snapshot).map_err(|_| Misuse::BadSnapshot("it is damaged or not a snapshot"))?;
        if envelope.rootwise != VERSION {
            return Err(Misuse::BadSnapshot("it is of another version"));
        }
        if envelope.policy != fingerprint(&resolver.policy) {
            return Err(Misuse::BadSnapshot("it belongs to another policy"));
        }
        if envelope.check != project_id(envelope.state.text()) {
            return Err(Misuse::BadSnapshot("it is damaged"));
        }
        let state: State =
            read::parse(envelope.state.text()).map_err(|_| Misuse::BadSnapshot("its state cannot be read"))?;
        if id_prefix.is_some_and(|prefix| !is_plain(prefix)) {
            return Err(Misuse::BadOptions {
                place: "idPrefix".to_string(),
                problem: "must be plain text".to_string(),
            });
        }
        let now = Time::try_from(now).unwrap_or(Time::MAX);
        resolver.now = now;
        resolver.id_prefix = id_prefix.map_or(state.id_prefix, ToString::to_string);
        resolver.probes = Probes::after(state.probes);
        let flight = state.flight.map(|flight| Flight {
            token: flight.token,
            id: flight.id,
            dies_at: now.saturating_add(flight.dies_in),
            overdue: flight.overdue,
            dirty: flight.dirty,
        });
        resolver.connection = Connection {
            client: state.client,
            ready: state.ready,
            closed: state.closed,
            cycle: Cycle {
                list: state.list.map(|list| RootList::restore(&list, &resolver.policy, &resolver.host)),
                list_at: now.saturating_sub(state.list_age),
                stale: state.stale,
                flight,
                due: false,
                deferred: state.deferred_in.map(|wait| now.saturating_add(wait)),
                last_sent: state.sent_ago.map(|ago| now.saturating_sub(ago)),
                unsupported: state.unsupported,
                failures: state.failures,
                last_failure: state.timed_out.map(|out| if out { Failure::TimedOut } else { Failure::Other }),
                last_token: state.last_token,
                stale_answers: state.stale_answers,
            },
            memory: state.memory,
            disk: state.disk,
            has_evidence: state.has_evidence,
            project: state.project,
            revision: state.revision,
            reported: state.reported,
        };
        Ok(resolver)
    }
}

fn is_plain(prefix: &str) -> bool {
    !prefix.chars().any(|c| c.is_control() || c == '"' || c == '\\')
}

/// What a saved state depends on: a policy with other texts or times can go on with it, one with other sources cannot.
fn fingerprint(policy: &Policy) -> String {
    let mut identity = policy.name.clone();
    policy.memory.pin.write(&mut identity);
    for source in &policy.sources {
        source.from.write(&mut identity);
    }
    project_id(&identity)
}
