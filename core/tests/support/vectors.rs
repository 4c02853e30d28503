//! Where the vectors, their recordings and the presets are, and how a vector names its machine and its policy.
#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};

use serde_json::Value;

/// How the file of a recording ends: what the machine returned for each step of the vector beside it.
const RECORDING: &str = "out.json";

/// The vectors in `tests/vectors` and its folders, sorted.
pub(crate) fn files() -> Vec<PathBuf> {
    let (_, vectors) = recordings_and_vectors();
    vectors
}

/// The vectors that are played on this machine.
pub(crate) fn files_for(machine: &str) -> Vec<PathBuf> {
    files().into_iter().filter(|path| machine_of(&value(path)) == machine).collect()
}

/// The name of the machine that a vector is played on.
pub(crate) fn machine_of(vector: &Value) -> &str {
    vector["machine"].as_str().unwrap_or("resolver")
}

pub(crate) fn recording(vector: &Path) -> PathBuf {
    vector.with_extension(RECORDING)
}

/// Recordings without a vector.
pub(crate) fn orphans() -> Vec<PathBuf> {
    let (mut recordings, vectors) = recordings_and_vectors();
    recordings.retain(|path| !vectors.iter().any(|vector| recording(vector) == *path));
    recordings
}

fn recordings_and_vectors() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut files = Vec::new();
    let mut folders = vec![folder()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "json") {
                files.push(path);
            }
        }
    }
    files.sort();
    let is_recording = |path: &PathBuf| path.to_str().unwrap().ends_with(&format!(".{RECORDING}"));
    files.into_iter().partition(is_recording)
}

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors")
}

/// A preset by name, a preset with changes, or a whole policy.
pub(crate) fn policy(written: &Value) -> Value {
    if let Some(name) = written.as_str() {
        return value(&presets().join(format!("{name}.json")));
    }
    match written["preset"].as_str() {
        None => written.clone(),
        Some(name) => {
            let mut policy = value(&presets().join(format!("{name}.json")));
            merge(&mut policy, &written["with"]);
            policy
        }
    }
}

pub(crate) fn value(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn merge(into: &mut Value, changes: &Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (key, change) in changes {
                merge(into.entry(key.clone()).or_insert(Value::Null), change);
            }
        }
        (into, changes) => *into = changes.clone(),
    }
}

fn presets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("presets")
}
