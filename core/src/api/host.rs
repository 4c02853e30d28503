//! Host facts: the machine and the connection, as the host describes them.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::style::PathStyle;
use super::{is_default, unique_keys};

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
    /// false otherwise. Without it and without `allowedDirs`, no path of the client is checked.
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
    /// The client's folders on the server's machine (container, WSL); the first matching entry decides. Entries of the command
    /// line option `path-map` in `arguments`, and of the variable `ROOTWISE_PATH_MAP` in `env`, come before these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub path_map: Vec<PathMap>,
    /// Whether network shares may be probed; a probe contacts their host.
    #[serde(default, skip_serializing_if = "is_default")]
    pub probe_shares: bool,
    /// Whether several processes serve the clients that call over HTTP, so that none of them knows what another one remembers.
    /// Then nothing is remembered between calls that have no session, and a selection is answered with a handle.
    #[serde(default, skip_serializing_if = "is_default")]
    pub replicas: bool,
}

impl HostFacts {
    /// The facts of a stdio server of which nothing else is known.
    ///
    /// ```
    /// use rootwise::host::{PathMap, Transport};
    /// use rootwise::{HostFacts, PathStyle};
    ///
    /// // A server in a container, for a client on Windows.
    /// let mut host = HostFacts::new(PathStyle::Posix);
    /// host.transport = Transport::Http;
    /// host.allowed_dirs = Some(vec!["/srv/projects".into()]);
    /// host.path_map.push(PathMap::new(r"C:\code", PathStyle::Windows, "/srv/projects"));
    /// ```
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
            replicas: false,
        }
    }
}

/// The transport of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct PathMap {
    /// The folder as the client spells it; or the start of a URI of another scheme than `file`, such as
    /// `vscode-remote://ssh-remote+box/home/me`, whose style is `posix`. `+*` at the end of its host stands for any host of the kind.
    pub from: String,
    /// The client's spelling of paths.
    pub from_style: PathStyle,
    /// The same folder as the server spells it.
    pub to: String,
}

impl PathMap {
    /// A folder as the client spells it, and the same folder as the server does.
    #[must_use]
    pub fn new(from: impl Into<String>, from_style: PathStyle, to: impl Into<String>) -> Self {
        Self { from: from.into(), from_style, to: to.into() }
    }
}
