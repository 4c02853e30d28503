//! `rootwise record`: sits between a client and a server, passes every byte, and writes down what it saw.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, SendError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
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
    Line(&'static str, Vec<u8>, SystemTime),
    Start(Value),
    End(Value),
}

/// Lines and bytes that may wait to be written down; then the conversation waits as well.
const MAX_WAITING: usize = 1_024;
const MAX_WAITING_BYTES: usize = 16 << 20;
/// Bytes of the longest line that is written down as a whole; the conversation itself has no limit.
const MAX_LINE: usize = 64 << 20;

pub(crate) fn record(options: &Record) -> Result<ExitCode, Failure> {
    let (name, args) = options.server.split_first().ok_or_else(|| Failure("name a server after `--`".into()))?;
    let (seen, wanted) = sync_channel(MAX_WAITING);
    let seen = Reporter { seen, room: Arc::default() };
    let room = seen.room.clone();
    let mut command = std::process::Command::new(program::find(name)?);
    let file = open(&options.file)?;
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    // Before there is a server: a signal that nobody catches would leave it behind.
    #[cfg(unix)]
    let started = pass_signals()?;
    let mut child = command.spawn().map_err(|error| Failure(format!("the server cannot be started: {error}")))?;
    #[cfg(unix)]
    let _ = started.send(child.id());
    let words: Vec<String> = options.server.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let cwd = std::env::current_dir().ok().map(|folder| text(folder.into_os_string()));
    let start = json!({ "command": words, "cwd": cwd, "env": signals(variables).shown });
    // The receiver lives as long as somebody sends.
    let _ = seen.send(Seen::Start(start));
    let writer = std::thread::spawn(move || write_down(file, &wanted, &room));
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

/// Where threads report what they see.
#[derive(Clone)]
struct Reporter {
    seen: SyncSender<Seen>,
    room: Arc<Room>,
}

impl Reporter {
    /// Waits while too much waits to be written down; an error means that nobody writes any more.
    fn send(&self, seen: Seen) -> Result<(), SendError<Seen>> {
        if let Seen::Line(_, bytes, _) = &seen {
            self.room.enter(bytes.len());
        }
        self.seen.send(seen)
    }
}

/// The bytes that wait to be written down.
#[derive(Default)]
struct Room {
    used: Mutex<usize>,
    freed: Condvar,
}

impl Room {
    fn enter(&self, bytes: usize) {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        // A line that is longer than the limit passes alone.
        let is_full = |used: &mut usize| *used > 0 && used.saturating_add(bytes) > MAX_WAITING_BYTES;
        let mut used = self.freed.wait_while(used, is_full).unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_add(bytes);
    }

    fn leave(&self, bytes: usize) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = used.saturating_sub(bytes);
        self.freed.notify_all();
    }
}

/// Dropped with whoever writes: nobody waits for room any more.
struct Open<'r>(&'r Room);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.leave(usize::MAX);
    }
}

fn open(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| Failure(format!("{}: {error}", path.display())))
}

