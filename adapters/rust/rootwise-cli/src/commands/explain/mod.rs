//! `rootwise explain`: reads a recording, and says which project its client works in, and why.

mod entry;
mod story;

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use rootwise::host::Transport;
use rootwise::path::display::display;
use rootwise::{HostFacts, Policy};
use rootwise_host::host_facts_from;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use crate::choices::{Choice, choices, decide};
use crate::command_line::Explain;
use crate::output::{Answer, BAD, FAINT, Failure, GOOD, STRONG, styled};
use entry::{Reader, in_text, list_in, time};
use story::Story;

/// Bytes of the longest line, and of a file that is one JSON document.
const MAX_LINE: u64 = 64 << 20;
/// Broken lines that are named.
const MAX_BROKEN: usize = 20;

pub(crate) fn explain(options: &Explain) -> Result<Answer, Failure> {
    let mut read = Recording::default();
    if options.file == Path::new("-") {
        let bar = progress(None);
        let lines = read.lines(BufReader::with_capacity(256 << 10, bar.wrap_read(std::io::stdin().lock())));
        bar.finish_and_clear();
        lines?;
    } else {
        let fault = |error| Failure(format!("{}: {error}", options.file.display()));
        let file = File::open(&options.file).map_err(fault)?;
        let bytes = file.metadata().map_err(fault)?.len();
        let bar = progress(Some(bytes));
        let lines = read.lines(BufReader::with_capacity(256 << 10, bar.wrap_read(file)));
        bar.finish_and_clear();
        lines.map_err(|Failure(text)| Failure(format!("{}: {text}", options.file.display())))?;
    }
    Ok(read.answer())
}

/// A bar, or what turns where the length is unknown.
fn progress(bytes: Option<u64>) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        // Nobody sees it in a pipe.
        return ProgressBar::hidden();
    }
    let (bar, template) = match bytes {
        Some(bytes) => (ProgressBar::new(bytes), "{bar:40} {bytes} of {total_bytes}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes} read"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What was read.
#[derive(Default)]
struct Recording {
    reader: Reader,
    story: Story,
    lines: u64,
    broken: Vec<(u64, String)>,
    more_broken: u64,
}

impl Recording {
    fn lines(&mut self, mut input: impl BufRead) -> Result<(), Failure> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut input).take(MAX_LINE).read_until(b'\n', &mut line).map_err(Failure::new)?;
            if read == 0 {
                return Ok(());
            }
            self.lines = self.lines.saturating_add(1);
            if self.lines == 1 && is_begun(&line) {
                return self.document(line, input);
            }
            if u64::try_from(read).is_ok_and(|read| read == MAX_LINE) && line.last() != Some(&b'\n') {
                self.broken(format!("longer than {} MiB", MAX_LINE >> 20));
                skip_line(&mut input)?;
                continue;
            }
            self.line(&line);
        }
    }

    fn line(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        match serde_json::from_slice::<Value>(text) {
            Ok(value) => match list_in(value) {
                Ok(entries) => self.entries(entries),
                Err(value) => self.entry(value),
            },
            Err(error) => match in_text(text) {
                Some(value) => self.entry(value),
                None => self.broken(error.to_string()),
            },
        }
    }

    fn broken(&mut self, text: String) {
        if self.broken.len() < MAX_BROKEN {
            self.broken.push((self.lines, text));
        } else {
            self.more_broken = self.more_broken.saturating_add(1);
        }
    }

    fn entries(&mut self, mut entries: Vec<Value>) {
        let times: Option<Vec<f64>> = entries.iter().map(time).collect();
        if times.is_some_and(|times| times.first() > times.last()) {
            entries.reverse();
        }
        for entry in entries {
            self.entry(entry);
        }
    }

    fn entry(&mut self, value: Value) {
        for entry in self.reader.read(value) {
            self.story.add(entry);
        }
    }

    /// Some tools write one list, or one object with a list in it, also with the newest message first.
    fn document(&mut self, mut text: Vec<u8>, input: impl Read) -> Result<(), Failure> {
        input.take(MAX_LINE).read_to_end(&mut text).map_err(Failure::new)?;
        let document: Value = serde_json::from_slice(&text).map_err(|error| {
            Failure(format!(
                "line {} column {}: neither a list of messages nor one message on each line: {error}",
                error.line(),
                error.column()
            ))
        })?;
        match list_in(document) {
            Ok(entries) => self.entries(entries),
            Err(document) => self.entry(document),
        }
        Ok(())
    }

    fn answer(&self) -> Answer {
        let Self { story, lines, broken, more_broken, .. } = self;
        if !story.has_client() {
            let text = format!(
                "{lines} lines, and no client introduces itself in them: record with `rootwise record FILE -- SERVER`"
            );
            let json = json!({ "error": { "code": "no_client", "message": text }, "broken": broken_json(broken) });
            return Answer {
                text: format!("{}{}", styled(BAD, &text), broken_text(broken, *more_broken)),
                json,
                good: false,
            };
        }
        let known = story.known();
        let facts = |policy: &Policy| facts(story.start.as_ref(), policy);
        let choices = choices(&known, facts);
        let recommended = Policy::recommended();
        let why = decide(recommended.clone(), facts(&recommended), &known).ok().and_then(|answer| answer.explanation);
        let good = choices.first().is_some_and(|choice| choice.project.is_some());
        let json = json!({
            "client": story.client_line(), "messages": story.messages, "methods": story.counts(),
            "rootsAsked": story.questions, "rootsAnswered": story.answers, "timeline": story.timeline(), "timelineOmitted": story.omitted,
            "explanation": why, "choices": choices, "broken": broken_json(broken), "moreBroken": more_broken,
        });
        let mut text = format!("{} {}\n", styled(STRONG, "Client"), story.client_line());
        text.push_str(&format!(
            "{} {}, {} about roots asked, {} answered\n",
            styled(STRONG, "Messages"),
            story.messages,
            story.questions,
            story.answers
        ));
        text.push_str(&format!("\n{}\n{}\n", styled(STRONG, "What happened"), story.first.join("\n")));
        if story.omitted > 0 {
            text.push_str(&format!("{:>10}  ({} lines are left out here)\n", "", story.omitted));
        }
        text.extend(story.last.iter().map(|line| format!("{line}\n")));
        if let Some(why) = why {
            text.push_str(&format!("\n{}\n{}\n", styled(STRONG, "Why"), why.text));
        }
        text.push_str(&format!("\n{}\n", styled(STRONG, "Which project each preset would pick")));
        for choice in &choices {
            text.push_str(&choice_line(choice));
        }
        text.push_str(&broken_text(broken, *more_broken));
        Answer { text, json, good }
    }
}

