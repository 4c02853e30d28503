//! Message templates: `{name}` is replaced by a value, everything else stays as it is.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Advice, Policy, count};
use crate::api::action::LogCode;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::path::display::display;

/// What templates may show.
pub(super) const NAMES: [&str; 14] = [
    "advice", "cause", "client", "count", "detail", "from", "list", "name", "path", "reason", "source", "to", "uri",
    "value",
];

/// The values of one message, each made safe to show when it is put in.
#[derive(Debug, Default)]
pub(crate) struct Values<'a>(Vec<(&'static str, &'a str)>);

impl<'a> Values<'a> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with(mut self, name: &'static str, value: &'a str) -> Self {
        self.0.push((name, value));
        self
    }
}

/// A policy's texts, with the standard ones behind them.
#[derive(Clone, Copy)]
pub(crate) struct Templates<'a>(pub(crate) &'a Policy);

impl Templates<'_> {
    /// The first template found under one of the keys, filled in; the policy's own texts come before the standard ones.
    pub(crate) fn message(&self, keys: &[&str], values: &Values<'_>) -> String {
        self.own(keys, values)
            .or_else(|| {
                let template = keys.iter().find_map(|key| standard(key))?;
                Some(self.fill(template, values))
            })
            .unwrap_or_default()
    }

    /// The same, from the policy's own texts only.
    pub(crate) fn own(&self, keys: &[&str], values: &Values<'_>) -> Option<String> {
        let template = keys.iter().find_map(|key| self.0.texts.get(*key))?;
        Some(self.fill(template, values))
    }

    /// What to do for this client on this transport.
    pub(crate) fn advice(&self, client: Option<&str>, transport: Transport) -> Option<&str> {
        let fits = |advice: &&Advice| {
            advice.transport.is_none_or(|wanted| wanted == transport)
                && advice.client.as_deref().is_none_or(|pattern| matches_client(pattern, client.unwrap_or_default()))
        };
        self.0.advice.iter().find(fits).map(|advice| advice.text.as_str())
    }

    /// A value ends the ask.
    pub(crate) fn refused(&self, source: &str, reason: Reason, values: &Values<'_>) -> String {
        self.about_value("refused", source, reason, "refused", values)
    }

    /// A value gives way to the next source.
    pub(crate) fn rejected(&self, source: &str, reason: Reason, values: &Values<'_>) -> String {
        self.about_value("rejected", source, reason, "log.value_rejected", values)
    }

    fn about_value(&self, kind: &str, source: &str, reason: Reason, otherwise: &str, values: &Values<'_>) -> String {
        let code = reason.code();
        let keys = [format!("{kind}.{source}.{code}"), format!("{kind}.{source}"), format!("{kind}.{code}")];
        self.message(&[&keys[0], &keys[1], &keys[2], otherwise], values)
    }

    pub(crate) fn unresolved(&self, reason: Reason, values: &Values<'_>) -> String {
        self.message(&[&format!("unresolved.{}", reason.code()), "unresolved"], values)
    }

    pub(crate) fn instruction(&self, reason: Reason, values: &Values<'_>) -> Option<String> {
        let text = self.message(&[&format!("instruction.{}", reason.code()), "instruction"], values);
        Some(text).filter(|text| !text.is_empty())
    }

    /// What to do about a value that is refused; the general instruction is about having no value at all.
    pub(crate) fn refused_instruction(&self, reason: Reason, values: &Values<'_>) -> Option<String> {
        let text = self.message(&[&format!("instruction.{}", reason.code())], values);
        Some(text).filter(|text| !text.is_empty())
    }

    pub(crate) fn log(&self, code: LogCode, values: &Values<'_>) -> String {
        self.message(&[&format!("log.{}", code.code())], values)
    }

    fn fill(&self, template: &str, values: &Values<'_>) -> String {
        let most = count(self.0.limits.value_chars);
        let shown: Vec<(&str, String)> = values
            .0
            .iter()
            .map(|(name, value)| {
                // Lists and advice are built from safe parts and may be longer than one value.
                let safe = if matches!(*name, "list" | "advice") { (*value).to_string() } else { display(value, most) };
                (*name, safe)
            })
            .collect();
        let borrowed: Vec<(&str, &str)> = shown.iter().map(|(name, value)| (*name, value.as_str())).collect();
        fill(template, &borrowed)
    }
}

/// Whether a client has this name; `*` at the end of a pattern stands for any ending. A name that mcp-remote passes on, such as
/// `claude-code (via mcp-remote 0.15.1)`, is also the name in front of the note.
pub(crate) fn matches_client(pattern: &str, client: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => client.starts_with(start),
        None => client == pattern || client.split_once(" (via mcp-remote ").is_some_and(|(own, _)| own == pattern),
    }
}

