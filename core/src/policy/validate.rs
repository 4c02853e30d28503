//! Checks a policy before it is used: every message names the field and the problem.

use alloc::format;
use alloc::string::String;

use super::templates::{NAMES, used};
use super::{Elicit, Links, Markers, Pin, PolicyConfig, Source, SourceKind, Verify, Within};
use crate::api::action::LogCode;
use crate::api::reason::Reason;
use crate::error::ConfigError;

fn bad(place: impl Into<String>, problem: impl Into<String>) -> ConfigError {
    ConfigError::new(place, problem)
}

impl PolicyConfig {
    /// Finds the first invalid field.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.name.is_empty() {
            return Err(bad("name", "is empty; give the policy a name for logs"));
        }
        if self.sources.is_empty() {
            return Err(bad("sources", "is empty; name at least one source"));
        }
        for (index, source) in self.sources.iter().enumerate() {
            self.check_source(&format!("sources[{index}]"), source)?;
        }
        for (index, source) in self.sources.iter().enumerate() {
            let again = self.sources.iter().skip(index.saturating_add(1)).any(|other| other.from == source.from);
            if again && !source.from.reads_names() {
                let name = source.from.name();
                return Err(bad(
                    "sources",
                    format!("has `{name}` twice; only sources that read names may be repeated"),
                ));
            }
        }
        if let Some(name) = self.packages.iter().find(|name| !is_file_name(name)) {
            return Err(bad("packages", format!("`{name}` must be a single file name")));
        }
        self.check_roots()?;
        self.check_timing()?;
        self.check_elicit()?;
        if self.memory.pin == Pin::No && !self.memory.pin_from.is_empty() {
            return Err(bad("memory.pinFrom", "has no effect without `pin`"));
        }
        if let Some(kind) = self.memory.pin_from.iter().find(|kind| kind.is_per_request()) {
            return Err(bad("memory.pinFrom", format!("`{}` belongs to one request and cannot pin", kind.name())));
        }
        self.check_texts()
    }

    fn check_source(&self, place: &str, source: &Source) -> Result<(), ConfigError> {
        let name = source.from.name();
        if source.from.reads_names() && source.read.is_empty() {
            return Err(bad(format!("{place}.read"), format!("is empty; `{name}` needs to know what to read")));
        }
        if !source.from.reads_names() && !source.read.is_empty() {
            return Err(bad(format!("{place}.read"), format!("`{name}` reads nothing by name")));
        }
        if let Some(entry) = source.read.iter().find(|entry| entry.trim_start_matches('$').is_empty()) {
            return Err(bad(format!("{place}.read"), format!("has the empty entry `{entry}`")));
        }
        for (index, entry) in source.read.iter().enumerate() {
            if let Some(problem) = name_problem(source.from, entry) {
                return Err(bad(format!("{place}.read[{index}]"), format!("`{entry}` {problem}")));
            }
        }
        if source.when.argument.as_ref().is_some_and(|option| option.starts_with('-')) {
            return Err(bad(format!("{place}.when.argument"), OPTION_WITH_DASHES));
        }
        if source.from == SourceKind::Meta
            && let Some(entry) = source.read.iter().find(|entry| !entry.starts_with('/'))
        {
            return Err(bad(format!("{place}.read"), format!("`{entry}` is not a JSON pointer; begin it with `/`")));
        }
        if source.links == Links::Follow && source.verify == Verify::None {
            return Err(bad(
                format!("{place}.links"),
                "`follow` needs a probe: set `verify` to `exists` or `directory`",
            ));
        }
        if source.from == SourceKind::Configured && source.within() == Within::KnownFolders {
            return Err(bad(
                format!("{place}.within"),
                "`configured` is the operator's word, which makes a folder known",
            ));
        }
        if let Some(status) = source.status
            && !(400..=599).contains(&status)
        {
            return Err(bad(format!("{place}.status"), format!("{status} is not an HTTP error status")));
        }
        source.refine.as_ref().map_or(Ok(()), |markers| self.check_markers(&format!("{place}.refine"), markers))
    }

    fn check_markers(&self, place: &str, markers: &Markers) -> Result<(), ConfigError> {
        if markers.tiers.is_empty() {
            return Err(bad(format!("{place}.tiers"), "is empty; name at least one marker"));
        }
        for tier in &markers.tiers {
            if let Some(name) = tier.names.iter().find(|name| !is_file_name(name)) {
                return Err(bad(format!("{place}.tiers"), format!("`{name}` must be a single file name")));
            }
            if tier.at_least == 0 || usize::try_from(tier.at_least).is_ok_and(|least| least > tier.names.len()) {
                return Err(bad(format!("{place}.tiers"), "`atLeast` must be between 1 and the number of names"));
            }
        }
        if markers.levels == 0 || markers.levels > self.limits.walk_levels {
            let most = self.limits.walk_levels;
            return Err(bad(format!("{place}.levels"), format!("must be between 1 and {most} (limits.walkLevels)")));
        }
        Ok(())
    }

    fn check_roots(&self) -> Result<(), ConfigError> {
        if !is_plain_prefix(&self.roots.request.id_prefix) {
            return Err(bad("roots.request.idPrefix", "must be plain text"));
        }
        Ok(())
    }

    fn check_timing(&self) -> Result<(), ConfigError> {
        if self.timing.caller_timeout_ms == 0 || self.timing.caller_timeout_ms > self.timing.request_timeout_ms {
            return Err(bad("timing.callerTimeoutMs", "must be at least 1 and at most `requestTimeoutMs`"));
        }
        let limits = &self.limits;
        let least = [
            ("limits.eventBytes", limits.event_bytes),
            ("limits.roots", limits.roots),
            ("limits.valueBytes", limits.value_bytes),
            ("limits.nameChars", limits.name_chars),
            ("limits.valueChars", limits.value_chars),
            ("limits.walkLevels", limits.walk_levels),
        ];
        match least.iter().find(|(_, value)| *value == 0) {
            Some((place, _)) => Err(bad(*place, "must be at least 1")),
            None if limits.actions < 6 => Err(bad("limits.actions", "must be at least 6, one of each kind")),
            None => Ok(()),
        }
    }

    fn check_elicit(&self) -> Result<(), ConfigError> {
        if self.elicit == Elicit::Never {
            return Ok(());
        }
        if !self.sources.iter().any(|source| source.from == SourceKind::Selected) {
            return Err(bad("elicit", "needs a `selected` source, because the user's answer is a selection"));
        }
        if self.limits.actions < 8 {
            return Err(bad(
                "limits.actions",
                "must be at least 8 with `elicit`: it sends and cancels one request more",
            ));
        }
        Ok(())
    }

    fn check_texts(&self) -> Result<(), ConfigError> {
        for (key, template) in self.texts.iter() {
            if !is_text_key(key) {
                return Err(bad(format!("texts.{key}"), "unknown key; no message has it"));
            }
            let unknown = used(template).find(|name| !NAMES.contains(name));
            if let (Some(name), false) = (unknown, key.starts_with("host.")) {
                return Err(bad(format!("texts.{key}"), format!("unknown placeholder `{{{name}}}`")));
            }
        }
        Ok(())
    }
}

