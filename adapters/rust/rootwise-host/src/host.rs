//! The clients of a server on tokio, independent of any SDK.

mod driver;
mod notices;
mod sender;
mod session;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use rootwise::action::Answer;
use rootwise::endpoint::action::EndpointAction;
use rootwise::endpoint::event::{EndpointAskWithdrawn, EndpointEvent, EndpointProbed};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::{AskId, ConfigError, Endpoint, HostFacts, Misuse, Policy};
use tokio::sync::oneshot;

use crate::ask::with_ask_id;
use crate::disk::look;
use driver::Driver;
pub use notices::Observer;
pub use sender::{Cancelled, SendError, Sender, Sending};
pub use session::{Call, Channel, Session};

/// A slow disk does not keep a server from starting.
const STARTUP_PATIENCE: Duration = Duration::from_secs(1);

/// The clients of a server on tokio: their endpoint, and everything that waits for it. Cheap to clone.
#[derive(Clone)]
pub struct Host(Arc<Driver>);

impl Host {
    /// Creates a host with the facts of this process. Allowed folders that are of no use are logged at once, and not when the
    /// first client comes.
    ///
    /// # Errors
    /// A host fact is invalid; the error names it.
    pub fn new(
        policy: impl Into<Arc<Policy>>,
        facts: &HostFacts,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, ConfigError> {
        let mut endpoint = Endpoint::new(policy, facts)?;
        report_dirs(&mut endpoint, &*observer);
        Ok(Self(Arc::new(Driver::new(endpoint, observer))))
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Arc<Policy> {
        &self.0.policy
    }

    /// What the policy reads of a request.
    #[must_use]
    pub fn inputs(&self) -> &PolicyInputs {
        &self.0.inputs
    }

    /// Processes an event. The answer to an ask reaches nobody; use [`ask`](Self::ask).
    ///
    /// # Errors
    /// The event is a mistake of this program; nothing has changed.
    pub fn feed(&self, event: impl Into<EndpointEvent>) -> Result<(), Misuse> {
        self.0.change(|state| {
            let event = with_ask_id(event.into(), || AskId(state.next_id()));
            self.0.process(state, event)
        })
    }

    /// Asks, selects or clears; the id of the ask is replaced. Every wait ends by the policy's `callerTimeoutMs`. Dropping the
    /// future withdraws the ask.
    ///
    /// # Errors
    /// The event is a mistake of this program.
    pub async fn ask(&self, event: impl Into<EndpointEvent>) -> Result<Answer, Misuse> {
        let (waiting, answer) = self.begin(event)?;
        answer.await.map_err(|_| Misuse::Closed(waiting.ask))
    }

    /// Asks with an event that is a `peek`, so that it is answered at once.
    ///
    /// # Errors
    /// The event is a mistake of this program.
    pub fn peek(&self, event: impl Into<EndpointEvent>) -> Result<Answer, Misuse> {
        let (waiting, mut answer) = self.begin(event)?;
        answer.try_recv().map_err(|_| Misuse::Closed(waiting.ask))
    }

    fn begin(&self, event: impl Into<EndpointEvent>) -> Result<(Waiting<'_>, oneshot::Receiver<Answer>), Misuse> {
        let (reply, answer) = oneshot::channel();
        self.0.change(|state| {
            let ask = AskId(state.next_id());
            state.asks.insert(ask, reply);
            let begun =
                self.0.process(state, with_ask_id(event.into(), || ask)).inspect_err(|_| drop(state.asks.remove(&ask)));
            begun.map(|()| (Waiting { driver: &self.0, ask }, answer))
        })
    }
}

/// Logs what is wrong with the allowed folders: with its first event, an endpoint has them probed.
fn report_dirs(endpoint: &mut Endpoint, observer: &dyn Observer) {
    let mut handle = |event: EndpointEvent| endpoint.handle(event, 0).map(|output| output.actions).unwrap_or_default();
    for action in handle(EndpointEvent::DeadlineReached) {
        let EndpointAction::Probe(wanted) = action else { continue };
        for action in handle(EndpointProbed::new(wanted.probe, look(wanted.paths, STARTUP_PATIENCE)).into()) {
            if let EndpointAction::Log(line) = action {
                // The panic hook has reported it.
                let _ = catch_unwind(AssertUnwindSafe(|| observer.log(&line)));
            }
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("policy", &self.0.policy.config().name).finish_non_exhaustive()
    }
}

/// Withdraws an ask whose caller is gone.
struct Waiting<'a> {
    driver: &'a Arc<Driver>,
    ask: AskId,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.driver.change(|state| {
            if state.asks.remove(&self.ask).is_some() {
                // An ask that waits can be withdrawn.
                let _ = self.driver.process(state, EndpointAskWithdrawn::new(self.ask).into());
            }
        });
    }
}
