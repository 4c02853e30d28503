//! A client that writes and reads lines, so that a test sees every byte.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::ROOTWISE;

/// No step of a test takes longer.
const DEADLINE: Duration = Duration::from_secs(30);

pub struct Client {
    pub child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// What was read and not wanted yet.
    read: Vec<Value>,
    /// The answer to `roots/list`: a list of URIs, or an error; null is silence.
    pub roots: Value,
    last_id: u64,
}

/// The server of the tests.
pub fn scripted() -> String {
    let folder = std::path::Path::new(ROOTWISE).parent().unwrap();
    let file = folder.join("examples").join(format!("scripted{}", std::env::consts::EXE_SUFFIX));
    assert!(file.exists(), "build the server of the tests first: cargo build -p rootwise-cli --example scripted");
    file.to_str().unwrap().to_owned()
}

impl Client {
    /// Starts `rootwise run OPTIONS -- scripted ARGS` in a folder that is no project.
    pub fn start(options: &[&str], args: &[&str], cwd: &str, variables: &[(&str, &str)]) -> Self {
        let scripted = scripted();
        let server: Vec<&str> = std::iter::once(scripted.as_str()).chain(args.iter().copied()).collect();
        Self::with_server(options, &server, cwd, variables)
    }

    pub fn with_server(options: &[&str], server: &[&str], cwd: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(ROOTWISE);
        command.arg("run").args(options).arg("--").args(server).current_dir(cwd).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.split(b'\n') {
                let Ok(line) = line else { return };
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, read: Vec::new(), roots: Value::Null, last_id: 100 }
    }

    pub fn send_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.send_line(&format!("{message}\n"));
    }

    pub fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn notify(&mut self, method: &str) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method }));
    }

    /// One line, as it came.
    pub fn line(&mut self) -> Option<String> {
        self.lines.recv_timeout(DEADLINE).ok()
    }

    /// The next message that fits; answers for roots are given on the way.
    pub fn wait(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.read.iter().position(&fits) {
            return self.read.remove(at);
        }
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { panic!("no {what}; got {:?}", self.read) };
            let message: Value = serde_json::from_str(&line).unwrap_or_else(|_| json!(line));
            if message["method"] == "roots/list" {
                self.answer_roots(&message["id"]);
            } else if fits(&message) {
                return message;
            } else {
                self.read.push(message);
            }
        }
    }

    /// The next request of this method, which is not answered.
    pub fn wait_raw(&mut self, method: &str) -> Value {
        let until = Instant::now() + DEADLINE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok(line) = self.lines.recv_timeout(left) else { panic!("no {method}; got {:?}", self.read) };
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == method {
                return message;
            }
            self.read.push(message);
        }
    }

    pub fn answer_roots(&mut self, id: &Value) {
        match self.roots.clone() {
            Value::Null => {}
            Value::Array(folders) => {
                let roots: Vec<Value> = folders
                    .iter()
                    .map(|folder| json!({ "uri": format!("file://{}", folder.as_str().unwrap()) }))
                    .collect();
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": { "roots": roots } }));
            }
            error => self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error })),
        }
    }

    pub fn answer_to(&mut self, id: u64) -> Value {
        self.wait(&format!("answer to {id}"), |message| message["id"] == id && message.get("method").is_none())
    }

    pub fn asks(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer_to(id)
    }

    /// Whether a message has come that fits, without waiting for others than those that came already.
    pub fn has_read(&self, fits: impl Fn(&Value) -> bool) -> bool {
        self.read.iter().any(fits)
    }

    /// Begins as a client up to 2025-11-25; null declares no roots.
    pub fn initialize(&mut self, roots: Value) -> Value {
        let capabilities = if roots.is_null() { json!({}) } else { json!({ "roots": { "listChanged": true } }) };
        self.roots = roots;
        let client = json!({ "name": "raw", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": capabilities, "clientInfo": client });
        let answer = self.asks("initialize", params);
        self.notify("notifications/initialized");
        answer
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.asks("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// The text of a tool's result.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        text_of(&answer)
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// The exit status after the end of the input.
    pub fn end(&mut self) -> Option<i32> {
        self.close_input();
        self.exit_status()
    }

    pub fn exit_status(&mut self) -> Option<i32> {
        let until = Instant::now() + DEADLINE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("it did not end");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn text_of(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned()
}
