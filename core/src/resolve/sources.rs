//! The values of the sources: those of a request are taken out once, when the ask arrives.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::disk::DiskView;
use super::evaluate::{EvaluationContext, Finding, SourceResult};
use super::project::ProjectFactory;
use super::value::{ParsedValue, ValueParser, looks_like_path};
use super::verify::Verified;
use crate::api::event::{Argument, RequestFacts};
use crate::api::host::HostFacts;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path::map::Spelling;
use crate::path::rejection::Rejection;
use crate::path::{self, PathStyle};
use crate::peer::raw::{self, Array};
use crate::policy::{BadOutcome, Format, Limits, Pick, Policy, Source, SourceKind, exceeds, to_usize};

/// One value of a source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SourceValue {
    /// The exact input it came from.
    pub(crate) via: Option<String>,
    pub(crate) text: String,
    /// Whether it is a text at all; otherwise `text` only describes it.
    is_text: bool,
}

/// Stands in messages for a value of another type.
const NOT_TEXT: &str = "(not a text)";

/// The values of one request, by the position of their source in the policy. Everything else of the request is dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestValues(Vec<(usize, SourceValue)>);

impl RequestValues {
    pub(crate) fn read(facts: &RequestFacts, policy: &Policy) -> Self {
        let mut values = Vec::new();
        for (at, source) in policy.config.sources.iter().enumerate() {
            let unnamed = match source.from {
                SourceKind::Server => facts.server.as_ref(),
                SourceKind::Argument => match &facts.argument {
                    Some(Argument::Text(text)) => Some(text),
                    Some(Argument::Other) => {
                        values.push((at, SourceValue { via: None, text: NOT_TEXT.to_string(), is_text: false }));
                        None
                    }
                    None => None,
                },
                _ => None,
            };
            values.extend(
                unnamed.and_then(|text| Some((at, value(None, bounded(text.clone(), &policy.config.limits))?))),
            );
            for name in &source.read {
                let texts = match source.from {
                    SourceKind::Header => header(facts, name).into_iter().collect(),
                    SourceKind::Query => facts.query.get(name).cloned().into_iter().collect(),
                    SourceKind::Meta => facts.meta.as_deref().map_or_else(Vec::new, |meta| {
                        let found = raw::pointer(meta.get(), name);
                        found.map_or_else(Vec::new, |found| raw::texts(found, to_usize(policy.config.limits.roots)))
                    }),
                    _ => Vec::new(),
                };
                let named =
                    texts.into_iter().filter_map(|text| value(Some(name), bounded(text, &policy.config.limits)));
                values.extend(named.map(|value| (at, value)));
            }
        }
        Self(values)
    }

    fn of(&self, source: usize) -> impl Iterator<Item = SourceValue> {
        self.0.iter().filter(move |(at, _)| *at == source).map(|(_, value)| value.clone())
    }
}

/// The part of a text that decides anything: of one that is too long, enough to see that and to show it.
pub(crate) fn bounded(mut text: String, limits: &Limits) -> String {
    let enough = to_usize(limits.value_bytes).max(to_usize(limits.value_chars).saturating_mul(4));
    let end = (enough..text.len()).skip(1).find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or(text.len()));
    text.shrink_to_fit();
    text
}

/// The value of a header: several spellings of its name are one header, whose values HTTP joins.
fn header(facts: &RequestFacts, name: &str) -> Option<String> {
    let same = facts.headers.iter().filter(|(key, value)| key.eq_ignore_ascii_case(name) && !value.trim().is_empty());
    let mut values: Vec<&str> = same.map(|(_, value)| value.as_str()).collect();
    values.dedup();
    (!values.is_empty()).then(|| values.join(", "))
}

/// A value, unless it is blank.
fn value(via: Option<&String>, text: String) -> Option<SourceValue> {
    (!text.trim().is_empty()).then(|| SourceValue { via: via.cloned(), text, is_text: true })
}

