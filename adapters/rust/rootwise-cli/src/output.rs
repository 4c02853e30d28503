//! What a command prints: text for people, or one JSON object for programs.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use serde_json::Value;

/// What stands out.
pub(crate) const STRONG: Style = Style::new().bold();
/// What can be skipped.
pub(crate) const FAINT: Style = Style::new().dimmed();
/// What is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What is right.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();

/// A text in a style; colours are left out where nobody sees them.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// The answer of a command.
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) json: Value,
    /// Whether the exit status is 0; else it is 1.
    pub(crate) good: bool,
}

impl Answer {
    /// The answer of a command that has said everything already.
    pub(crate) const fn silent(good: bool) -> Self {
        Self { text: String::new(), json: Value::Null, good }
    }

    pub(crate) fn print(&self, json: bool) -> ExitCode {
        let mut out = anstream::stdout();
        let printed = match json {
            _ if self.text.is_empty() && self.json.is_null() => Ok(()),
            true => writeln!(out, "{:#}", self.json),
            false => writeln!(out, "{}", self.text.trim_end()),
        };
        match printed.and_then(|()| out.flush()) {
            // A reader that went away needs no answer.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                let _ = writeln!(anstream::stderr(), "rootwise: the answer cannot be written: {error}");
                ExitCode::from(2)
            }
            _ if self.good => ExitCode::SUCCESS,
            _ => ExitCode::FAILURE,
        }
    }
}

/// A command that cannot be carried out: a mistake in its options or files, with the way to correct it. The exit status is 2.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl Failure {
    pub(crate) fn new(text: impl Display) -> Self {
        Self(text.to_string())
    }
}
