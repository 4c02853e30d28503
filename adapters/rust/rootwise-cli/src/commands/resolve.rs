//! `rootwise resolve`: the project of a folder.

use rootwise::Project;
use rootwise::event::{Argument, RequestFacts};
use rootwise::host::Transport;
use rootwise::path::display::display;
use rootwise_host::{AtStart, NoProject, resolve_and_explain};
use serde_json::{Value, json};

use crate::command_line::Resolve;
use crate::output::{Answer, BAD, FAINT, Failure, STRONG, styled};
use crate::policy::{absolute, text_of};

pub(crate) fn resolve(options: &Resolve) -> Result<Answer, Failure> {
    let policy = options.policy.policy()?;
    let mut host = options.policy.facts(Transport::Stdio, &policy)?;
    if let Some(folder) = &options.folder {
        host.cwd = Some(text_of(absolute(folder)?)?);
    }
    let facts = RequestFacts::default().argument(options.argument.clone().map(Argument::from));
    let AtStart { project, explanation, .. } = resolve_and_explain(policy, host, facts).map_err(Failure::new)?;
    let (mut text, mut json) = match &project {
        Ok(project) => (project_text(project), json!({ "project": project })),
        Err(error) => (error_text(error), json!({ "error": error_json(error) })),
    };
    if let (true, Some(explanation)) = (options.explain, explanation) {
        text = format!("{text}\n\n{}", explanation.text);
        if let Some(json) = json.as_object_mut() {
            json.insert("explanation".into(), json!(explanation));
        }
    }
    Ok(Answer { text, json, good: project.is_ok() })
}

/// Characters of a line.
const SHOWN_CHARS: usize = 1_024;

/// A project as a person reads it.
pub(crate) fn project_text(project: &Project) -> String {
    let shown = |text: &str| display(text, SHOWN_CHARS);
    let folder = project.path.as_ref().or(project.client_path.as_ref());
    let source = match &project.via {
        Some(via) => format!("{} ({})", project.source, shown(via)),
        None => project.source.to_string(),
    };
    let lines = [
        ("name", Some(project.display_name.clone())),
        ("from", Some(source)),
        ("uri", project.uri.as_deref().map(shown)),
        ("id", Some(project.id.clone())),
    ];
    let mut text = styled(STRONG, folder.map_or_else(|| project.display_name.clone(), |path| shown(path)));
    for (label, value) in lines.into_iter().filter_map(|(label, value)| Some((label, value?))) {
        text.push_str(&format!("\n  {} {value}", styled(FAINT, format_args!("{label:<5}"))));
    }
    text
}

fn error_text(error: &NoProject) -> String {
    let instruction = error.instruction().map(|instruction| format!("\n{instruction}")).unwrap_or_default();
    format!("{}{instruction}", styled(BAD, error.message()))
}

fn error_json(error: &NoProject) -> Value {
    let mut shown = json!({ "code": error.code(), "message": error.message() });
    if let (Some(instruction), Some(shown)) = (error.instruction(), shown.as_object_mut()) {
        shown.insert("instruction".into(), instruction.into());
    }
    shown
}
