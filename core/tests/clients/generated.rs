//! What is generated from the table of clients: sources of `recommended`, advice, simulated clients and a page.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde_json::Value;

use super::{Client, Conversation, Format, How, Known, Seen, SeenClient, Variable};

/// The sources that read clients' variables: confirmed ones first, then those of more clients, then as the table has them.
pub(super) fn sources(clients: &[Client]) -> Vec<String> {
    let source = |(format, extra): (Format, &str)| {
        let all: Vec<&Variable> = clients.iter().flat_map(|row| &row.env).filter(|one| one.format == format).collect();
        let mut names: Vec<&str> = all.iter().map(|variable| variable.name.as_str()).collect();
        let rank = |name: &&str| {
            let same: Vec<_> = all.iter().filter(|variable| variable.name == *name).collect();
            let first = all.iter().position(|variable| variable.name == *name);
            (Reverse((same.iter().any(|variable| variable.confirmed), same.len())), first)
        };
        names.sort_by_key(rank);
        names.dedup();
        let names: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
        format!(r#"    {{ "from": "env", "read": [{}]{extra} }},"#, names.join(", "))
    };
    [(Format::Path, ""), (Format::List, r#", "format": "list""#)].map(source).to_vec()
}

/// The ways as a table in Rust, which needs no parsing at run time.
pub(super) fn ways(clients: &[Client]) -> String {
    let mut table = String::from(WAYS);
    for row in clients {
        for pattern in &row.patterns {
            let ways: Vec<String> = row.ways.iter().map(|way| format!("{way:?}")).collect();
            writeln!(table, "    ({pattern:?}, &[{}]),", ways.join(", ")).unwrap();
        }
    }
    table + "];\n"
}

const WAYS: &str = "\
//! What the users of each client can do to name a project. Generated from `core/clients.json`:
//! `UPDATE_CLIENTS=1 cargo test -p rootwise --test clients`.

/// Patterns of client names, each with parts of a sentence.
#[rustfmt::skip]
pub(crate) const CLIENT_ADVICE: &[(&str, &[&str])] = &[
";

/// What each client does, as a table in Rust. The rows describe it in words; where several answers were seen, the one that is
/// hardest to deal with counts.
pub(super) fn behaviours(clients: &[Client]) -> String {
    let mut table = String::from(BEHAVIOURS);
    for row in clients {
        let declared = row.roots.declared.as_str();
        // A gateway is no client of its own.
        if declared.contains("passed on") || declared == "lost" {
            continue;
        }
        let short = row.client.split([',', '(']).next().unwrap().trim().trim_matches('`');
        let name = row.names.iter().find(|name| !name.contains('<')).map_or(short, String::as_str);
        let is_revision = |text: &&str| text.len() == 10 && text.starts_with("20");
        let protocol = row.protocol.split([',', ';', ' ']).find(is_revision).unwrap_or("2025-11-25");
        let declares = ["yes", "with a workspace", "reported"].contains(&declared);
        let variables: Vec<_> =
            row.env.iter().map(|one| format!("({:?}, {})", one.name, one.format == Format::List)).collect();
        writeln!(
            table,
            "    KnownClient {{ client: {:?}, name: {name:?}, protocol_version: {protocol:?}, declares_roots: {declares}, \
             declares_changes: {}, other_capabilities: {:?}, answer: RootsAnswer::{}, form: FormAnswer::{}, cwd: StartedIn::{}, \
             variables: &[{}], meta: &[{}] }},",
            row.client,
            declares && declares_changes(&row.roots.list_changed),
            row.other_capabilities(),
            answer(&row.roots.answer, declares),
            form(row.first_seen().and_then(|seen| seen.form.as_deref())),
            started_in(&row.cwd),
            variables.join(", "),
            row.meta().join(", "),
        )
        .unwrap();
    }
    table + "];\n"
}

fn declares_changes(said: &str) -> bool {
    said.starts_with("yes") || (said.contains("declared") && !said.contains("not declared")) || said == "reported"
}

fn answer(said: &str, declares: bool) -> &'static str {
    if said.contains("silence") || said.contains("not even an error") || said.starts_with("none") {
        "Silent"
    } else if said.contains("error -32601") {
        "Refused"
    } else if said.starts_with("an empty list") || said.starts_with("empty lists") {
        "Empty"
    } else if said.starts_with("one root") {
        "First"
    } else if said.starts_with("the home folder") {
        "Home"
    } else if declares {
        "All"
    } else {
        // What the SDKs say for a client without roots.
        "Refused"
    }
}

fn form(seen: Option<&str>) -> &'static str {
    match seen {
        Some("decline") => "Decline",
        Some("cancel") => "Cancel",
        Some("no answer") => "Silent",
        Some(_) => "Failed",
        // What the SDKs say for a client without forms.
        None => "Refused",
    }
}

/// The keys of a JSON pointer.
fn keys(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
}

/// A value whose members are in alphabetical order, whether or not another crate of the build has `serde_json` keep their order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            Value::Object(members.into_iter().collect())
        }
        other => other,
    }
}

