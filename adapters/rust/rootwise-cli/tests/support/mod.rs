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

const TERMINAL: &str = "import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    if sys.argv[1]:
        os.dup2(os.open(sys.argv[1], os.O_RDONLY), 0)
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    os.write(1, part)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))";

/// Exit status and output on a terminal; the input is one as well, or this file. None where there is no Python to open a terminal.
pub fn on_terminal(args: &[&str], input: Option<&str>) -> Option<(Option<i32>, String)> {
    let mut python = Command::new("python3");
    python.args(["-c", TERMINAL, input.unwrap_or_default(), ROOTWISE]).args(args).stdin(std::process::Stdio::null());
    match python.output() {
        Ok(output) => Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())),
        Err(error) => {
            eprintln!("skipped: without python3 there is no terminal for this test ({error})");
            None
        }
    }
}
