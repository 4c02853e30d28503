//! Clients of the table as behaviour: what they declare, how they answer, where they start their servers.

use serde::Deserialize;

/// A copy of core/clients.json, which is not a part of this package; a test compares them.
const TABLE: &str = include_str!("../data/clients.json");

/// One row of the table, as far as it says how a client behaves.
#[derive(Debug, Deserialize)]
struct Row {
    client: String,
    names: Vec<String>,
    #[serde(default)]
    protocol: String,
    roots: Roots,
    cwd: String,
    #[serde(default)]
    env: Vec<Variable>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Roots {
    declared: String,
    list_changed: String,
    answer: String,
}

/// A variable that a client sets for its servers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Variable {
    pub(crate) name: String,
    format: String,
}

impl Variable {
    /// Its value for these folders.
    pub(crate) fn value(&self, folders: &[String]) -> Option<String> {
        match self.format.as_str() {
            "list" => Some(folders.join(if cfg!(windows) { ";" } else { ":" })).filter(|list| !list.is_empty()),
            _ => folders.first().cloned(),
        }
    }
}

/// How a client behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Behaviour {
    /// The name in the table.
    pub(crate) client: String,
    /// `clientInfo.name`.
    pub(crate) name: String,
    pub(crate) is_modern: bool,
    pub(crate) declares_roots: bool,
    pub(crate) declares_changes: bool,
    pub(crate) answer: RootsAnswer,
    pub(crate) cwd: Cwd,
    pub(crate) variables: Vec<Variable>,
}

/// The answer to `roots/list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RootsAnswer {
    All,
    First,
    Empty,
    Home,
    MethodNotFound,
    Silence,
}

/// Where a server starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cwd {
    Project,
    Home,
    Root,
    /// Where the client itself was started.
    Started,
}

impl Behaviour {
    /// A client that does everything as the protocol wants it.
    pub(crate) fn exemplary() -> Self {
        Self {
            client: "rootwise".into(),
            name: "rootwise-call".into(),
            is_modern: false,
            declares_roots: true,
            declares_changes: true,
            answer: RootsAnswer::All,
            cwd: Cwd::Started,
            variables: Vec::new(),
        }
    }

    fn of(row: Row) -> Self {
        let declared = row.roots.declared.as_str();
        let name = row.names.into_iter().find(|name| !name.contains('<'));
        Self {
            name: name.unwrap_or_else(|| short(&row.client)),
            is_modern: row.protocol.starts_with("2026-07-28"),
            declares_roots: ["yes", "with a workspace", "reported"].contains(&declared),
            declares_changes: is_declared(&row.roots.list_changed),
            answer: answer(&row.roots.answer),
            cwd: cwd(&row.cwd),
            variables: row.env,
            client: row.client,
        }
    }

    /// The name that a person types: `claude-code`, `vs-code`.
    pub(crate) fn short(&self) -> String {
        short(&self.client)
    }
}

/// All clients of the table.
pub(crate) fn clients() -> Vec<Behaviour> {
    let rows: Vec<Row> = serde_json::from_str(TABLE).unwrap_or_default();
    rows.into_iter().map(Behaviour::of).collect()
}

/// The client that a name means: its short name or the start of it, or the name by which it introduces itself.
pub(crate) fn find(wanted: &str) -> Option<Behaviour> {
    let wanted = short(wanted);
    let mut clients = clients();
    let exact = clients.iter().position(|client| client.short() == wanted || short(&client.name) == wanted);
    let begins = || clients.iter().position(|client| client.short().starts_with(&wanted));
    let index = exact.or_else(begins).filter(|_| !wanted.is_empty())?;
    Some(clients.swap_remove(index))
}

/// Letters and digits in lower case, with single dashes between them, up to the first comma or bracket.
fn short(name: &str) -> String {
    let name = name.split([',', '(']).next().unwrap_or_default();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

fn is_declared(said: &str) -> bool {
    said.starts_with("yes") || (said.contains("declared") && !said.contains("not declared")) || said == "reported"
}

/// The table describes what was seen in words; where several answers were seen, the hardest one to deal with counts.
fn answer(said: &str) -> RootsAnswer {
    if said.contains("silence") || said.contains("not even an error") || said == "none" {
        RootsAnswer::Silence
    } else if said.contains("error -32601") {
        RootsAnswer::MethodNotFound
    } else if said.starts_with("an empty list") || said.starts_with("empty lists") {
        RootsAnswer::Empty
    } else if said.starts_with("one root") {
        RootsAnswer::First
    } else if said.starts_with("the home folder") {
        RootsAnswer::Home
    } else {
        RootsAnswer::All
    }
}

fn cwd(said: &str) -> Cwd {
    if ["home", "not the project"].iter().any(|start| said.starts_with(start)) {
        Cwd::Home
    } else if said.starts_with("`/`") || said.starts_with("inherited: `/`") {
        Cwd::Root
    } else if [
        "the project",
        "the workspace",
        "the folder for",
        "the first workspace",
        "the session's",
        "CLI: the session",
    ]
    .iter()
    .any(|start| said.starts_with(start))
    {
        Cwd::Project
    } else {
        Cwd::Started
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_that_of_the_core() {
        assert_eq!(TABLE, include_str!("../../../../core/clients.json"), "copy core/clients.json to data/clients.json");
    }

    #[test]
    fn rows_become_behaviour() {
        let clients = clients();
        assert!(clients.len() > 40);
        let seen = |name: &str| {
            let client = find(name).unwrap();
            (client.name, client.is_modern, client.declares_roots, client.answer, client.cwd)
        };
        use RootsAnswer::{All, Empty, First, MethodNotFound, Silence};
        assert_eq!(seen("claude-code"), ("claude-code".into(), true, true, All, Cwd::Project));
        assert_eq!(seen("cursor"), ("cursor-vscode".into(), false, true, Silence, Cwd::Home));
        assert_eq!(seen("VS Code"), ("Visual Studio Code".into(), false, true, All, Cwd::Project));
        assert_eq!(seen("zed"), ("Zed".into(), false, false, Silence, Cwd::Project));
        assert_eq!(seen("cline"), ("Cline".into(), false, false, MethodNotFound, Cwd::Root));
        assert_eq!(seen("copilot-cli"), ("copilot-cli".into(), true, false, Empty, Cwd::Project));
        assert_eq!(seen("opencode"), ("opencode".into(), false, true, First, Cwd::Project));
        assert_eq!(find("cursor").unwrap().variables.len(), 2);
        assert!(find("no-such-client").is_none() && find("").is_none());
    }

    #[test]
    fn changes_are_declared_by_those_that_say_so() {
        let declared = |name: &str| find(name).unwrap().declares_changes;
        assert!(declared("claude-code") && declared("gemini-cli") && declared("theia"));
        assert!(!declared("cursor") && !declared("qwen-code") && !declared("goose"));
    }
}