/// Passes everything on until the server ends.
fn converse(child: &mut Child, seen: &Reporter) -> Result<std::process::ExitStatus, Failure> {
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

/// Waits for the server.
fn wait(child: &mut Child) -> Result<std::process::ExitStatus, Failure> {
    child.wait().map_err(|error| Failure(format!("the server cannot be observed: {error}")))
}

/// Catches signals for this program, and passes them on to the process that is named later.
#[cfg(unix)]
fn pass_signals() -> Result<SyncSender<u32>, Failure> {
    use rustix::process::{Pid, Signal, kill_process};
    use tokio::signal::unix::{SignalKind, signal};

    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::new)?;
    let (ready, is_ready) = sync_channel(1);
    let (started, pid) = sync_channel(1);
    std::thread::spawn(move || {
        runtime.block_on(async {
            use SignalKind as Kind;
            let kinds = [
                Kind::interrupt(),
                Kind::terminate(),
                Kind::hangup(),
                Kind::quit(),
                Kind::user_defined1(),
                Kind::user_defined2(),
            ];
            let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup), Ok(mut quit), Ok(mut one), Ok(mut two)] =
                kinds.map(signal)
            else {
                return;
            };
            let _ = ready.send(());
            let Ok(pid) = pid.recv() else { return };
            loop {
                let signal = tokio::select! {
                    _ = interrupt.recv() => Signal::INT,
                    _ = terminate.recv() => Signal::TERM,
                    _ = hangup.recv() => Signal::HUP,
                    _ = quit.recv() => Signal::QUIT,
                    _ = one.recv() => Signal::USR1,
                    _ = two.recv() => Signal::USR2,
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
    Ok(started)
}

/// Passes bytes on as they come, and reports whole lines before they arrive: what answers one is always recorded after it.
fn pass(mut from: impl Read, mut to: impl Write, who: &'static str, seen: &Reporter) {
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
            if part.last() == Some(&b'\n') {
                // What it takes to write it down is no time of the conversation.
                let now = SystemTime::now();
                if seen.send(Seen::Line(who, std::mem::take(&mut line), now)).is_err() {
                    return;
                }
            }
        }
        if to.write_all(bytes).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
    if !line.is_empty() {
        let _ = seen.send(Seen::Line(who, line, SystemTime::now()));
    }
}

fn write_down(file: File, wanted: &Receiver<Seen>, room: &Room) -> std::io::Result<()> {
    let _open = Open(room);
    let mut out = BufWriter::new(file);
    let mut next = wanted.recv().ok();
    while let Some(seen) = next {
        let at = if let Seen::Line(.., at) = &seen { *at } else { SystemTime::now() };
        let time = at.duration_since(UNIX_EPOCH).map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        let mut line = Line { time, direction: "rootwise", message: None, text: None, start: None, end: None };
        let bytes = match seen {
            Seen::Line(from, bytes, _) => {
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
        let taken = bytes.len();
        // Without the end of its line.
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if line.direction != "rootwise" {
            line.message = serde_json::from_slice(bytes).ok();
            if line.message.is_none() {
                line.text = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        serde_json::to_writer(&mut out, &line)?;
        room.leave(taken);
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
#[allow(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a test stops at the first surprise")]
mod tests {
    use std::io::Write;
    use std::sync::Arc;
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::{Duration, SystemTime};

    use super::{MAX_WAITING_BYTES, Reporter, Seen, pass, write_down};

    /// A receiver that answers at once: whatever it gets must have been reported.
    struct Peer<'p>(&'p Receiver<Seen>);

    impl Write for Peer<'_> {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            for _ in bytes.iter().filter(|byte| **byte == b'\n') {
                assert!(
                    matches!(self.0.try_recv(), Ok(Seen::Line("client", ..))),
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
        let seen = Reporter { seen, room: Arc::default() };
        pass(&b"one\ntwo\nthr"[..], Peer(&wanted), "client", &seen);
        assert!(matches!(wanted.try_recv(), Ok(Seen::Line("client", rest, _)) if rest == b"thr"));
    }

    #[test]
    fn what_waits_is_bounded_by_bytes_and_keeps_the_time_at_which_it_was_seen() {
        let (seen, wanted) = sync_channel(1_024);
        let seen = Reporter { seen, room: Arc::default() };
        let at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234);
        let room = seen.room.clone();
        let sending = std::thread::spawn(move || {
            for _ in 0..20 {
                if seen.send(Seen::Line("client", vec![b'x'; 2 << 20], at)).is_err() {
                    return;
                }
            }
        });
        // Twenty lines are fewer than may wait, and more than the bytes that may.
        std::thread::sleep(Duration::from_millis(200));
        assert!(!sending.is_finished() && *room.used.lock().unwrap() <= MAX_WAITING_BYTES);
        let file = tempfile::NamedTempFile::new().unwrap();
        write_down(file.reopen().unwrap(), &wanted, &room).unwrap();
        sending.join().unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with(r#"{"time":1234,"#)).count(), 20);
    }
}
