//! `rootwise`: makes any MCP server project-aware, and shows why it works in the folder it works in.
#![forbid(unsafe_code)]
// The protocol deprecates roots, but most clients still use them.
#![allow(deprecated)]

mod choices;
mod command_line;
mod commands;
mod configs;
mod environment;
mod output;
mod policy;
mod program;
mod run;
mod web;

use std::io::Write;
use std::process::ExitCode;

use command_line::{Command, parse};
use output::{Answer, Failure};

fn main() -> ExitCode {
    let (command, json) = match parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => error.exit(),
    };
    let done = match command {
        Command::Run(_) | Command::Record(_) if json => {
            Err(Failure("--json: this command prints no answer, because its output is that of the server".into()))
        }
        Command::Run(options) => run::run(&options),
        Command::Record(options) => commands::record::record(&options),
        Command::Explain(options) => printed(commands::explain::explain(&options), json),
        Command::Resolve(options) => printed(commands::resolve::resolve(&options), json),
        Command::Uri(options) => printed(Ok(commands::uri::uri(&options)), json),
        Command::Check(options) => printed(commands::check::check(&options), json),
        Command::Doctor(options) => printed(commands::doctor::doctor(&options), json),
        Command::Config(options) => printed(commands::config::config(&options), json),
        Command::Whereami(options) => printed(commands::whereami::whereami(&options), json),
        Command::Call(options) => printed(commands::call::call(&options), json),
    };
    done.unwrap_or_else(|Failure(text)| {
        if json {
            let error = serde_json::json!({ "error": { "code": "cannot_run", "message": text } });
            let _ = writeln!(anstream::stdout(), "{error:#}");
        }
        let _ = writeln!(anstream::stderr(), "rootwise: {text}");
        ExitCode::from(2)
    })
}

fn printed(answer: Result<Answer, Failure>, json: bool) -> Result<ExitCode, Failure> {
    answer.map(|answer| answer.print(json))
}