/// Puts the values in; a `{word}` nobody knows stays as it is.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| {
            let (_, value) = values.iter().find(|(known, _)| *known == name)?;
            Some((*value, tail))
        });
        match known {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The names a template uses.
pub(crate) fn used(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name))
}

/// The ways out where the client's folders are on another machine.
pub(crate) const OUT_OF_REACH: &str = "The operator of this server can set `local` if the client is on the same machine, \
     `allowedDirs` if it has the same folders, or `requirePath: false` if it needs no folder.";

/// The ways out where a path is for another operating system than this server's.
pub(crate) const IN_OTHER_STYLE: &str = "Spell the path as this server's operating system does; its operator can set `pathMap` if it has the client's \
     folders in another place.";

/// The way out where several clients share a connection.
const ONE_PROCESS_EACH: &str = "Let the gateway start one server process for each client (supergateway: \
     `--outputTransport streamableHttp --stateful`), or name the project in every call.";

/// The texts of a policy that has none of its own.
fn standard(key: &str) -> Option<&'static str> {
    Some(match key {
        "unresolved" => "No project was found: {cause}.",
        "unresolved.ambiguous" => "The client has several roots and none was chosen. Available: {list}",
        "unresolved.not_chosen" => "The client has roots and none was chosen. Available: {list}",
        "unresolved.several_clients" => {
            "No project was found: several clients share this connection, because a gateway in front of this server \
             mixes their messages, and their calls cannot be told apart."
        }
        "unresolved.closed" => "The connection closed before the project was known.",
        "instruction" => "{advice}",
        "instruction.closed" => "",
        "instruction.several_clients" => ONE_PROCESS_EACH,
        "instruction.other_machine" => OUT_OF_REACH,
        "instruction.other_system" => IN_OTHER_STYLE,
        "refused" => "The {source} value `{value}` cannot be used as a project ({reason}).",
        "refused.placeholder" => "The {source} value `{value}` is a template that nobody filled in.",
        "refused.relative" => "The {source} value `{value}` is relative; an absolute path is needed.",
        "refused.missing" => "The {source} path does not exist: {path}",
        "refused.not_directory" => "The {source} path is not a folder: {path}",
        "refused.outside" => "The {source} path is outside the allowed folders: {path}",
        "refused.other_machine" => {
            "The {source} path is on the client's machine and this server needs a folder on its own: {path}"
        }
        "refused.other_system" => {
            "The {source} value `{value}` is a path for another operating system than this server's."
        }
        "refused.no_path" => "`{value}` names no folder, and this server needs one.",
        "refused.not_in_roots" => "`{value}` is neither one of the client's roots nor inside one. Available: {list}",
        "refused.no_marker" => {
            "The {source} path is not known as a project and has no project marker such as `.git`: {path}"
        }
        "refused.excluded_dir" => "The {source} path is a folder that is never a project by itself: {path}",
        "refused.roots.relative" => {
            "The target `{value}` is relative, and the client has several roots: only an absolute path tells which one is meant."
        }
        "refused.several_clients" => {
            "Nothing can be selected: several clients share this connection, because a gateway in front of this server \
             mixes their messages."
        }
        "refused.unreadable" => "The {source} path cannot be read: {path}",
        "refused.invalid_name" => "`{value}` is not a usable project name.",
        "refused.empty" => "The selected project is empty.",
        "refused.immutable" => "The project of this connection is `{name}` and cannot be changed.",
        "refused.selection_off" => "This server does not let a tool select the project.",
        "refused.pass_each_call" => {
            "This client keeps no state between calls: pass the project with every call, for example `{value}`."
        }
        "selected" => "Project set to: {name}",
        "log.disagreement" => "{from} and {to} name different projects",
        "log.value_rejected" => "{source} gave `{value}`, which cannot be used: {reason}",
        "log.roots_failed" => "the client's roots could not be listed: {reason}",
        "log.roots_unsupported" => "the client cannot list roots: {reason}",
        "log.roots_cut" => "the client sent {count} roots more than are kept",
        "log.root_repaired" => "root `{value}` is a bare path and was taken as one",
        "log.answer_stale" => "an answer to a request that is over was ignored",
        "log.answer_unexpected" => "an answer to a request that was never made was ignored",
        "log.selected_root_left" => "the selected project `{name}` is no longer among the client's roots",
        "log.several_clients" => {
            "several clients share this connection, because a gateway mixes their messages; nothing that one of them says \
             counts for the others"
        }
        "log.too_many_asks" => "too many asks are waiting; this one was answered from what is known",
        "log.logs_dropped" => "{count} more log lines were left out",
        _ => return None,
    })
}
