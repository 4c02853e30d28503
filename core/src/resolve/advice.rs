//! Advice for whoever reads that no project was found: the ways to name one that this server and this client have.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ask::AskContext;
use super::cause::is_for_other_system;
use super::evaluate::Finding;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::path::display::display;
use crate::policy::{SourceKind, Templates, fill, matches_client, to_usize, used};
use crate::texts::advice::{
    ALLOW_FOLDER, BY_REQUEST, BY_SERVER, IN_OTHER_STYLE, NAME_MARKED, OPEN_FOLDER, OR, OUT_OF_REACH, PASS, PASS_ROOT,
    SELECT_PATH, SELECT_ROOT, START_ELSEWHERE, TAKES_NONE, TO_CHANGE, example,
};
use crate::texts::client_advice::CLIENT_ADVICE;

/// The number of ways that one piece of advice names.
const MAX_WAYS: usize = 2;

/// What a way may name.
const NAMES: [&str; 7] = ["argument", "select", "header", "query", "option", "variable", "example"];

impl AskContext<'_> {
    /// The policy's own advice for this client and transport, else the first ways that can work here, as a sentence.
    pub(super) fn advice(&self, reason: Reason, findings: &[Finding]) -> String {
        let client = self.client_name();
        // Ambiguity is not absence, and paths of another system need other advice than a folder to open.
        let is_foreign = is_for_other_system(findings, self.host.is_local());
        let lacks_folder = reason != Reason::Ambiguous;
        if lacks_folder && let Some(own) = Templates(self.policy).advice(client, self.host.transport) {
            return own.to_string();
        }
        let of_client = CLIENT_ADVICE
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
        let by_call = if lacks_folder { [PASS, SELECT_PATH] } else { [PASS_ROOT, SELECT_ROOT] };
        let ways = by_call.iter().chain(of_client).chain(by_request).chain(by_server).filter(can_work).take(MAX_WAYS);
        let ways: Vec<String> = ways.map(|way| fill(way, &values)).collect();
        if is_foreign {
            return [sentence(&ways.join(OR)).as_str(), IN_OTHER_STYLE].join(" ").trim_start().to_string();
        }
        // A caller whose paths are out of reach can do nothing by itself.
        let out_of_reach = ways.is_empty() && self.host.transport == Transport::Http && !self.takes_paths();
        if out_of_reach { OUT_OF_REACH.to_string() } else { sentence(&ways.join(OR)) }
    }

    /// How a caller whose selection is kept nowhere changes its project; nothing if the policy has a text of its own for it.
    fn per_call_advice(&self) -> String {
        const OWN: [&str; 3] = ["refused.pass_each_call", "refused.selected", "refused.selected.pass_each_call"];
        if OWN.iter().any(|key| self.policy.config.texts.contains_key(*key)) {
            return String::new();
        }
        if self.host.transport == Transport::Http && !self.takes_paths() {
            return TAKES_NONE.to_string();
        }
        let values = self.ways();
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let can_work = |way: &&str| used(way).all(|name| values.iter().any(|(known, _)| *known == name));
        let by_call = [PASS].into_iter().filter(can_work).chain(self.takes_roots().then_some(OPEN_FOLDER));
        let ways = by_call.chain(BY_REQUEST.into_iter().filter(can_work).take(1));
        let ways: Vec<String> = ways.map(|way| fill(way, &values)).collect();
        if ways.is_empty() { START_ELSEWHERE.to_string() } else { [TO_CHANGE, &ways.join(OR), "."].concat() }
    }

    /// What to do about a refusal, where that depends on this server and this client.
    pub(super) fn refusal_advice(&self, reason: Reason) -> String {
        match reason {
            Reason::PassEachCall => self.per_call_advice(),
            Reason::NoMarker => self.marker_advice(),
            _ => String::new(),
        }
    }

    /// How a folder without a project marker can become a project.
    fn marker_advice(&self) -> String {
        let values = self.ways();
        let values: Vec<(&str, &str)> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let can_work = |way: &&str| used(way).all(|name| values.iter().any(|(known, _)| *known == name));
        let other = match self.takes_roots() {
            true => OPEN_FOLDER,
            false => BY_SERVER.into_iter().find(can_work).unwrap_or(ALLOW_FOLDER),
        };
        sentence(&[NAME_MARKED, &fill(other, &values)].join(OR))
    }

    /// Whether a folder that the client opens can become a root that counts here.
    fn takes_roots(&self) -> bool {
        let client = if self.ask.modern { Some(self.ask.client) } else { self.connection.client };
        client.is_some_and(|client| client.declares_roots) && self.policy.source(SourceKind::Roots).is_some()
    }

    /// Whether a path of the caller can be a project.
    fn takes_paths(&self) -> bool {
        self.host.reaches_client_folders() || !self.policy.config.require_path
    }

    /// The names by which a project can be given here.
    fn ways(&self) -> Vec<(&'static str, String)> {
        let Self { policy, host, ask, .. } = *self;
        let context = self.evaluation_context();
        let first = |kind: SourceKind, wanted: &dyn Fn(&str) -> bool| {
            let sources = policy.config.sources.iter().filter(|source| source.from == kind && !context.is_off(source));
            sources.flat_map(|source| &source.read).find(|name| wanted(name)).cloned()
        };
        let any = |_: &str| true;
        let given = |name: &Option<String>, kind: SourceKind| {
            let name = name.as_ref().filter(|_| policy.source(kind).is_some_and(|source| !context.is_off(source)))?;
            Some(display(name, to_usize(policy.config.limits.name_chars)))
        };
        let is_http = host.transport == Transport::Http;
        let takes_paths = self.takes_paths();
        let ways = [
            ("example", true, Some(example(host.style).to_string())),
            ("argument", takes_paths, given(&host.tool_argument, SourceKind::Argument)),
            ("select", takes_paths && !ask.alone, given(&host.select_tool, SourceKind::Selected)),
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
