//! The direction of the imports inside the core: a room uses only rooms below it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test may fail loudly"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The top modules of the crate by level. A room may use every room of a lower level, and none of its own.
///
/// - `id` is plain numbers, and `collect` puts items into maps; everything uses them.
/// - `texts` are the sentences for people, by the keys of `api`.
/// - `error` shows the texts of others in display form, so it stands on `path`; what returns its errors stands above it.
/// - `parameter` describes a parameter of tools, and `tools` whole ones; apart from that, only `wire` uses them.
/// - `host_problem` is what goes wrong in a host, and `gate` the rules of a gate; both only for hosts, through `wire` or directly.
/// - `session` recovers sessions without a resolver: it reads keys of roots, and only `wire` uses it.
/// - `provide` and `clients` are the other side of the wire: what a client lists, and what known clients do.
/// - `testing` drives a resolver from outside, as `wire` does.
const LEVELS: [&[&str]; 13] = [
    &["collect", "id"],
    &["api"],
    &["texts"],
    &["path"],
    &["error", "host_problem"],
    &["policy", "provide"],
    &["clients"],
    &["peer"],
    &["gate", "parameter", "resolve", "session"],
    &["machine", "tools"],
    &["endpoint"],
    &["wire"],
    &["testing"],
];

fn level(room: &str) -> Option<usize> {
    LEVELS.iter().position(|rooms| rooms.contains(&room))
}

/// One source file: the path of its module, and its text without comments.
struct SourceFile {
    module: Vec<String>,
    text: String,
}

impl SourceFile {
    fn new(path: &str, text: &str) -> Self {
        let path = path.strip_suffix(".rs").unwrap();
        let module = path.strip_suffix("/mod").unwrap_or(path).split('/').filter(|part| *part != "lib");
        Self { module: module.map(String::from).collect(), text: without_comments(text) }
    }

    /// The names directly below the crate that this file refers to, in `use` declarations, bodies and attributes alike.
    fn names_at_top(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for (at, _) in self.text.match_indices("crate::") {
            if !ends_in_word(&self.text[..at]) {
                names.extend(first_names(&self.text[at + "crate::".len()..]));
            }
        }
        for (at, _) in self.text.match_indices("super::") {
            // A chain is read from its first link.
            if ends_in_word(&self.text[..at]) || self.text[..at].ends_with("super::") {
                continue;
            }
            let mut rest = &self.text[at..];
            let mut above = self.module.len();
            while let Some(after) = rest.strip_prefix("super::") {
                rest = after;
                above = above.saturating_sub(1);
            }
            match self.module[..above].first() {
                Some(room) => names.extend([room.clone()]),
                None => names.extend(first_names(rest)),
            }
        }
        names
    }
}

fn ends_in_word(text: &str) -> bool {
    text.ends_with(|last: char| last.is_alphanumeric() || last == '_')
}

/// The first names of a path or of a group of paths: `a::b`, `{a::b, c as d, e::{f, g}}`, `*`.
fn first_names(path: &str) -> Vec<String> {
    let path = path.trim_start();
    let Some(group) = path.strip_prefix('{') else {
        let name: String = path.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '*')).collect();
        return [name].into();
    };
    let mut names = Vec::new();
    let (mut depth, mut starts) = (0_u32, true);
    for (at, c) in group.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            c if starts && !c.is_whitespace() => {
                names.extend(first_names(&group[at..]));
                starts = false;
            }
            _ => {}
        }
    }
    names
}

/// Comments may link to anything; the strings of attributes count.
fn without_comments(text: &str) -> String {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    text.lines().filter(is_code).map(|line| line.split(" // ").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The room of every name that the crate re-exports at its top.
fn exported(lib: &SourceFile) -> BTreeMap<String, String> {
    let mut rooms = BTreeMap::new();
    for declaration in lib.text.split("pub use ").skip(1) {
        let path = declaration.split(';').next().unwrap();
        let room = first_names(path).remove(0);
        let words = path.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
        rooms.extend(words.map(|word| (word.to_owned(), room.clone())));
    }
    rooms
}

/// The imports against the direction, one line each.
fn violations(files: &[SourceFile], exported: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let Some(room) = file.module.first() else { continue };
        let own = level(room);
        for name in file.names_at_top() {
            let used = if level(&name).is_some() { &name } else { exported.get(&name).unwrap_or(&name) };
            if used != room && (own.is_none() || level(used).is_none() || level(used) >= own) {
                found.push(format!("{} uses {name}", file.module.join("/")));
            }
        }
    }
    found
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

fn core() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
        SourceFile::new(&name, &fs::read_to_string(&path).unwrap())
    };
    sources(&root).into_iter().map(read).collect()
}

#[test]
fn every_room_uses_only_rooms_below_it() {
    let files = core();
    let lib = files.iter().find(|file| file.module.is_empty()).unwrap();
    let found = violations(&files, &exported(lib));
    assert!(found.is_empty(), "imports against the direction of `LEVELS`:\n{}", found.join("\n"));
}

#[test]
fn every_room_has_a_level() {
    let rooms: BTreeSet<String> = core().into_iter().filter_map(|file| file.module.first().cloned()).collect();
    let unknown: Vec<&String> = rooms.iter().filter(|room| level(room).is_none()).collect();
    assert!(unknown.is_empty(), "give these modules a place in `LEVELS`: {unknown:?}");
}

#[test]
fn an_import_against_the_direction_is_found_wherever_it_stands() {
    let lib = SourceFile::new("lib.rs", "pub use machine::resolver::{Resolver, Reuse};");
    let found = |path: &str, text: &str| violations(&[SourceFile::new(path, text)], &exported(&lib));
    let machine = ["resolve/ask uses machine"];
    assert_eq!(found("resolve/ask.rs", "use crate::machine::asks::PendingAsk;"), machine);
    assert_eq!(found("resolve/ask.rs", "use crate::{api::{a, b}, machine as m};"), machine);
    assert_eq!(found("resolve/ask.rs", "fn f() { let x = crate::machine::asks::X; }"), machine);
    assert_eq!(found("resolve/ask.rs", "#[serde(with = \"crate::machine::x\")] struct S;"), machine);
    assert_eq!(found("resolve/ask.rs", "use super::super::machine::x;"), machine);
    assert_eq!(found("resolve/mod.rs", "use super::machine::x;"), ["resolve uses machine"]);
    assert_eq!(found("resolve/ask.rs", "use crate::Resolver;"), ["resolve/ask uses Resolver"]);
    assert_eq!(found("resolve/mod.rs", "use super::*;"), ["resolve uses *"]);
    assert_eq!(found("session.rs", "use crate::resolve::x;"), ["session uses resolve"], "rooms of one level");
    assert_eq!(found("cellar/mod.rs", "use crate::id::Time;"), ["cellar uses id"], "a room without a level");

    assert!(
        found("resolve/ask.rs", "use super::disk::x; use crate::{api, policy::{A, B}}; use super::super::peer::x;")
            .is_empty()
    );
    assert!(found("resolve/ask.rs", "//! See [`crate::Resolver`].\nlet x = 1; // as crate::machine does").is_empty());
    assert!(found("machine/roots_cycle/saved.rs", "use super::super::asks::x;").is_empty());
    assert!(found("wire/mod.rs", "use crate::{Resolver, Reuse};").is_empty());
}
