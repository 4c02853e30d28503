//! Message templates: `{name}` is replaced by a value, everything else stays as it is.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Advice, Policy, to_usize};
use crate::api::action::LogCode;
use crate::api::host::Transport;
use crate::api::reason::Reason;
use crate::path::display::display;
use crate::texts::fill;
use crate::texts::standard::standard;

/// What templates may show.
pub(super) const NAMES: [&str; 15] = [
    "advice", "cause", "client", "count", "detail", "folders", "from", "list", "name", "path", "reason", "source",
    "to", "uri", "value",
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
        self.own(keys, values).unwrap_or_else(|| self.standard(keys, values))
    }

    /// The same, from the standard texts only.
    pub(crate) fn standard(&self, keys: &[&str], values: &Values<'_>) -> String {
        keys.iter().find_map(|key| standard(key)).map_or_else(String::new, |template| self.fill(template, values))
    }

    /// The same, from the policy's own texts only.
    pub(crate) fn own(&self, keys: &[&str], values: &Values<'_>) -> Option<String> {
        let template = keys.iter().find_map(|key| self.0.config.texts.get(*key))?;
        Some(self.fill(template, values))
    }

    /// What to do for this client on this transport.
    pub(crate) fn advice(&self, client: Option<&str>, transport: Transport) -> Option<&str> {
        let fits = |advice: &&Advice| {
            advice.transport.is_none_or(|wanted| wanted == transport)
                && advice.client.as_deref().is_none_or(|pattern| matches_client(pattern, client.unwrap_or_default()))
        };
        self.0.config.advice.iter().find(fits).map(|advice| advice.text.as_str())
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
        let most = to_usize(self.0.config.limits.value_chars);
        let shown: Vec<(&str, String)> = values
            .0
            .iter()
            .map(|(name, value)| {
                // Lists and advice are built from safe parts and may be longer than one value.
                let safe = if matches!(*name, "list" | "folders" | "advice") {
                    (*value).to_string()
                } else {
                    display(value, most)
                };
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

/// The names a template uses.
pub(crate) fn used(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|part| part.split_once('}').map(|(name, _)| name))
}
