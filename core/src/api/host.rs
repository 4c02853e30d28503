//! What the host knows about the machine and the connection.

#[cfg(feature = "ts")]
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Misuse;
use crate::form::{fields, names};
use crate::map::Map;
use crate::path::{self, PathStyle};
use crate::read;
use crate::write::text;

/// Facts given at construction and replaced whole by an event; never changed by a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct HostFacts {
    /// How paths are spelled on the server's machine.
    pub style: PathStyle,
    /// How the client is connected.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transport: Transport,
    /// Whether the client's paths mean the same here; by default true over stdio and false otherwise.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub local: Option<bool>,
    /// Whether a request may be sent outside a client's call; by default true over stdio and false otherwise.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub push: Option<bool>,
    /// The server's environment, or the part of it the policy reads.
    #[cfg_attr(feature = "ts", ts(optional = nullable, as = "BTreeMap<String, String>"))]
    pub env: Map<String>,
    /// The server's working directory.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub cwd: Option<String>,
    /// The server's command line, by option name without dashes; a bare flag has an empty value.
    #[cfg_attr(feature = "ts", ts(optional = nullable, as = "BTreeMap<String, String>"))]
    pub arguments: Map<String>,
    /// Folders that are nobody's project.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub excluded_dirs: ExcludedDirs,
    /// Folders the operator confines every project to, with their real paths; none means no such ceiling.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub allowed_dirs: Vec<String>,
    /// Where the client's folders are found here (container, WSL); the first entry that matches decides.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub path_map: Vec<PathMap>,
    /// Whether network shares may be looked at; looking contacts that host.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub probe_shares: bool,
}

fields!(HostFacts: style; transport, local, push, env, cwd, arguments, excluded_dirs, allowed_dirs, path_map, probe_shares);

impl HostFacts {
    /// Facts of a stdio server about which nothing more is known.
    #[must_use]
    pub fn new(style: PathStyle) -> Self {
        Self {
            style,
            transport: Transport::Stdio,
            local: None,
            push: None,
            env: Map::new(),
            cwd: None,
            arguments: Map::new(),
            excluded_dirs: ExcludedDirs::default(),
            allowed_dirs: Vec::new(),
            path_map: Vec::new(),
            probe_shares: false,
        }
    }

    /// Reads facts.
    ///
    /// # Errors
    /// Says what is wrong and where.
    pub fn from_json(text: &str) -> Result<Self, Misuse> {
        Ok(read::parse(text)?)
    }

    /// The facts as JSON; [`from_json`](Self::from_json) reads them again.
    #[must_use]
    pub fn to_json(&self) -> String {
        text(self)
    }

    /// Finds the first fact that cannot work.
    pub(crate) fn check(&self) -> Result<(), Misuse> {
        let absolute = |place: String, text: &str, style: PathStyle| match path::absolute(text, style) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(Misuse::BadOptions { place, problem: format!("not an absolute path: {refusal}") }),
        };
        for (index, base) in self.allowed_dirs.iter().enumerate() {
            absolute(format!("host.allowed_dirs[{index}]"), base, self.style)?;
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "lowercase"))]
pub enum Transport {
    /// A pipe to a process the client started.
    #[default]
    Stdio,
    /// Any HTTP transport.
    Http,
    /// Anything else, such as in-process.
    Other,
}

names!(Transport: Stdio, Http, Other);

/// Folders that are nobody's project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase", optional_fields))]
pub struct ExcludedDirs {
    /// The user's home; refused itself, not what is below.
    pub home: Option<String>,
    /// Temporary folders; refused themselves, not what is below.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub temporary: Vec<String>,
    /// Install folders of programs and plugins; refused with everything below.
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub install: Vec<String>,
}

fields!(ExcludedDirs: ; home, temporary, install);

/// One folder of the client and where it is found on the server's machine.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct PathMap {
    /// The folder as the client spells it.
    pub from: String,
    /// How the client spells paths.
    pub from_style: PathStyle,
    /// The same folder as the server spells it.
    pub to: String,
}

fields!(PathMap: from, from_style, to;);
