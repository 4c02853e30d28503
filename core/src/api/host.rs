//! Host facts: the machine and the connection, as the host describes them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{is_default, parse_json, unique_keys};
use crate::error::ConfigError;
use crate::path::{self, PathStyle};

/// The facts of the machine and the connection. A peer never changes them; the host replaces them as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub struct HostFacts {
    /// The spelling of paths on the server's machine.
    pub style: PathStyle,
    /// The transport of the connection.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub transport: Transport,
    /// Whether the client is on the server's machine, so that its paths are valid there; by default true over stdio and
    /// false otherwise. Without it and without `allowedDirs`, no path of the client is looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local: Option<bool>,
    /// Whether the host may send requests outside a client's call; by default true over stdio and false otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub push: Option<bool>,
    /// Whether this process serves this client alone, in the folder and with the variables that the client gave it; by
    /// default true over stdio with a local client. Only then do the working directory and variables say where it works.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dedicated: Option<bool>,
    /// The server's environment, or the part of it that the policy reads.
    #[serde(default, deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The server's working directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The server's command line, by option name without dashes; a bare flag has an empty value.
    #[serde(default, deserialize_with = "unique_keys", skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
    /// The parameter of the server's tools that takes a project path, if they have one. Advice names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_argument: Option<String>,
    /// The server's tool that selects a project, if there is one. Advice names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select_tool: Option<String>,
    /// Folders that are never projects by themselves.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub excluded_dirs: ExcludedDirs,
    /// The folders to which the operator confines every project, together with their real paths. Without it there is no
    /// limit; an empty list allows nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_dirs: Option<Vec<String>>,
    /// The client's folders on the server's machine (container, WSL); the first matching entry decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path_map: Vec<PathMap>,
    /// Whether network shares may be probed; a probe contacts their host.
    #[serde(default, skip_serializing_if = "is_default")]
    pub probe_shares: bool,
}

impl HostFacts {
    /// The facts of a stdio server of which nothing else is known.
    #[must_use]
    pub fn new(style: PathStyle) -> Self {
        Self {
            style,
            transport: Transport::Stdio,
            local: None,
            push: None,
            dedicated: None,
            env: BTreeMap::new(),
            cwd: None,
            arguments: BTreeMap::new(),
            tool_argument: None,
            select_tool: None,
            excluded_dirs: ExcludedDirs::default(),
            allowed_dirs: None,
            path_map: Vec::new(),
            probe_shares: false,
        }
    }

    /// Parses facts; the error names the field.
    ///
    /// # Errors
    /// The text is not JSON, or a field is unknown, missing or of the wrong type.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        parse_json(text)
    }

    /// Finds the first fact that cannot work.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let absolute = |place: String, text: &str, style: PathStyle| match path::absolute(text, style) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(ConfigError::new(place, format!("not an absolute path: {refusal}"))),
        };
        let ExcludedDirs { home, temporary, install } = &self.excluded_dirs;
        if let Some(cwd) = &self.cwd {
            absolute("host.cwd".into(), cwd, self.style)?;
        }
        let lists = [("home", home), ("temporary", temporary), ("install", install)];
        for (name, index, dir) in lists
            .into_iter()
            .flat_map(|(name, dirs)| dirs.iter().enumerate().map(move |(index, dir)| (name, index, dir)))
        {
            absolute(format!("host.excludedDirs.{name}[{index}]"), dir, self.style)?;
        }
        for (index, dir) in self.allowed_dirs.iter().flatten().enumerate() {
            absolute(format!("host.allowedDirs[{index}]"), dir, self.style)?;
        }
        for (index, map) in self.path_map.iter().enumerate() {
            absolute(format!("host.pathMap[{index}].from"), &map.from, map.from_style)?;
            absolute(format!("host.pathMap[{index}].to"), &map.to, self.style)?;
        }
        Ok(())
    }

    /// Whether a path is inside the allowed folders by its spelling.
    pub(crate) fn allows(&self, path: &str) -> bool {
        self.allowed_dirs.as_ref().is_none_or(|dirs| dirs.iter().any(|dir| path::is_inside(dir, path, self.style)))
    }

    pub(crate) fn is_local(&self) -> bool {
        self.local.unwrap_or(self.transport == Transport::Stdio)
    }

    /// Whether this process can use the folders that the client names: they are on this machine, or the operator allows
    /// folders here, and then each one is verified.
    pub(crate) fn reaches_client_folders(&self) -> bool {
        self.is_local() || self.allowed_dirs.is_some()
    }

    /// The style of a path or URI that the client spelled: the client's own, if it is on another machine.
    pub(crate) fn client_style(&self, text: &str) -> PathStyle {
        if self.reaches_client_folders() { self.style } else { path::guess_style(text) }
    }

    /// Whether the working directory and the variables say where the client works.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.dedicated.unwrap_or_else(|| self.transport == Transport::Stdio && self.is_local())
    }

    pub(crate) fn may_push(&self) -> bool {
        self.push.unwrap_or(self.transport == Transport::Stdio)
    }
}

/// The transport of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// A pipe to a process that the client started.
    #[default]
    Stdio,
    /// Any HTTP transport.
    Http,
    /// Any other transport, such as in-process.
    Other,
}

/// Folders that are never projects by themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(optional_fields))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct ExcludedDirs {
    /// The user's home, in every spelling: as the system gives it, and its real path. Excluded itself, not the folders
    /// below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub home: Vec<String>,
    /// Temporary folders; excluded themselves, not the folders below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub temporary: Vec<String>,
    /// Install folders of programs and plugins; excluded with everything below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional = nullable))]
    pub install: Vec<String>,
}

/// One folder of the client and its place on the server's machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PathMap {
    /// The folder as the client spells it.
    pub from: String,
    /// The client's spelling of paths.
    pub from_style: PathStyle,
    /// The same folder as the server spells it.
    pub to: String,
}
