//! `rootwise check`: the mistakes of a policy with line and column, what it reads, and what it does in words.

mod place;
mod words;

use std::io::Read;
use std::path::Path;

use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::policy::PRESETS;
use rootwise::{ConfigError, Policy};
use serde_json::json;

use crate::command_line::Check;
use crate::output::{Answer, BAD, FAINT, Failure, GOOD, STRONG, styled};
use crate::policy::{nearest, without_position};
use place::{Position, position};

pub(crate) fn check(options: &Check) -> Result<Answer, Failure> {
    let (name, text) = read(&options.policy)?;
    Ok(match Policy::from_json(&text) {
        Ok(policy) => accepted(&name, &policy),
        Err(error) => refused(&name, &text, &error),
    })
}

/// The policy as text, and what to call it.
fn read(chosen: &str) -> Result<(String, String), Failure> {
    if let Some((name, text)) = PRESETS.iter().find(|(name, _)| *name == chosen && !Path::new(chosen).exists()) {
        return Ok(((*name).into(), (*text).into()));
    }
    let mut text = String::new();
    if chosen == "-" {
        std::io::stdin()
            .lock()
            .read_to_string(&mut text)
            .map_err(|error| Failure(format!("standard input: {error}")))?;
        return Ok(("standard input".into(), text));
    }
    let text = std::fs::read_to_string(chosen).map_err(|error| {
        if let Some(text) = nearest(chosen) {
            return Failure(format!("{chosen}: {text}"));
        }
        let presets = PRESETS.map(|(name, _)| name).join(", ");
        Failure(format!("{chosen}: {error}. Name a file, or one of the presets {presets}."))
    })?;
    Ok((chosen.into(), text))
}

fn refused(name: &str, text: &str, error: &ConfigError) -> Answer {
    let Position { line, column } = position(text, &error.place);
    let problem = without_position(&error.problem);
    let shown = format!(
        "{} {}\n  {}",
        styled(STRONG, format_args!("{name}:{line}:{column}:")),
        styled(BAD, problem),
        styled(FAINT, format_args!("at {}", error.place)),
    );
    let json = json!({ "error": {
        "code": error.code(), "message": problem, "place": error.place, "line": line, "column": column,
    } });
    Answer { text: shown, json, good: false }
}

fn accepted(name: &str, policy: &Policy) -> Answer {
    let inputs = PolicyInputs::of(policy);
    let sentences = words::summary(policy);
    let mut text =
        format!("{} {}\n\n{}\n", styled(STRONG, name), styled(GOOD, "is a valid policy."), sentences.join("\n"));
    let pointer = |names: &Vec<String>| format!("_meta/{}", names.join("/"));
    let reads: [(&str, Vec<String>); 5] = [
        ("options", inputs.options.iter().map(|name| format!("--{name}")).collect()),
        ("variables", inputs.env.iter().cloned().collect()),
        ("_meta", inputs.meta.iter().map(pointer).collect()),
        ("headers", inputs.headers.iter().cloned().collect()),
        ("query", inputs.query.iter().cloned().collect()),
    ];
    text.push_str(&format!("\n{}\n", styled(STRONG, "It reads")));
    for (label, values) in &reads {
        let values = if values.is_empty() { styled(FAINT, "nothing") } else { values.join(", ") };
        text.push_str(&format!("  {} {values}\n", styled(FAINT, format_args!("{label:<9}"))));
    }
    let json = json!({ "policy": policy.config().name, "summary": sentences, "reads": inputs });
    Answer { text, json, good: true }
}
