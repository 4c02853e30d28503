//! `rootwise`: makes any MCP server project-aware, and shows why it works in the folder it works in.
#![forbid(unsafe_code)]
// The protocol deprecates roots, but most clients still use them.
#![allow(deprecated)]

mod choices;
mod clients;
mod command_line;
mod commands;
mod output;
mod policy;
mod program;

use std::io::Write;
use std::process::ExitCode;

use command_line::{Command, parse};
use output::Failure;

fn main() -> ExitCode {
    let (command, json) = match parse(std::env::args_os()) {
        Ok(parsed) => parsed,
        Err(error) => error.exit(),
    };
    let done = match command {
        Command::Resolve(options) => commands::resolve::resolve(&options),
        Command::Uri(options) => Ok(commands::uri::uri(&options)),
        Command::Check(options) => commands::check::check(&options),
        Command::Whereami(options) => commands::whereami::whereami(&options),
        Command::Call(options) => commands::call::call(&options),
    };
    match done {
        Ok(answer) => answer.print(json),
        Err(Failure(text)) => {
            let _ = writeln!(anstream::stderr(), "rootwise: {text}");
            ExitCode::from(2)
        }
    }
}
