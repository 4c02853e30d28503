//! A resolver or an endpoint behind one handle, as every binding has it.

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use super::{Failure, Output, PolicyCache, View};
use crate::api::explanation::Explanation;
use crate::api::to_json;
use crate::endpoint::EndpointOutput;
use crate::error::parse_json;
use crate::id::{Millis, SessionId};
use crate::{Endpoint, Resolver};

/// A machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Machine {
    /// The project of one connection.
    Resolver(Box<Resolver>),
    /// The projects of a server's clients.
    Endpoint(Box<Endpoint>),
}

/// The result of one event.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Reply {
    /// Of a resolver.
    Resolver(Box<Output>),
    /// Of an endpoint.
    Endpoint(EndpointOutput),
}

/// The views that a binding keeps.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum MachineView {
    /// Of a resolver.
    Resolver(Box<View>),
    /// Of an endpoint.
    Endpoint {
        /// The next deadline.
        deadline: Option<Millis>,
    },
}

/// The kind of a machine, beside its options.
#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    machine: MachineKind,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
enum MachineKind {
    #[default]
    Resolver,
    Endpoint,
}

impl PolicyCache {
    /// Creates a resolver; or an endpoint, if the options have `"machine": "endpoint"`.
    ///
    /// ```
    /// use rootwise::wire::PolicyCache;
    ///
    /// let mut machine = PolicyCache::new().machine(r#"{ "machine": "endpoint", "host": { "style": "posix" } }"#)
    ///     .map_err(|failure| failure.to_json())?;
    /// let output = machine.handle_json(r#"{ "type": "sessionOpened", "session": 1, "transport": "stdio" }"#, 0.0);
    /// assert!(output.contains(r#""actions":[]"#), "{output}");
    /// assert!(machine.explain_json(1).contains("recommended") && machine.explain_json(2).contains("error"));
    /// assert_eq!(machine.view_json(), serde_json::to_string(&machine.view()).unwrap_or_default());
    /// assert!(machine.snapshot_json(2).contains("closed"));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// The options are malformed or contradict each other.
    pub fn machine(&mut self, options: &str) -> Result<Machine, Failure> {
        let Kind { machine } = parse_json(options)?;
        Ok(match machine {
            MachineKind::Resolver => Machine::Resolver(Box::new(self.open(options)?)),
            MachineKind::Endpoint => Machine::Endpoint(Box::new(self.open_endpoint(options)?)),
        })
    }
}

impl From<Resolver> for Machine {
    fn from(resolver: Resolver) -> Self {
        Self::Resolver(Box::new(resolver))
    }
}

impl Machine {
    /// Processes one event in JSON.
    ///
    /// # Errors
    /// The host made a mistake; the machine is unchanged.
    pub fn handle(&mut self, event: &str, now: f64) -> Result<Reply, Failure> {
        Ok(match self {
            Self::Resolver(resolver) => Reply::Resolver(Box::new(super::handle(resolver, event, now)?)),
            Self::Endpoint(endpoint) => Reply::Endpoint(super::handle_endpoint(endpoint, event, now)?),
        })
    }

    /// Processes one event and returns its result or a [`Failure`] as JSON.
    pub fn handle_json(&mut self, event: &str, now: f64) -> String {
        self.handle(event, now).map_or_else(|failure| failure.to_json(), |reply| to_json(&reply))
    }

    /// The views that a binding keeps.
    #[must_use]
    pub fn view(&self) -> MachineView {
        match self {
            Self::Resolver(resolver) => MachineView::Resolver(Box::new(super::view(resolver))),
            Self::Endpoint(endpoint) => MachineView::Endpoint { deadline: endpoint.deadline() },
        }
    }

    /// The same as JSON.
    #[must_use]
    pub fn view_json(&self) -> String {
        to_json(&self.view())
    }

    /// The result of every source for the connection's project; of an endpoint, for the project of this session.
    ///
    /// # Errors
    /// The session is not open.
    pub fn explain(&self, session: u32) -> Result<Explanation, Failure> {
        match self {
            Self::Resolver(resolver) => Ok(resolver.explain()),
            Self::Endpoint(endpoint) => endpoint.explain(session).ok_or_else(|| not_open(session)),
        }
    }

    /// The same as JSON.
    #[must_use]
    pub fn explain_json(&self, session: u32) -> String {
        self.explain(session).map_or_else(|failure| failure.to_json(), |explanation| to_json(&explanation))
    }

    /// The saved state of the connection; of an endpoint, of this session.
    ///
    /// # Errors
    /// The session is not open.
    pub fn snapshot(&self, session: u32) -> Result<String, Failure> {
        match self {
            Self::Resolver(resolver) => Ok(resolver.snapshot()),
            Self::Endpoint(endpoint) => endpoint.snapshot(session).ok_or_else(|| not_open(session)),
        }
    }

    /// The same, or a [`Failure`] as JSON.
    #[must_use]
    pub fn snapshot_json(&self, session: u32) -> String {
        self.snapshot(session).unwrap_or_else(|failure| failure.to_json())
    }
}

fn not_open(session: u32) -> Failure {
    let session = SessionId(session).to_string();
    Failure::new("closed", &["session ", &session, " is not open"].concat())
}
