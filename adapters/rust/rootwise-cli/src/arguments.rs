//! The command line.

use std::collections::BTreeSet;
use std::fmt;

use rootwise::PathStyle;

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Version,
    Resolve(Resolve),
    Uri { value: String, style: Option<PathStyle> },
}

/// The options of `resolve`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Resolve {
    pub(crate) folder: Option<String>,
    pub(crate) policy: Option<String>,
    pub(crate) argument: Option<String>,
    pub(crate) allowed_dirs: Vec<String>,
    pub(crate) explain: bool,
    /// Options that the policy may read.
    others: Vec<String>,
}

impl Resolve {
    /// Refuses options that the policy does not read.
    pub(crate) fn check_options(&self, read: &BTreeSet<String>) -> Result<(), UsageError> {
        match self.others.iter().find(|name| !read.contains(*name)) {
            Some(name) => Err(UsageError(format!("unknown option --{name}"))),
            None => Ok(()),
        }
    }
}

/// A mistake in the command line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UsageError(pub(crate) String);

impl fmt::Display for UsageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn parse(argv: Vec<String>) -> Result<Command, UsageError> {
    if argv.is_empty() || argv.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(Command::Help);
    }
    let mut words = Words(argv.into_iter());
    match words.0.next().as_deref() {
        Some("--version" | "-V") => Ok(Command::Version),
        Some("resolve") => resolve(words),
        Some("uri") => uri(words),
        Some(other) => Err(UsageError(format!("unknown command {other:?}; the commands are resolve and uri"))),
        None => Ok(Command::Help),
    }
}

fn resolve(mut words: Words) -> Result<Command, UsageError> {
    let mut command = Resolve::default();
    while let Some(word) = words.next() {
        match word {
            Word::Plain(folder) if command.folder.is_none() => command.folder = Some(folder),
            Word::Plain(more) => return Err(UsageError(format!("one folder is enough, and {more:?} is a second one"))),
            Word::Option(name, value) => match name.as_str() {
                "policy" => command.policy = Some(words.value(&name, value)?),
                "argument" => command.argument = Some(words.value(&name, value)?),
                "allowed-dir" => command.allowed_dirs.push(words.value(&name, value)?),
                "explain" if value.is_none() => command.explain = true,
                "explain" => return Err(UsageError("--explain takes no value".into())),
                _ => {
                    words.value(&name, value)?;
                    command.others.push(name);
                }
            },
        }
    }
    Ok(Command::Resolve(command))
}

fn uri(mut words: Words) -> Result<Command, UsageError> {
    let (mut given, mut style) = (None, None);
    while let Some(word) = words.next() {
        match word {
            Word::Plain(value) if given.is_none() => given = Some(value),
            Word::Plain(more) => return Err(UsageError(format!("one value is enough, and {more:?} is a second one"))),
            Word::Option(name, value) if name == "style" => {
                style = Some(match words.value(&name, value)?.as_str() {
                    "posix" => PathStyle::Posix,
                    "windows" => PathStyle::Windows,
                    other => return Err(UsageError(format!("--style {other}: must be posix or windows"))),
                });
            }
            Word::Option(name, _) => return Err(UsageError(format!("unknown option --{name}"))),
        }
    }
    match given {
        Some(value) => Ok(Command::Uri { value, style }),
        None => Err(UsageError("uri needs a file: URI or an absolute path".into())),
    }
}

enum Word {
    Plain(String),
    /// A name without dashes, and the value after `=`.
    Option(String, Option<String>),
}

struct Words(std::vec::IntoIter<String>);

impl Words {
    fn next(&mut self) -> Option<Word> {
        let word = self.0.next()?;
        Some(match word.strip_prefix("--") {
            None | Some("") => Word::Plain(word),
            Some(option) => match option.split_once('=') {
                Some((name, value)) => Word::Option(name.into(), Some(value.into())),
                None => Word::Option(option.into(), None),
            },
        })
    }

    /// The value of an option: after `=`, or the next word.
    fn value(&mut self, name: &str, given: Option<String>) -> Result<String, UsageError> {
        given.or_else(|| self.0.next()).ok_or_else(|| UsageError(format!("--{name} needs a value")))
    }
}

#[cfg(test)]
#[allow(clippy::panic, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, UsageError> {
        parse(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn reads_options_in_both_spellings() {
        for line in ["resolve /a --policy p.json --explain", "resolve --policy=p.json --explain /a"] {
            let (folder, policy) = (Some("/a".to_owned()), Some("p.json".to_owned()));
            let wanted = Resolve { folder, policy, explain: true, ..Resolve::default() };
            assert_eq!(parsed(line), Ok(Command::Resolve(wanted)), "{line}");
        }
    }

    #[test]
    fn refuses_what_it_does_not_understand() {
        for (line, text) in [
            ("solve", "unknown command \"solve\"; the commands are resolve and uri"),
            ("resolve /a /b", "one folder is enough, and \"/b\" is a second one"),
            ("resolve --policy", "--policy needs a value"),
            ("uri", "uri needs a file: URI or an absolute path"),
            ("uri /a --style mac", "--style mac: must be posix or windows"),
        ] {
            assert_eq!(parsed(line), Err(UsageError(text.to_owned())), "{line}");
        }
    }

    #[test]
    fn leaves_other_options_to_the_policy() {
        let Ok(Command::Resolve(command)) = parsed("resolve --project=/x --typo 1") else { panic!("not a command") };
        let read = BTreeSet::from(["project".to_owned()]);
        assert_eq!(command.check_options(&read), Err(UsageError("unknown option --typo".into())));
    }
}
