//! From a text to a place, and from a place to a verdict (rules 22 to 26).

use std::collections::BTreeSet;

use rootwise::Reason;
use rootwise::policy::{BadOutcome, Format, Source, SourceKind};

use super::decide::Says;
use super::history::History;
use super::record::Ask;
use super::repositories::Repo;
use super::within::MayName;

/// Stands among the markers for the search for the nearest repository.
pub const NEAREST: &str = "?nearest";
/// Stands among the markers for the files by which a worktree and its repository name each other.
pub const LINKS: &str = "?links";
/// Stands among the markers for the configuration that names the remote.
pub const CONFIG: &str = "?config";
/// Stands among the markers for the configuration that names the main checkout.
pub const MAIN: &str = "?main";
/// Stands among the markers for the file of a workspace of Jujutsu that names its repository.
pub const WORKSPACE: &str = "?workspace";
/// Stands among the markers for the file of a repository of Jujutsu that names that of Git.
pub const STORE: &str = "?store";

/// The files behind each of these; the last one of a question is in no other.
pub const FILES: [(&str, &[&str]); 5] = [
    (LINKS, &["commondir", "gitdir"]),
    (CONFIG, &["config", "hgrc"]),
    (MAIN, &["config", "config.worktree"]),
    (WORKSPACE, &["repo"]),
    (STORE, &["git_target"]),
];

/// A path to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Need {
    pub path: String,
    /// What to look for in it.
    pub markers: BTreeSet<String>,
    /// Whether the result serves the connection (rule 38).
    pub connection: bool,
    /// Whether the ask must look for itself.
    pub own: bool,
    /// Whether something older is known of it, so that it is only a refresh (rule 32).
    pub refresh: bool,
}

/// What a value names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub path: Option<String>,
    pub key: String,
    pub name: String,
    /// The position of the root it is, and that root's key.
    pub root: Option<(u32, String)>,
    /// The real path, where the host told it.
    pub real: Option<String>,
    /// Whether it is on another machine (rule 31).
    pub on_client_machine: bool,
    /// Whether the client named it.
    pub own_name: bool,
    /// What its text shows of the client's spelling.
    pub shown: Shown,
    /// The repository that it belongs to (rules 66 and 67).
    pub repository: Option<Repo>,
}

/// What a text shows of how the client spells folders (rule 72).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Nothing,
    AsHere,
    /// This entry of the path map contains the folder.
    By(usize),
}

/// What comes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Good(Target),
    Bad(Reason),
    /// It depends on these paths.
    Pending(Vec<Need>),
}

/// A root before the disk is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lexed {
    Place(Target),
    /// A URI of another scheme.
    NonFile(String),
    Bad(Reason),
}

/// Whether an ask still waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    Lasts,
    Over,
}

/// From where a path is checked.
#[derive(Clone, Copy, Debug)]
pub enum Eyes<'a> {
    /// For the connection.
    Connection,
    /// For one ask.
    Ask { ask: &'a Ask, patience: Patience },
}

pub fn is_asked_for(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Server | SourceKind::Argument | SourceKind::Header | SourceKind::Query)
}

/// Whether a bad value of a source can end an ask at all.
pub fn can_end(source: &Source) -> bool {
    let usual = if is_asked_for(source.from) { BadOutcome::Error } else { BadOutcome::Next };
    let otherwise = source.on_bad.otherwise.unwrap_or(usual);
    otherwise == BadOutcome::Error || source.on_bad.reasons.iter().any(|(_, outcome)| *outcome == BadOutcome::Error)
}

pub fn is_bad_end(source: &Source, reason: Reason) -> bool {
    let usual = if is_asked_for(source.from) { BadOutcome::Error } else { BadOutcome::Next };
    let otherwise = source.on_bad.otherwise.unwrap_or(usual);
    *source.on_bad.reasons.get(&reason).unwrap_or(&otherwise) == BadOutcome::Error
}

impl History {
    /// The verdict on the values of any source but `roots`, and the name of the one that is good: the first usable counts, and one
    /// that the source may not name is not usable. An error is what has to come first.
    pub fn judge(
        &self,
        source: &Source,
        values: Vec<(Option<String>, String)>,
        eyes: Eyes<'_>,
        may_name: impl Fn(&Target) -> MayName,
    ) -> Result<(Verdict, Option<String>), Says> {
        let mut needs = Vec::new();
        let mut first_bad = None;
        let texts = values.into_iter().flat_map(|(via, value)| {
            let texts = self.texts(source, &value).into_iter();
            texts.map(move |text| (via.clone(), text))
        });
        for (via, text) in texts {
            let mut verdict = match self.read_text(source, &text) {
                Ok(target) if source.from == SourceKind::Argument => {
                    self.on_disk(source, self.shown_by_model(target, eyes), eyes)
                }
                Ok(target) => self.on_disk(source, target, eyes),
                Err(reason) => Verdict::Bad(reason),
            };
            if let Verdict::Good(target) = &verdict {
                match may_name(target) {
                    MayName::Yes => {}
                    MayName::No(reason) => verdict = Verdict::Bad(reason),
                    MayName::NotYet(Says::Pending(more)) => verdict = Verdict::Pending(more),
                    MayName::NotYet(says) if needs.is_empty() => return Err(says),
                    MayName::NotYet(_) => break,
                }
            }
            match verdict {
                Verdict::Good(target) if needs.is_empty() => return Ok((Verdict::Good(target), via)),
                Verdict::Good(_) => break,
                Verdict::Bad(reason) => {
                    first_bad = first_bad.or(Some(reason));
                    let ends = is_bad_end(source, reason);
                    if ends && source.format != Format::List {
                        break;
                    }
                }
                Verdict::Pending(more) => {
                    needs.extend(more);
                }
            }
        }
        let verdict =
            if needs.is_empty() { Verdict::Bad(first_bad.unwrap_or(Reason::Invalid)) } else { Verdict::Pending(needs) };
        Ok((verdict, None))
    }
}
