//! What the tests of the program share.
#![allow(dead_code, unreachable_pub, reason = "every test uses another part")]
#![allow(clippy::panic, clippy::arithmetic_side_effects, reason = "a test stops at the first surprise")]

pub mod client;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

pub const ROOTWISE: &str = env!("CARGO_BIN_EXE_rootwise");

/// A folder of its own for a test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str, inside: &[&str]) -> Self {
        // Not below the repository, whose folder would be the project of everything in it.
        let folder = std::env::temp_dir().join(format!("rootwise-cli-{name}-{}", std::process::id()));
        for path in inside {
            std::fs::create_dir_all(folder.join(path)).unwrap();
        }
        Self(folder.canonicalize().unwrap())
    }

    pub fn at(&self, path: &str) -> String {
        let path = if path.is_empty() { self.0.clone() } else { self.0.join(path) };
        path.to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(args: &[&str], variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(ROOTWISE);
    command.args(args).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied()).stdin(std::process::Stdio::null());
    command
}

/// Exit status and output as JSON.
pub fn rootwise(args: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, Value) {
    let args: Vec<&str> = args.iter().take(1).chain(&["--json"]).chain(args.iter().skip(1)).copied().collect();
    let output = command(&args, variables).output().unwrap();
    let value = serde_json::from_slice(&output.stdout);
    let value = value.unwrap_or_else(|_| String::from_utf8_lossy(&output.stderr).into_owned().into());
    (output.status.code(), value)
}

/// Exit status and everything that was printed.
pub fn said(args: &[&str]) -> (Option<i32>, String) {
    let output = command(args, &[]).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}