const OPTION_WITH_DASHES: &str = "begins with a dash; name the option without dashes";

/// The reason for which nothing can have a name that a source reads.
fn name_problem(from: SourceKind, name: &str) -> Option<&'static str> {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    let variable = match from {
        SourceKind::Configured => name.strip_prefix('$'),
        SourceKind::Env => Some(name),
        _ => None,
    };
    match (from, variable) {
        (SourceKind::Header, _) if !name.chars().all(is_token) => Some("is no name that a header can have"),
        (SourceKind::Env, _) if name.starts_with('$') => Some("begins with `$`; name the variable without it"),
        (_, Some(variable)) if variable.contains(['=', '\0', '$']) => Some("is no name that a variable can have"),
        (SourceKind::Configured, None) if name.starts_with('-') => Some(OPTION_WITH_DASHES),
        _ => None,
    }
}

fn is_text_key(key: &str) -> bool {
    let mut parts = key.split('.');
    let kind = parts.next().unwrap_or_default();
    let rest = (parts.next(), parts.next(), parts.next());
    match (kind, rest) {
        ("selected" | "unresolved" | "instruction" | "refused" | "elicit", (None, None, None)) => true,
        ("elicit", (Some(part), None, None)) => ["ambiguous", "title", "root", "path"].contains(&part),
        ("unresolved" | "instruction", (Some(reason), None, None)) => is_reason(reason),
        ("chosen", (Some(source), None, None)) => is_source(source),
        ("refused" | "rejected", (Some(one), None, None)) => is_source(one) || is_reason(one),
        ("refused" | "rejected", (Some(source), Some(reason), None)) => is_source(source) && is_reason(reason),
        ("log", (Some(code), None, None)) => LogCode::from_code(code).is_some(),
        ("host", (Some(_), ..)) => true,
        _ => false,
    }
}

fn is_source(name: &str) -> bool {
    SourceKind::ALL.iter().any(|kind| kind.name() == name)
}

fn is_reason(code: &str) -> bool {
    Reason::from_code(code).is_some()
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\'])
}

/// Whether a prefix for request ids needs no escape in JSON.
pub(crate) fn is_plain_prefix(prefix: &str) -> bool {
    !prefix.chars().any(|c| c.is_control() || c == '"' || c == '\\')
}
