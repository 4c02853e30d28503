//! The command line.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, value_parser};
use rootwise::endpoint::inputs::PolicyInputs;
use rootwise::policy::PRESETS;
use rootwise::{PathStyle, Policy};

use crate::configs::configs;
use crate::policy::{self, PolicyOptions};

/// Makes any MCP server project-aware, and shows why it works in the folder it works in.
#[derive(Parser, Debug)]
#[command(name = "rootwise", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "`rootwise COMMAND --help` shows examples.")]
struct CommandLine {
    /// Print one JSON object for programs
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Run an MCP server in the project of its client, whatever the server knows about projects
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Show the project of a folder, and the source that names it
    #[command(after_help = RESOLVE_EXAMPLES)]
    Resolve(Resolve),
    /// Convert a file: URI into a path, or an absolute path into a URI
    #[command(after_help = URI_EXAMPLES)]
    Uri(Uri),
    /// Write down what a client and a server say to each other; every byte passes unchanged
    #[command(after_help = RECORD_EXAMPLES)]
    Record(Record),
    /// Read a recording, and say which project its client works in, and why
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Check a policy: mistakes with line and column, what it reads, and what it does in words
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Check),
    /// Look at the configuration of MCP clients: where each server would start, and what is wrong
    #[command(after_help = DOCTOR_EXAMPLES)]
    Doctor(Doctor),
    /// Print the entry for a server, behind `rootwise run`, for the configuration of a client
    #[command(after_help = CONFIG_EXAMPLES)]
    Config(Config),
    /// Serve a tool that shows what an MCP client tells its servers
    #[command(after_help = WHEREAMI_EXAMPLES)]
    Whereami(Whereami),
    /// Call a tool of an MCP server, as a real client would
    #[command(after_help = CALL_EXAMPLES)]
    Call(Call),
}

const RUN_EXAMPLES: &str = "\
Write `rootwise run --` before the server in the configuration of your client. The server starts in the project that the client works
in, and again in another when that changes. In its arguments and environment, {path}, {uri}, {name}, {id} and {slug} stand for the
project. Options that the policy reads, such as --project=FOLDER, and its variables count as well.

Examples:
  rootwise run -- npx -y some-server
  rootwise run -- uvx mcp-server-git --repository {path}
  rootwise run --tools -- npx -y @modelcontextprotocol/server-filesystem {path}
  rootwise run --start-in none -- some-server      nothing runs before the project is known
  rootwise run --http 8080 -- some-server          for clients that are given http://127.0.0.1:8080/mcp

The exit status is that of the server; 2 for a mistake in the options.";

const RECORD_EXAMPLES: &str = "\
Write `rootwise record FILE --` before the server in the configuration of your client, use the client, then read the file.

Examples:
  rootwise record /tmp/session.ndjson -- npx -y some-server
  rootwise explain /tmp/session.ndjson

Each line is one JSON object: time (milliseconds since 1970), direction (client, server, or rootwise for the start and the end), and message,
or text for a line that is none. A file that is there is replaced.
The exit status is that of the server; 2 for a mistake in the options.";

const EXPLAIN_EXAMPLES: &str = "\
Reads what `rootwise record` writes, what other tools between clients and servers write (one JSON object on each line, or one list), bare
messages, one on each line, and logs with a message in a line of text, as Claude Desktop and mcp-remote write them.

Examples:
  rootwise explain session.ndjson
  rootwise explain - --json < session.ndjson

Exit status: 0 if the recommended policy finds a project, 1 if it finds none, 2 if the file cannot be read.";

const RESOLVE_EXAMPLES: &str = "\
Options that the policy reads, such as --project=FOLDER, and its variables count as well.

Examples:
  rootwise resolve                            the project of the working directory
  rootwise resolve ~/code/app/src --explain   with the result of every source
  rootwise resolve --policy policy.json       by a policy of your own

Exit status: 0 with a project, 1 without one, 2 for a mistake in the options.";

const URI_EXAMPLES: &str = "\
Examples:
  rootwise uri file:///c%3A/code --style windows
  rootwise uri '/home/me/my code'

