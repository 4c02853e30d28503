//! What the host knows about the machine and the connection.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::Misuse;
use crate::path::{self, PathStyle};

/// Facts given at construction and replaced whole by an event; never changed by a peer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostFacts {
    /// How paths are spelled on the server's machine.
    pub style: PathStyle,
    /// How the client is connected.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transport: Transport,
    /// Whether the client's paths mean the same here; by default true over stdio and false otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<bool>,
    /// Whether a request may be sent outside a client's call; by default true over stdio and false otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<bool>,
    /// The server's environment, or the part of it the policy reads.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The server's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The server's command line, by option name without dashes; a bare flag has an empty value.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// Folders that are nobody's project.
    #[serde(default, skip_serializing_if = "Places::is_empty")]
    pub places: Places,
    /// Folders the operator confines every project to, with their real paths; none means no such ceiling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// Where the client's folders are found here (container, WSL); the first entry that matches decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path_map: Vec<PathMap>,
    /// Whether network shares may be looked at; looking contacts that host.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub probe_shares: bool,
}

impl HostFacts {
    /// Facts of a stdio server about which nothing more is known.
    #[must_use]
    pub fn new(style: PathStyle) -> Self {
        Self {
            style,
            transport: Transport::Stdio,
            local: None,
            push: None,
            env: BTreeMap::new(),
            cwd: None,
            arguments: BTreeMap::new(),
            places: Places::default(),
            allowed: Vec::new(),
            path_map: Vec::new(),
            probe_shares: false,
        }
    }

    /// Finds the first fact that cannot work.
    pub(crate) fn check(&self) -> Result<(), Misuse> {
        let absolute = |place: String, text: &str, style: PathStyle| match path::absolute(text, style) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(Misuse::BadOptions { place, problem: format!("not an absolute path: {refusal}") }),
        };
        for (index, base) in self.allowed.iter().enumerate() {
            absolute(format!("host.allowed[{index}]"), base, self.style)?;
        }
        for (index, map) in self.path_map.iter().enumerate() {
            absolute(format!("host.pathMap[{index}].from"), &map.from, map.from_style)?;
            absolute(format!("host.pathMap[{index}].to"), &map.to, self.style)?;
        }
        Ok(())
    }

    pub(crate) fn is_local(&self) -> bool {
        self.local.unwrap_or(self.transport == Transport::Stdio)
    }

    pub(crate) fn may_push(&self) -> bool {
        self.push.unwrap_or(self.transport == Transport::Stdio)
    }
}

/// How the client is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A pipe to a process the client started.
    #[default]
    Stdio,
    /// Any HTTP transport.
    Http,
    /// Anything else, such as in-process.
    Other,
}

/// Folders that are nobody's project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Places {
    /// The user's home; refused itself, not what is below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// Temporary folders; refused themselves, not what is below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub temporary: Vec<String>,
    /// Install folders of programs and plugins; refused with everything below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub install: Vec<String>,
}

impl Places {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One folder of the client and where it is found on the server's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathMap {
    /// The folder as the client spells it.
    pub from: String,
    /// How the client spells paths.
    pub from_style: PathStyle,
    /// The same folder as the server spells it.
    pub to: String,
}