/// The values of a source that belongs to the connection.
fn connection_values<'h>(source: &Source, host: &'h HostFacts) -> Vec<SourceValue> {
    let named = |find: &dyn Fn(&str) -> Option<&'h String>| {
        source.read.iter().filter_map(|name| value(Some(name), find(name)?.clone())).collect()
    };
    match source.from {
        SourceKind::Configured => named(&|name| match name.strip_prefix('$') {
            Some(variable) => host.env.get(variable),
            None => host.arguments.get(name),
        }),
        SourceKind::Env => named(&|name| host.env.get(name)),
        SourceKind::Cwd => host.cwd.clone().and_then(|cwd| value(None, cwd)).into_iter().collect(),
        _ => Vec::new(),
    }
}

impl EvaluationContext<'_> {
    /// Evaluates a source that reads one value, or several of which the first usable one counts.
    pub(super) fn read_values(&self, at: usize, source: &Source, disk: &mut DiskView<'_>, finding: &mut Finding) {
        let is_list = source.format == Format::List;
        let values = match (source.from.is_per_request(), self.values) {
            (true, Some(values)) => values.of(at).collect(),
            (true, None) => Vec::new(),
            (false, _) => connection_values(source, self.host),
        };
        let (values, several) = self.one_of_several(values);
        finding.several = several;
        let values = match finding.several.as_slice() {
            [] => values,
            _ if self.policy.config.roots.pick == Pick::First => values,
            several => {
                finding.value = Some(several.join(", "));
                let ends = self.policy.config.roots.ambiguity == BadOutcome::Error;
                let rejection = Rejection::new(Reason::Ambiguous);
                return finding.result = SourceResult::Rejected { rejection, ends, status: source.status };
            }
        };
        let mut best: Option<(SourceValue, SourceResult)> = None;
        'values: for SourceValue { via, text, is_text } in values {
            // A text that is too long is not split, but rejected as a whole.
            let splits = is_list && !exceeds(text.len(), self.policy.config.limits.value_bytes);
            let most = to_usize(self.policy.config.limits.roots);
            let parts = if splits { list_parts(&text, self.host.style, most) } else { [text].into() };
            for text in parts {
                let result = match is_text {
                    true => self.judge_value(at, source, via.as_deref(), &text, disk),
                    false => rejected(source, Rejection::new(Reason::Invalid)),
                };
                // A good value replaces a bad one before it. Values that wait do not stop the loop, so that one probe
                // serves all.
                let better = match (&best, &result) {
                    (None, _) => true,
                    (
                        Some((_, SourceResult::Rejected { ends: false, .. })),
                        SourceResult::Rejected { ends: true, .. },
                    ) => !is_list,
                    (_, SourceResult::Rejected { .. }) => false,
                    (Some((_, SourceResult::Rejected { ends, .. })), _) => is_list || !ends,
                    _ => false,
                };
                let decided = match &result {
                    SourceResult::WaitDisk => false,
                    SourceResult::Rejected { ends, .. } => *ends && !is_list,
                    _ => true,
                };
                if better {
                    best = Some((SourceValue { via: via.clone(), text, is_text }, result));
                }
                if decided {
                    break 'values;
                }
            }
        }
        if let Some((SourceValue { via, text, .. }, result)) = best {
            finding.is_guess = finding.several.contains(&text);
            finding.via = via;
            finding.value = Some(text);
            finding.result = result;
        }
    }

    /// Several folders in one place are like several roots: the one that contains the target counts. Otherwise nothing says which of
    /// them is meant, and they are returned beside the values.
    fn one_of_several(&self, values: Vec<SourceValue>) -> (Vec<SourceValue>, Vec<String>) {
        let several =
            |one: &SourceValue| one.via.is_some() && values.iter().filter(|other| other.via == one.via).count() > 1;
        let Some(via) = values.iter().find(|value| several(value)).map(|value| value.via.clone()) else {
            return (values, Vec::new());
        };
        let is_its = |value: &&SourceValue| value.via == via;
        let contains = |value: &&SourceValue| {
            self.target.is_some_and(|target| path::is_inside(&value.text, target, self.host.client_style(&value.text)))
        };
        let target = values.iter().filter(is_its).filter(contains).max_by_key(|value| value.text.len()).cloned();
        match target {
            Some(target) => {
                let rest = values.into_iter().filter(|value| value.via != via);
                (core::iter::once(target).chain(rest).collect(), Vec::new())
            }
            None => {
                let mut folders: Vec<String> = values.iter().filter(is_its).map(|value| value.text.clone()).collect();
                folders.dedup();
                let has_several = folders.len() > 1;
                (values, if has_several { folders } else { Vec::new() })
            }
        }
    }

    pub(super) fn judge_value(
        &self,
        at: usize,
        source: &Source,
        via: Option<&str>,
        text: &str,
        disk: &mut DiskView<'_>,
    ) -> SourceResult {
        let parser = ValueParser {
            host: self.host,
            format: source.format,
            relative: source.relative,
            from_client: source.from.is_spelled_by_client(),
            value_bytes: self.policy.config.limits.value_bytes,
        };
        let verifier = match parser.from_client {
            true => self.verifier(at, source).for_client(),
            false => self.verifier(at, source),
        };
        let via = via.map(ToString::to_string);
        let project = match parser.parse(text) {
            Ok(ParsedValue::Name(name)) => Ok(Project::from_name(&name, source.from, via, self.factory())),
            Ok(ParsedValue::Path(path)) => match verifier.verify(&path, disk) {
                Verified::Accepted(folder) => {
                    let spelling = match parser.from_client {
                        true if source.from == SourceKind::Argument => self.factory().spelling(text, &path, self.list),
                        true => Spelling::of(text, self.host),
                        false => Spelling::Unknown,
                    };
                    Ok(Project::from_path(folder, spelling, source.from, via, self.factory()))
                }
                Verified::Wait => return SourceResult::WaitDisk,
                Verified::Rejected(rejection) => Err(rejection),
            },
            Err(rejection)
                if rejection.reason == Reason::Relative
                    && source.from == SourceKind::Argument
                    && !looks_like_path(text, self.host.style) =>
            {
                match self.named_root(at, source, text.trim(), disk) {
                    Ok(Some(project)) => Ok(project),
                    Ok(None) => Err(rejection),
                    Err(result) => return result,
                }
            }
            Err(rejection) => Err(rejection),
        };
        let project = match project.and_then(|project| self.factory().require_path(project)) {
            Ok(project) => project,
            Err(rejection) => return rejected(source, rejection),
        };
        if project.root.is_some() {
            // Named as one of the roots, it needs no comparison with them.
            return SourceResult::offers(project);
        }
        match self.check_within(source, &project, disk) {
            Ok(None) => SourceResult::offers(project),
            Ok(Some(waits)) => waits,
            Err(rejection) => rejected(source, rejection),
        }
    }

    pub(crate) const fn factory(&self) -> ProjectFactory<'_> {
        ProjectFactory { policy: self.policy, host: self.host }
    }
}

pub(super) fn rejected(source: &Source, rejection: Rejection) -> SourceResult {
    let ends = source.on_bad(rejection.reason) == BadOutcome::Error;
    SourceResult::Rejected { rejection, ends, status: source.status }
}

/// The first readings of a list: the elements of a JSON array, or the whole text and then its parts.
fn list_parts(text: &str, style: PathStyle, most: usize) -> Vec<String> {
    if text.trim_start().starts_with('[')
        && let Some(elements) = Array::read(text)
    {
        let strings = elements.filter_map(raw::string);
        return strings.filter(|part| !part.trim().is_empty()).take(most).collect();
    }
    let separators: &[char] = match style {
        PathStyle::Posix => &[','],
        PathStyle::Windows => &[',', ';'],
    };
    let mut parts: Vec<String> = [text.trim().to_string()].into();
    if text.contains(separators) {
        let split = text.split(separators).map(|part| part.trim().to_string()).filter(|part| !part.is_empty());
        parts.extend(split.take(most.saturating_sub(1)));
    }
    parts
}
