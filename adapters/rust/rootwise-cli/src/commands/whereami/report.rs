//! A report about a client: text for people and models, data for programs.

use std::collections::BTreeMap;

use rootwise::path::display::display;
use rootwise_rmcp::Roots;
use serde::Serialize;
use serde_json::{Value, json};

use crate::choices::Choice;
use crate::environment::Signals;

/// Everything known about a client and its call.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    pub(super) client: Value,
    pub(super) protocol: Option<String>,
    pub(super) era: &'static str,
    pub(super) capabilities: Value,
    pub(super) transport: &'static str,
    pub(super) roots: Roots,
    pub(super) waited_ms: u64,
    pub(super) meta: Value,
    pub(super) headers: BTreeMap<String, String>,
    pub(super) query: BTreeMap<String, String>,
    pub(super) environment: Signals,
    pub(super) cwd: Option<String>,
    pub(super) arguments: BTreeMap<String, String>,
    pub(super) choices: Vec<Choice>,
}

impl Report {
    /// The report as plain lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let field = |name: &str| self.client.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = if field("name").is_empty() { "unknown" } else { field("name") };
        let version = env!("CARGO_PKG_VERSION");
        let mut lines = vec![
            "# Where am I?".to_owned(),
            String::new(),
            format!("client      {}", one_line(&format!("{name} {}", field("version")))),
            format!(
                "protocol    {} ({}), over {}",
                one_line(self.protocol.as_deref().unwrap_or("unknown")),
                self.era,
                self.transport
            ),
            format!("server      rootwise {version}"),
            format!("declares    {}", names(&self.capabilities).unwrap_or_else(|| "nothing".into())),
            String::new(),
            format!("## Roots: {}, {} ms", self.roots.state, self.waited_ms),
        ];
        lines.extend(self.root_lines());
        lines.extend([String::new(), "## This process".to_owned()]);
        lines.push(format!("cwd         {}", one_line(self.cwd.as_deref().unwrap_or("cannot be read"))));
        lines.extend(self.arguments.iter().map(|(option, value)| format!("--{option} {}", one_line(value))));
        let variables = self.environment.shown.iter();
        lines.extend(variables.map(|(variable, value)| format!("{}={}", one_line(variable), one_line(value))));
        lines.push(format!("{} other environment variables (values hidden)", self.environment.hidden.len()));
        lines.extend(names(&self.meta).map(|names| format!("_meta       {names}")));
        let named = |kind: &str, (name, value): (&String, &String)| {
            format!("{kind:<11} {}: {}", one_line(name), one_line(value))
        };
        lines.extend(self.headers.iter().map(|header| named("header", header)));
        lines.extend(self.query.iter().map(|parameter| named("query", parameter)));
        lines.extend([String::new(), "## Which project each preset would pick".to_owned()]);
        lines.extend(self.choices.iter().map(choice_line));
        lines
    }

    fn root_lines(&self) -> Vec<String> {
        if self.roots.roots.is_empty() {
            return vec!["none".into()];
        }
        let lines = self.roots.roots.iter().map(|view| {
            let root = &view.root;
            let rest = match (&view.problem, &root.path) {
                (Some(problem), _) => format!(" (cannot be used: {problem})"),
                (None, Some(path)) if !root.uri.ends_with(path.as_str()) => format!(" = {}", one_line(path)),
                _ => String::new(),
            };
            format!("{}. {}{rest}", root.index.saturating_add(1), root.uri)
        });
        lines.collect()
    }

    /// The structured content of the tool. Some clients show only that: it begins with the same report, by lines.
    pub(super) fn structured(&self) -> Value {
        let mut content = json!({ "report": self.lines() });
        if let (Some(content), Ok(Value::Object(fields))) = (content.as_object_mut(), serde_json::to_value(self)) {
            content.extend(fields);
        }
        content
    }
}

fn choice_line(Choice { preset, project, why }: &Choice) -> String {
    let folder = match project {
        Some(project) => one_line(project.path.as_ref().unwrap_or(&project.name)),
        None => "none".into(),
    };
    format!("{preset:<20} {folder}: {}", one_line(why))
}

/// The names in an object, if it has any.
fn names(of: &Value) -> Option<String> {
    let names: Vec<String> = of.as_object()?.keys().map(|name| one_line(name)).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Values come from a peer or the environment: they must not look like a line of the report.
fn one_line(text: &str) -> String {
    display(text, SHOWN_CHARS)
}

const SHOWN_CHARS: usize = 500;
