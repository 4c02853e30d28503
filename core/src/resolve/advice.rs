//! Advice for whoever reads that no project was found: the ways to name one that this server and this client have.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ask::AskContext;
use super::cause::is_for_other_system;
use super::client_ways::CLIENT_WAYS;
use super::evaluate::Finding;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::path::PathStyle;
use crate::path::display::display;
use crate::policy::{IN_OTHER_STYLE, OUT_OF_REACH, SourceKind, Templates, count, fill, matches_client, used};

/// The number of ways that one piece of advice names.
const MOST_WAYS: usize = 2;

/// What a way may name.
const NAMES: [&str; 7] = ["argument", "select", "header", "query", "option", "variable", "example"];

/// What the caller itself can do.
const PASS: &str = "pass the project path as `{argument}` in the call";
const SELECT: &str = "call `{select}` with one of the project paths or roots";
const SELECT_PATH: &str = "call `{select}` with the project path";

/// What the HTTP request can carry; the first that can work says it all.
const BY_REQUEST: [&str; 3] = [
    "send the project path in the `{header}` header or in the `{query}` query parameter",
    "send the project path in the `{header}` header",
    "send the project path in the `{query}` query parameter",
];

/// What whoever starts the server can do.
const BY_SERVER: [&str; 2] =
    ["start this server with `--{option}={example}`", "set `{variable}` in this server's environment"];

impl AskContext<'_> {
    /// The policy's own advice for this client and transport, else the first ways that can work here, as a sentence.
    pub(super) fn advice(&self, reason: Reason, findings: &[Finding]) -> String {
        let client = self.client_name();
        // Several roots are no lack of a folder, and folders of another system are none here: what a client could open does
        // not help.
        let is_foreign = is_for_other_system(findings, self.host.is_local());
        let lacks_folder = !matches!(reason, Reason::Ambiguous | Reason::NotChosen);
        if lacks_folder && let Some(own) = Templates(self.policy).advice(client, self.host.transport) {
            return own.to_string();
        }
        let of_client = CLIENT_WAYS
            .iter()
            .filter(|_| lacks_folder && !is_foreign)
            .find(|(pattern, _)| client.is_some_and(|client| matches_client(pattern, client)))
            .map_or(&[][..], |(_, ways)| ways);
        let names_option = of_client.iter().any(|way| used(way).any(|name| name == "option"));
        let by_server = BY_SERVER.iter().filter(|way| !names_option || used(way).all(|name| name != "option"));
        let values = self.ways();
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // Other braces, as in `${workspaceFolder}`, are meant for the client.
        let is_ours = |name: &&str| NAMES.contains(name);
        let can_work =
            |way: &&&str| used(way).filter(is_ours).all(|name| values.iter().any(|(known, _)| *known == name));
        let by_request = BY_REQUEST.iter().filter(can_work).take(1);
        let by_call = [PASS, if is_foreign { SELECT_PATH } else { SELECT }];
        let ways = by_call.iter().chain(of_client).chain(by_request).chain(by_server).filter(can_work).take(MOST_WAYS);
        let ways: Vec<String> = ways.map(|way| fill(way, &values)).collect();
        if is_foreign {
            return [sentence(&ways.join(", or ")).as_str(), IN_OTHER_STYLE].join(" ").trim_start().to_string();
        }
        // A caller whose paths are out of reach can do nothing by itself.
        let out_of_reach = ways.is_empty() && self.host.transport == Transport::Http && !self.takes_paths();
        if out_of_reach { OUT_OF_REACH.to_string() } else { sentence(&ways.join(", or ")) }
    }

    /// Whether a path of the caller can be a project.
    fn takes_paths(&self) -> bool {
        self.host.reaches_client_folders() || !self.policy.require_path
    }

    /// The names by which a project can be given here.
    fn ways(&self) -> Vec<(&'static str, String)> {
        let Self { policy, host, ask, .. } = *self;
        let context = self.evaluation_context();
        let first = |kind: SourceKind, wanted: &dyn Fn(&str) -> bool| {
            let sources = policy.sources.iter().filter(|source| source.from == kind && !context.is_off(source));
            sources.flat_map(|source| &source.read).find(|name| wanted(name)).cloned()
        };
        let any = |_: &str| true;
        let given = |name: &Option<String>, kind: SourceKind| {
            let name = name.as_ref().filter(|_| policy.source(kind).is_some_and(|source| !context.is_off(source)))?;
            Some(display(name, count(policy.limits.name_chars)))
        };
        let is_http = host.transport == Transport::Http;
        let takes_paths = self.takes_paths();
        let example = match host.style {
            PathStyle::Posix => "/absolute/path",
            PathStyle::Windows => r"C:\absolute\path",
        };
        let ways = [
            ("example", true, Some(example.to_string())),
            ("argument", takes_paths, given(&host.tool_argument, SourceKind::Argument)),
            ("select", takes_paths && !ask.modern, given(&host.select_tool, SourceKind::Selected)),
            ("header", takes_paths && is_http, first(SourceKind::Header, &any)),
            ("query", takes_paths && is_http, first(SourceKind::Query, &any)),
            // Whoever calls over HTTP does not start the server.
            ("option", !is_http, first(SourceKind::Configured, &|name| !name.starts_with('$'))),
            ("variable", !is_http, first(SourceKind::Configured, &|name| name.starts_with('$'))),
        ];
        let open = ways.into_iter().filter(|(_, open, _)| *open);
        open.filter_map(|(name, _, value)| Some((name, value?.trim_start_matches('$').to_string()))).collect()
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return String::new() };
    let mut sentence: String = first.to_uppercase().collect();
    sentence.push_str(chars.as_str());
    sentence.push('.');
    sentence
}