impl Client {
    /// What the run of its newest version saw.
    fn first_seen(&self) -> Option<&SeenClient> {
        self.seen.values().find_map(|seen| match seen {
            Seen::Client(seen) => Some(&**seen),
            Seen::Gateway { .. } => None,
        })
    }

    fn other_capabilities(&self) -> String {
        let mut seen = self.first_seen().map(|seen| seen.capabilities.clone()).unwrap_or_default();
        seen.remove("roots");
        sorted(seen.into_iter().collect()).to_string()
    }

    /// What its calls say in `_meta`: the conversation, and the folders that a signal of the row names.
    fn meta(&self) -> Vec<String> {
        let conversation =
            self.conversation.iter().map(|one| format!("(&{:?}, MetaValue::Conversation)", keys(&one.meta)));
        let folders = self.first_seen().into_iter().flat_map(|seen| &seen.folders).filter_map(|pointer| {
            let keys = keys(pointer);
            let signal = self.signals.iter().find(|signal| signal.contains(&format!("`{}`", keys[0])))?;
            let holds = if signal.contains("if the server declares") { "FolderIfDeclared" } else { "Folder" };
            Some(format!("(&{keys:?}, MetaValue::{holds})"))
        });
        conversation.chain(folders).collect()
    }
}

fn started_in(said: &str) -> &'static str {
    let starts = |starts: &[&str]| starts.iter().any(|start| said.starts_with(start));
    let in_project =
        ["the project", "the workspace", "the folder for", "the first workspace", "the session's", "CLI: the"];
    match () {
        () if starts(&["home", "not the project"]) => "Home",
        () if starts(&["`/`", "inherited: `/`"]) => "Root",
        () if starts(&in_project) => "Project",
        () => "OwnFolder",
    }
}

const BEHAVIOURS: &str = "\
//! What each client does. Generated from `core/clients.json`:
//! `UPDATE_CLIENTS=1 cargo test -p rootwise --test clients`.

use super::{FormAnswer, KnownClient, MetaValue, RootsAnswer, StartedIn};

#[rustfmt::skip]
pub(super) const TABLE: &[KnownClient] = &[
";

pub(super) fn page(clients: &[Client]) -> String {
    let cell = |text: &str| if text.is_empty() { "–".to_owned() } else { text.replace('|', "\\|") };
    let code = |texts: &[String]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
    let mut page = String::from(PAGE);
    for row in clients {
        let variables = row
            .env
            .iter()
            .map(|variable| format!("`{}`{}", variable.name, if variable.confirmed { "" } else { " (reported)" }));
        let says: Vec<String> = variables.chain(row.signals.iter().cloned()).collect();
        let cells = [
            &row.client,
            &code(&row.names),
            &row.known.to_string(),
            &row.protocol,
            &row.capabilities(),
            &row.roots.declared,
            &row.roots.list_changed,
            &row.roots.answer,
            &row.cwd,
            &says.join(", "),
            &row.sources.iter().map(|source| link(source)).collect::<Vec<_>>().join(", "),
        ];
        writeln!(page, "| {} |", cells.map(|text| cell(text)).join(" | ")).unwrap();
    }
    page.push_str(CONVERSATIONS);
    for row in clients {
        let Some(Conversation { meta, known, note }) = &row.conversation else { continue };
        let comma = if note.is_empty() { "" } else { ", " };
        writeln!(page, "| {} | `{meta}` | {known}{comma}{note} |", row.client).unwrap();
    }
    page.push_str(MISLEADING);
    for row in clients.iter().filter(|row| !row.misleads.is_empty()) {
        writeln!(page, "- **{}**: {}.", row.client, row.misleads).unwrap();
    }
    page.push_str(GATEWAYS);
    page.push_str(ADVICE);
    for row in clients.iter().filter(|row| !row.ways.is_empty()) {
        writeln!(page, "| {} | {} |", code(&row.patterns), cell(&row.ways.join("; "))).unwrap();
    }
    page
}

impl Client {
    /// What it declares besides roots, where that was seen.
    fn capabilities(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for seen in self.seen.values() {
            let Seen::Client(seen) = seen else { return String::new() };
            names.extend(seen.capabilities.keys().filter(|name| *name != "roots").map(|name| match &seen.form {
                Some(form) if name == "elicitation" => format!("`{name}` (run without a user: {form})"),
                _ => format!("`{name}`"),
            }));
        }
        match (self.seen.is_empty(), names.is_empty()) {
            (true, _) => String::new(),
            (false, true) => "none".to_owned(),
            (false, false) => names.join(", "),
        }
    }
}

fn link(source: &str) -> String {
    let url = match source.split_once(['#', ':']) {
        None => source.to_owned(),
        Some((repository, issue)) if source.contains('#') => format!("{repository}/issues/{issue}"),
        Some((repository, path)) => format!("{repository}/blob/HEAD/{path}"),
    };
    let name = source.split_once(':').map_or(source, |(repository, _)| repository);
    format!("[{name}](https://github.com/{url})")
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Run => "**run**",
            Self::Read => "read in source",
            Self::Reported => "reported",
        })
    }
}