/// Whether a line begins a document that is longer than a line.
fn is_begun(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    matches!(text.first(), Some(b'[' | b'{'))
        && serde_json::from_slice::<IgnoredAny>(text).is_err_and(|error| error.is_eof())
}

/// Reads to the end of a line that nobody wants.
fn skip_line(mut input: impl BufRead) -> Result<(), Failure> {
    loop {
        let found = input.fill_buf().map_err(Failure::new)?;
        let end = found.iter().position(|byte| *byte == b'\n');
        let (taken, is_over) = (end.map_or(found.len(), |at| at.saturating_add(1)), end.is_some() || found.is_empty());
        input.consume(taken);
        if is_over {
            return Ok(());
        }
    }
}

fn choice_line(Choice { preset, project, why }: &Choice) -> String {
    let folder = match project {
        Some(project) => styled(GOOD, display(project.path.as_ref().unwrap_or(&project.name), 500)),
        None => styled(BAD, "none"),
    };
    format!("  {preset:<20} {folder}  {}\n", styled(FAINT, display(why, 500)))
}

fn broken_text(broken: &[(u64, String)], more: u64) -> String {
    let lines = broken.iter().map(|(line, error)| format!("\n{}: {error}", styled(BAD, format_args!("line {line}"))));
    let more = (more > 0).then(|| format!("\nand {more} more broken lines"));
    lines.chain(more).collect()
}

fn broken_json(broken: &[(u64, String)]) -> Value {
    broken.iter().map(|(line, error)| json!({ "line": line, "message": error })).collect()
}

/// The facts of the process that was recorded, as far as the recording has them.
fn facts(start: Option<&Value>, policy: &Policy) -> HostFacts {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let argv: Vec<String> = start
        .and_then(|start| start.get("command")?.as_array())
        .map(|words| words.iter().skip(1).filter_map(text).collect())
        .unwrap_or_default();
    let variable = |name: &str| start.and_then(|start| text(start.get("env")?.get(name)?));
    let mut facts = host_facts_from(Transport::Stdio, policy, &argv, variable);
    facts.cwd = start.and_then(|start| text(start.get("cwd")?));
    facts
}