Exit status: 0 with an answer, 1 without one, 2 for a mistake in the options.";

const CHECK_EXAMPLES: &str = "\
Examples:
  rootwise check policy.json
  rootwise check recommended

Exit status: 0 if the policy is valid, 1 if it is not, 2 for a mistake in the options.";

const DOCTOR_EXAMPLES: &str = "\
Reads the files of known clients in the project and in the home folder, and changes nothing.

Examples:
  rootwise doctor
  rootwise doctor ~/code/app --json

Exit status: 0 if nothing is wrong, 1 if something is, 2 for a mistake in the options.";

const CONFIG_EXAMPLES: &str = "\
Examples:
  rootwise config claude-code -- uvx mcp-server-git --repository {path}
  rootwise config codex --name files -- npx -y @modelcontextprotocol/server-filesystem {path}";

const WHEREAMI_EXAMPLES: &str = "\
Add it to the configuration of your client, and call its tool `whereami`:
  { \"mcpServers\": { \"whereami\": { \"command\": \"rootwise\", \"args\": [\"whereami\"] } } }

Examples:
  rootwise whereami                            over stdio, for a client that starts it
  rootwise whereami --http 8080                for clients that are given the address
  rootwise call --root . --tool whereami -- rootwise whereami

Options that a preset reads, such as --project=FOLDER, count as well.";

const CALL_EXAMPLES: &str = "\
Examples:
  rootwise call --root ~/code/app --tool whereami -- rootwise whereami
  rootwise call --client cursor --root ~/code/app --tool git_status -- rootwise run -- uvx mcp-server-git
  rootwise call -- npx -y some-server          lists the tools
  rootwise call --clients                      lists the clients that it can behave like

Exit status: 0 with a result, 1 if the tool failed, 2 if the server cannot be reached.";

#[derive(Args, Debug)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) policy: PolicyOptions,
    /// The argument of the server's tools that names a project, if they have one
    #[arg(long, value_name = "NAME")]
    pub(crate) argument: Option<String>,
    /// Serve Streamable HTTP on 127.0.0.1 instead of stdio, for several clients at once; without a port a free one is taken
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub(crate) http: Option<u16>,
    /// Add the tools which_project and switch_project
    #[arg(long)]
    pub(crate) tools: bool,
    /// What the server gets that asks for roots itself: its project, or the client's own answer
    #[arg(long, value_enum, default_value_t = RunRoots::Project)]
    pub(crate) roots: RunRoots,
    /// Where the server starts before the project is known: a folder, or `none` for no server; by default an empty folder
    #[arg(long, value_name = "FOLDER|none")]
    pub(crate) start_in: Option<PathBuf>,
    /// Serve calls without a project from there, instead of refusing them with the reason
    #[arg(long)]
    pub(crate) fallback: bool,
    /// How many servers may run at once, one for each project
    #[arg(long, value_name = "NUMBER", default_value_t = 8, value_parser = value_parser!(u16).range(1..))]
    pub(crate) max: u16,
    /// After how long a server ends that nobody calls, unless it is that of the connection's project
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) idle: u64,
    /// How often a server that ends by itself is started again in a row
    #[arg(long, value_name = "NUMBER", default_value_t = 3)]
    pub(crate) restarts: u32,
    /// How long a server may take to start
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = value_parser!(u64).range(1..))]
    pub(crate) start_timeout: u64,
    /// The server and its arguments
    #[arg(last = true, required = true, value_name = "SERVER")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct Record {
    /// The file to write
    pub(crate) file: PathBuf,
    /// The server and its arguments
    #[arg(last = true, required = true, value_name = "SERVER")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct Explain {
    /// The recording; `-` for the standard input
    pub(crate) file: PathBuf,
}

/// What a server gets that asks for roots itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunRoots {
    /// Its project, and the client's other roots after it
    Project,
    /// Whatever the client answers
    Client,
}