impl fmt::Display for Known {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let run = self.run.as_ref().map(|run| format!("**run**: {} ({})", run.versions.join(", "), run.date));
        let read = self.read.as_ref().map(|month| format!("read in source ({month})"));
        let reported = self.reported.as_ref().map(|month| format!("reported ({month})"));
        let all: Vec<String> = [run, read, reported].into_iter().flatten().collect();
        formatter.write_str(&all.join("; "))
    }
}

const PAGE: &str = "# What clients do

This page says what each MCP client tells a server about its project, and what its user can do if no project was found. If your client is missing or has changed, [add what you see](../CONTRIBUTING.md#a-row-for-a-client).

Clients change, so every row says how it is known:

- **run**: on that day, the published client of this version called a tool of a server with Rootwise, on Linux. A cell marks what was only (read) or (reported).
  If the run did not record the client's name, the name was read in the package of that version. `npm run clients` repeats every run ([tests/clients](../tests/clients/README.md)).
- **read in source**: somebody read the client's own code in that month.
- **reported**: an issue, a changelog or a table of other people says so; the newest of these is of that month.

Rootwise uses the table only for texts and for the order of variables:

- **Advice**: if no project was found, the error names what the user of this client can do ([the list](#advice-when-no-project-was-found)).
- **Variables**: if the variables of several clients are set, their order in the policy `recommended` decides. First come those that the client's own sources confirm, then those of
  more clients, then the order of this table.

A test runs all vectors without the clients' names and gets the same outcomes. To use other texts or other variables, change `advice` or the `env` sources in your own
policy: [policy.md](policy.md).

`UPDATE_CLIENTS=1 cargo test -p rootwise --test clients` generates the page from [`core/clients.json`](../core/clients.json).

| client | `clientInfo.name` | known | protocol | other capabilities | declares roots | `listChanged` | answer to `roots/list` | working directory over stdio | other signals | sources |
|---|---|---|---|---|---|---|---|---|---|---|
";

const CONVERSATIONS: &str = "
## Which conversation a call belongs to

Several clients put an id of the conversation into the `_meta` of every tool call. Two conversations of one client may share a server, and without a session only this id tells
them apart. The paths are JSON pointers into `_meta`.

| client | in `_meta` | known |
|---|---|---|
";

const MISLEADING: &str = "
## Where the working directory is wrong

Some clients give a server nothing but the folder in which they start it. When their user works in another folder, no message says so: the project is wrong, and nothing
shows it. The answer's source is then `cwd`. For these clients, name the project with the server's own option, or let the tools take it as an argument. Seen so far:

";

const ADVICE: &str = "
## Advice when no project was found

`{option}` is the option that the server's policy reads. If it reads none, advice with `{option}` is left out.

| name | what its user can do |
|---|---|
";

const GATEWAYS: &str = "
## Gateways

A gateway between client and server decides what the server can know. Two of them mix clients up:

- **supergateway in SSE mode**, its default for `--stdio`, starts one server and puts all its clients on that one pipe. Whatever the server
  sends goes to all of them, so all answer one `roots/list`. When Rootwise notices that several clients share the pipe, calls end with the code `several_clients` ([rule 34](rules.md#clients-and-folders)). Use
  `--outputTransport streamableHttp --stateful`, which starts one server for each client.
- **FastMCP's `create_proxy` over HTTP** asks only its first client for the roots: the second client got the project of the first, whatever the settings of Rootwise. Run one
  proxy for each client, or pass the project as an argument.

Other gateways lose the roots, and the error says that the client declares none. Pass the project by argument, or by header where the gateway keeps headers.

mcp-remote passes roots on and adds itself to the client's name; advice and policies find `x (via mcp-remote 1.0)` as `x`.
";
