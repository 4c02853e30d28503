//! `rootwise record`: sits between a client and a server, passes every byte, and writes down what it saw.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::command_line::Record;
use crate::environment::signals;
use crate::output::Failure;
use crate::program;

/// One line of a recording.
#[derive(Serialize)]
struct Line<'l> {
    /// Milliseconds since 1970.
    time: u64,
    /// Who sent it: the client, the server, or this program.
    direction: &'static str,
    /// The message as it came, byte for byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'l RawValue>,
    /// What is no message.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<Value>,
}

/// What was seen: a line of the client or the server, or a fact about the process.
enum Seen {
    Line(&'static str, Vec<u8>),
    Start(Value),
    End(Value),
}

/// Lines that may wait to be written down; then the conversation waits as well.
const MAX_WAITING: usize = 1_024;
/// Bytes of the longest line that is written down as a whole; the conversation itself has no limit.
const MAX_LINE: usize = 64 << 20;

pub(crate) fn record(options: &Record) -> Result<ExitCode, Failure> {
    let (name, args) = options.server.split_first().ok_or_else(|| Failure("name a server after `--`".into()))?;
    let (seen, wanted) = sync_channel(MAX_WAITING);
    let mut command = std::process::Command::new(program::find(name)?);
    let file = open(&options.file)?;
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|error| Failure(format!("the server cannot be started: {error}")))?;
    let words: Vec<String> = options.server.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let cwd = std::env::current_dir().ok().map(|folder| text(folder.into_os_string()));
    let start = json!({ "command": words, "cwd": cwd, "env": signals(variables).shown });
    // The receiver lives as long as somebody sends.
    let _ = seen.send(Seen::Start(start));
    let writer = std::thread::spawn(move || write_down(file, &wanted));
    let status = converse(&mut child, &seen)?;
    let code = code_of(status);
    let _ = seen.send(Seen::End(json!({ "code": code })));
    drop(seen);
    match writer.join() {
        Ok(Ok(())) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1))),
        Ok(Err(error)) => Err(Failure(format!("{}: {error}; the recording is not complete", options.file.display()))),
        Err(_) => Err(Failure("the recording is not complete".into())),
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// Passes everything on until the server ends.
fn converse(child: &mut Child, seen: &SyncSender<Seen>) -> Result<std::process::ExitStatus, Failure> {
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let to_server = seen.clone();
    // It ends with this process: nobody can wake a thread that waits for the client.
    std::thread::spawn(move || stdin.map(|stdin| pass(std::io::stdin().lock(), stdin, "client", &to_server)));
    let to_client = seen.clone();
    let speaking =
        std::thread::spawn(move || stdout.map(|stdout| pass(stdout, std::io::stdout().lock(), "server", &to_client)));
    let status = wait(child)?;
    // Another process may hold its output open.
    let until = std::time::Instant::now().checked_add(Duration::from_secs(1));
    while !speaking.is_finished() && until.is_some_and(|until| std::time::Instant::now() < until) {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(status)
}

/// Waits for the server; signals for this program reach it.
fn wait(child: &mut Child) -> Result<std::process::ExitStatus, Failure> {
    #[cfg(unix)]
    pass_signals(child.id())?;
    child.wait().map_err(|error| Failure(format!("the server cannot be observed: {error}")))
}

#[cfg(unix)]
fn pass_signals(pid: u32) -> Result<(), Failure> {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let (ready, is_ready) = sync_channel(1);
    std::thread::spawn(move || {
        runtime.block_on(async {
            let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = kinds.map(signal) else { return };
            let _ = ready.send(());
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => Signal::INT,
                    _ = terminate.recv() => Signal::TERM,
                    _ = hangup.recv() => Signal::HUP,
                };
                if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
                    // It may have ended meanwhile.
                    let _ = kill_process(pid, signal);
                }
            }
        });
    });
    // Without handlers, a signal ends this program as it ends any other.
    let _ = is_ready.recv();
    Ok(())
}

/// Passes bytes on as they come, and reports whole lines before they arrive: what answers one is always recorded after it.
fn pass(mut from: impl Read, mut to: impl Write, who: &'static str, seen: &SyncSender<Seen>) {
    let (mut buffer, mut line) = (vec![0; 64 << 10], Vec::new());
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        let bytes = buffer.get(..read).unwrap_or_default();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if line.len() < MAX_LINE {
                line.extend_from_slice(part);
            }
            if part.last() == Some(&b'\n') && seen.send(Seen::Line(who, std::mem::take(&mut line))).is_err() {
                return;
            }
        }
        if to.write_all(bytes).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
    if !line.is_empty() {
        let _ = seen.send(Seen::Line(who, line));
    }
}

fn write_down(file: File, wanted: &Receiver<Seen>) -> std::io::Result<()> {
    let mut out = BufWriter::new(file);
    let mut next = wanted.recv().ok();
    while let Some(seen) = next {
        let time = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let mut line = Line { time, direction: "rootwise", message: None, text: None, start: None, end: None };
        let bytes = match seen {
            Seen::Line(from, bytes) => {
                line.direction = from;
                bytes
            }
            Seen::Start(start) => {
                line.start = Some(start);
                Vec::new()
            }
            Seen::End(end) => {
                line.end = Some(end);
                Vec::new()
            }
        };
        // Without the end of its line.
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if line.direction != "rootwise" {
            line.message = serde_json::from_slice(bytes).ok();
            if line.message.is_none() {
                line.text = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        serde_json::to_writer(&mut out, &line)?;
        out.write_all(b"\n")?;
        if line.end.is_some() {
            // A thread that waits for the client could still send.
            break;
        }
        next = match wanted.try_recv() {
            Ok(seen) => Some(seen),
            Err(_) => {
                // Somebody may be reading along.
                out.flush()?;
                wanted.recv().ok()
            }
        };
    }
    out.flush()
}

fn code_of(status: std::process::ExitStatus) -> i32 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return 128_i32.saturating_add(signal);
        }
    }
    status.code().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::{Seen, pass};

    /// A receiver that answers at once: whatever it gets must have been reported.
    struct Peer<'p>(&'p Receiver<Seen>);

    impl Write for Peer<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            for _ in bytes.iter().filter(|byte| **byte == b'\n') {
                assert!(
                    matches!(self.0.try_recv(), Ok(Seen::Line("client", _))),
                    "it got a line that was not reported"
                );
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_reported_before_it_arrives() {
        let (seen, wanted) = sync_channel(8);
        pass(&b"one\ntwo\nthr"[..], Peer(&wanted), "client", &seen);
        assert!(matches!(wanted.try_recv(), Ok(Seen::Line("client", rest)) if rest == b"thr"));
    }
}