#[derive(Args, Debug, Default)]
pub(crate) struct Resolve {
    /// The folder; by default the working directory
    pub(crate) folder: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) policy: PolicyOptions,
    /// A project that a call would name, as a path or file: URI
    #[arg(long, value_name = "VALUE")]
    pub(crate) argument: Option<String>,
    /// Add the result of every source
    #[arg(long)]
    pub(crate) explain: bool,
}

#[derive(Args, Debug)]
pub(crate) struct Uri {
    /// A file: URI or an absolute path
    pub(crate) value: String,
    /// The system whose paths are meant; by default this one
    #[arg(long, value_enum)]
    style: Option<Style>,
}

impl Uri {
    pub(crate) fn style(&self) -> PathStyle {
        match self.style {
            Some(Style::Posix) => PathStyle::Posix,
            Some(Style::Windows) => PathStyle::Windows,
            None => PathStyle::native(),
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    Posix,
    Windows,
}

#[derive(Args, Debug)]
pub(crate) struct Check {
    /// The file, `-` for the standard input, or the name of a preset
    #[arg(value_name = "FILE|NAME")]
    pub(crate) policy: String,
}

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// The project; by default that of the working directory
    pub(crate) folder: Option<PathBuf>,
}

/// The clients whose configuration is known: a mistaken name is answered with the nearest one.
fn configurable() -> PossibleValuesParser {
    PossibleValuesParser::new(configs().into_iter().map(|config| config.client))
}

#[derive(Args, Debug)]
pub(crate) struct Config {
    /// The client
    #[arg(ignore_case = true, value_parser = configurable())]
    pub(crate) client: String,
    /// What to call the server; by default the name of its package
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The server and its arguments
    #[arg(last = true, required = true, value_name = "SERVER")]
    pub(crate) server: Vec<OsString>,
}

#[derive(Args, Debug)]
pub(crate) struct Whereami {
    /// Serve Streamable HTTP on 127.0.0.1 instead of stdio; without a port a free one is taken
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0")]
    pub(crate) http: Option<u16>,
}

#[derive(Args, Debug)]
pub(crate) struct Call {
    /// The tool; without one, the tools are listed
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// The arguments of the tool, as a JSON object
    #[arg(long = "args", value_name = "JSON", default_value = "{}")]
    pub(crate) arguments: String,
    /// A folder that the client has open; may be repeated
    #[arg(long = "root", value_name = "FOLDER")]
    pub(crate) roots: Vec<PathBuf>,
    /// Behave like this client of the table, such as claude-code or cursor
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// What the user fills into a form of the server, as a JSON object; by default what the client does without a user
    #[arg(long, value_name = "JSON")]
    pub(crate) form: Option<String>,
    /// Speak this revision of the protocol: by default that of the client
    #[arg(long, value_enum)]
    pub(crate) era: Option<Era>,
    /// The folder in which the server starts; by default the one that the client would choose
    #[arg(long, value_name = "FOLDER")]
    pub(crate) cwd: Option<PathBuf>,
    /// How long to wait for an answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) timeout: u64,
    /// List the clients that it can behave like, and stop
    #[arg(long)]
    pub(crate) clients: bool,
    /// The server and its arguments
    #[arg(last = true, value_name = "SERVER", required_unless_present = "clients")]
    pub(crate) server: Vec<OsString>,
}

/// How a client speaks to its servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Era {
    /// With a handshake, as up to 2025-11-25
    Legacy,
    /// Without one, as since 2026-07-28
    Modern,
}

/// Reads the command line; the flag says whether the answer is JSON.
pub(crate) fn parse(argv: impl IntoIterator<Item = OsString>) -> Result<(Command, bool), clap::Error> {
    let argv: Vec<OsString> = argv.into_iter().collect();
    let mut known = CommandLine::command();
    let chosen = chosen_policy(&argv);
    let read = options_of(chosen.as_ref());
    for (name, options) in [("run", read.clone()), ("resolve", read), ("whereami", options_of_presets())] {
        known = known.mut_subcommand(name, |command| options.into_iter().fold(command, with_option));
    }
    let CommandLine { json, command } = CommandLine::from_arg_matches(&known.try_get_matches_from(argv)?)?;
    Ok((command, json))
}

