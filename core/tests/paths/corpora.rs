use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use rootwise::path::uri;
use rootwise::path::{self, PathStyle};
use serde::Deserialize;
use serde_json::Value;

use super::{POSIX, WINDOWS};

/// Cases marked `should` that are decided differently, each with its reason in `docs/uris.md`.
const DIFFERENT: &[&str] = &[];

const STYLES: [(&str, PathStyle); 2] = [("posix", POSIX), ("windows", WINDOWS)];

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Strength {
    Must,
    Should,
}

/// Counts cases and collects the ones that came out differently.
struct Report {
    name: String,
    must: usize,
    should: usize,
    wrong: Vec<String>,
    differing: BTreeSet<String>,
}

impl Report {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), must: 0, should: 0, wrong: Vec::new(), differing: BTreeSet::new() }
    }

    fn case(&mut self, id: &str, strength: Strength, same: bool, describe: impl FnOnce() -> String) {
        match strength {
            Strength::Must => self.must += 1,
            Strength::Should => self.should += 1,
        }
        if same {
            return;
        }
        if strength == Strength::Should && DIFFERENT.contains(&id) {
            self.differing.insert(id.to_owned());
        } else {
            self.wrong.push(format!("{id}: {}", describe()));
        }
    }

    fn finish(self) -> BTreeSet<String> {
        println!("{}: {} must, {} should, {} differ", self.name, self.must, self.should, self.differing.len());
        assert!(self.must > 0, "{} holds no case", self.name);
        assert!(self.wrong.is_empty(), "{}:\n{}", self.name, self.wrong.join("\n"));
        self.differing
    }
}

fn strength(value: &Value) -> Strength {
    Strength::deserialize(value).unwrap()
}

fn entries(folder: &Path, file: &str, list: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut root: Value = serde_json::from_str(&text).unwrap();
    match root[list].take() {
        Value::Array(entries) => entries,
        _ => panic!("{file} has no {list}"),
    }
}

fn check_uris(folder: &Path) -> BTreeSet<String> {
    let mut report = Report::new("file-uri-to-path.json");
    for entry in entries(folder, "file-uri-to-path.json", "entries") {
        let text = entry["uri"].as_str().unwrap();
        for (platform, style) in STYLES {
            let case = &entry[platform];
            let got = uri::file_uri_to_path(text, style);
            let same = match case["expected"]["normalized"].as_str() {
                Some(expected) => got.as_deref() == Ok(expected),
                None => got.is_err(),
            };
            let id = format!("{}/{platform}", entry["id"].as_str().unwrap());
            report.case(&id, strength(&case["strength"]), same, || {
                format!("{text:?} as {platform}: {got:?}, expected {}", case["expected"])
            });
        }
    }
    report.finish()
}

fn check_paths(folder: &Path) -> BTreeSet<String> {
    let mut report = Report::new("paths.json");
    for entry in entries(folder, "paths.json", "entries") {
        let text = entry["path"].as_str().unwrap();
        for (platform, style) in STYLES {
            let case = &entry[platform];
            let expected = &case["expected"];
            let got = (path::normalize(text, style).ok(), path::is_absolute(text, style), path::basename(text, style));
            let wanted = (
                expected["normalized"].as_str().map(str::to_owned),
                expected["is_absolute"].as_bool().unwrap_or(false),
                expected["basename"].as_str().map(str::to_owned),
            );
            let id = format!("{}/{platform}", entry["id"].as_str().unwrap());
            report.case(&id, strength(&case["strength"]), got == wanted, || {
                format!("{text:?} as {platform}: {got:?}, expected {wanted:?}")
            });
        }
    }
    report.finish()
}

fn check_containment(folder: &Path) -> BTreeSet<String> {
    let mut report = Report::new("containment.json");
    for entry in entries(folder, "containment.json", "entries") {
        let style = style(&entry["platform"]);
        let (root, inner) = (entry["root"].as_str().unwrap(), entry["path"].as_str().unwrap());
        let expected = entry["inside"].as_bool().unwrap();
        let same = path::is_inside(root, inner, style) == expected;
        report.case(entry["id"].as_str().unwrap(), strength(&entry["strength"]), same, || {
            format!("{inner:?} in {root:?} as {style:?}, expected {expected}")
        });
    }
    report.finish()
}

fn check_equality(folder: &Path) -> BTreeSet<String> {
    let mut report = Report::new("uri-equality.json");
    for family in entries(folder, "uri-equality.json", "families") {
        let style = style(&family["platform"]);
        let id = family["id"].as_str().unwrap();
        for class in family["classes"].as_array().unwrap() {
            for member in class["members"].as_array().unwrap() {
                let got = uri::project_key(member.as_str().unwrap(), style);
                let same = got.as_deref().ok() == class["key"].as_str();
                report.case(id, strength(&family["strength"]), same, || {
                    format!("{member}: {got:?}, expected {}", class["key"])
                });
            }
        }
        for refused in family["rejected"].as_array().unwrap() {
            let got = uri::project_key(refused["uri"].as_str().unwrap(), style);
            report.case(id, strength(&refused["strength"]), got.is_err(), || {
                format!("{}: {got:?}, expected a refusal", refused["uri"])
            });
        }
    }
    report.finish()
}

#[test]
fn the_corpora_written_for_this_project_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpora");
    let mut differing = check_uris(&folder);
    differing.extend(check_paths(&folder));
    differing.extend(check_containment(&folder));
    differing.extend(check_equality(&folder));
    let listed: BTreeSet<String> = DIFFERENT.iter().map(|id| (*id).to_owned()).collect();
    assert_eq!(differing, listed, "a listed case no longer differs");
}

#[test]
fn the_collected_corpora_hold_where_they_are_present() {
    let corpora = std::env::var_os("ROOTWISE_CORPORA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora"), PathBuf::from);
    let folder = corpora.join("collected");
    if !folder.is_dir() {
        // Written past the harness, which hides what a passing test prints.
        writeln!(std::io::stderr(), "SKIPPED: no collected corpora at {}", folder.display()).unwrap();
        return;
    }
    check_uris(&folder);
    check_paths(&folder);
    check_containment(&folder);
}

fn style(platform: &Value) -> PathStyle {
    match platform.as_str() {
        Some("posix") => PathStyle::Posix,
        Some("windows") => PathStyle::Windows,
        _ => panic!("{platform} is no style"),
    }
}