/// Adds an option that a policy reads, unless the command has one of that name; `host_facts` finds its value.
fn with_option(command: clap::Command, name: String) -> clap::Command {
    if name.is_empty() || command.get_arguments().any(|known| known.get_long() == Some(name.as_str())) {
        return command;
    }
    let option = Arg::new(name.clone()).long(&name);
    command.arg(match name.as_str() {
        "path-map" => option.value_name("CLIENT=HERE").help(
            "Where this machine has the client's folders, such as C:\\code=/mnt/c/code; several with ; between them",
        ),
        _ => option.num_args(0..=1).value_name("VALUE").help("Read by the policy"),
    })
}

fn options_of(policy: Option<&Policy>) -> BTreeSet<String> {
    policy.map(|policy| PolicyInputs::of(policy).options).unwrap_or_default()
}

fn options_of_presets() -> BTreeSet<String> {
    PRESETS
        .iter()
        .filter_map(|(name, _)| Policy::preset(name).ok())
        .flat_map(|policy| options_of(Some(&policy)))
        .collect()
}

/// The policy that the command line names: it decides which other options there are. Its mistakes are reported by the command.
fn chosen_policy(argv: &[OsString]) -> Option<Policy> {
    let mut words = argv.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let mut chosen = "recommended".to_owned();
    while let Some(word) = words.next() {
        if word == "--policy" {
            chosen = words.next()?.to_owned();
        } else if let Some(value) = word.strip_prefix("--policy=") {
            chosen = value.to_owned();
        }
    }
    policy::read(&chosen).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<(Command, bool), String> {
        let words = std::iter::once("rootwise").chain(line.split_whitespace());
        parse(words.map(OsString::from)).map_err(|error| error.to_string())
    }

    #[test]
    fn the_definition_has_no_contradictions() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn the_examples_of_the_help_are_command_lines() {
        let mut count = 0_usize;
        for command in CommandLine::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let own = format!("rootwise {}", command.get_name());
            assert!(help.lines().any(|line| line.trim().starts_with(&own)), "{own} has no example: {help}");
            for line in help.lines().filter_map(|line| line.strip_prefix("  rootwise ")) {
                // What follows is a remark, or for the shell.
                let line = line.split("   ").next().unwrap_or_default();
                let line = line.split(['<', '|']).next().unwrap_or_default();
                // The policy of the example is no file here.
                let line = line.replace("policy.json", "recommended").replace("my code", "code");
                count = count.saturating_add(1);
                assert!(parsed(&line).is_ok(), "{line}: {}", parsed(&line).unwrap_err());
            }
        }
        assert!(count > 15, "{count} examples");
    }

    #[test]
    fn options_of_the_policy_are_options_of_the_command() {
        let (command, json) = parsed("resolve /a --project=/x --explain --json").unwrap();
        let Command::Resolve(options) = command else { unreachable_command(&command) };
        assert!(json && options.explain);
        assert_eq!(options.folder, Some("/a".into()));
        assert!(parsed("resolve --project=/x --policy wolfram").unwrap_err().contains("--project"));
        for command in ["resolve --path-map /a=/b", "whereami --path-map /a=/b", "run --path-map=/a=/b -- server"] {
            assert!(parsed(command).is_ok(), "{command}");
        }
    }

    #[test]
    fn a_mistake_is_answered_with_the_nearest_name() {
        for (line, tip) in [
            ("resolv", "'resolve'"),
            ("resolve --explan", "'--explain'"),
            ("resolve --projct=/x", "'--project'"),
            ("config cursr -- x", "'cursor'"),
            ("uri /a --style window", "'windows'"),
        ] {
            let text = parsed(line).unwrap_err();
            assert!(text.contains("similar") && text.contains(tip), "{line}: {text}");
        }
    }

    #[expect(clippy::panic, reason = "a test stops at the first surprise")]
    fn unreachable_command(command: &Command) -> ! {
        panic!("another command: {command:?}")
    }
}
