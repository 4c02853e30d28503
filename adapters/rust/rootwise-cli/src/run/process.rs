//! The processes of the server.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::lines::{Queue, Rest, read_lines};
use super::place::Place;
use super::router::End;
use super::shell::log;

/// How the server is started.
pub(crate) struct Command {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Whether the server gets roots as the client spells them, so that it needs the path map itself.
    pub(crate) maps_paths: bool,
}

/// What a process is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Control {
    /// A signal that it may handle.
    Signal(i32),
    Kill,
}

/// How long the output of a process that ended may still come: another process may hold it open.
const LAST_WORDS: Duration = Duration::from_secs(1);

impl Command {
    /// Starts the server in its place.
    pub(crate) fn spawn(&self, place: &Place) -> std::io::Result<Child> {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(self.args.iter().map(|word| place.fill(word)));
        for (name, value) in std::env::vars_os() {
            let filled = place.fill(&value);
            if filled != value {
                command.env(name, filled);
            }
        }
        // A server that is this program too was not started by that.
        command.env_remove(crate::program::LAUNCHER);
        if !self.maps_paths {
            command.env_remove("ROOTWISE_PATH_MAP");
        }
        command.env("PWD", &place.folder).current_dir(&place.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).kill_on_drop(true);
        // A group of its own, so that a signal also reaches what a launcher such as npx has started.
        #[cfg(unix)]
        command.process_group(0);
        command.spawn()
    }
}

/// Writes what waits for a server to its input, and closes it at the end; says whether it could.
pub(crate) async fn write(mut stdin: ChildStdin, mut queue: Queue) -> bool {
    while let Some(line) = queue.lines.recv().await {
        let written = stdin.write_all(&line).await;
        queue.gauge.remove(line.len());
        if written.is_err() {
            return false;
        }
    }
    let _ = stdin.shutdown().await;
    true
}

/// Reads the lines of a server to the end of its output; an error is a line that is too long. Blocks: a thread that waits for one
/// stream hears of it sooner than one that waits for many.
pub(crate) fn read(stdout: ChildStdout, line: impl FnMut(bytes::Bytes)) -> Result<(), String> {
    #[cfg(unix)]
    let stdout = stdout.into_owned_fd();
    #[cfg(windows)]
    let stdout = stdout.into_owned_handle();
    let stdout = stdout.map_err(|error| format!("has an output that cannot be read ({error})"))?;
    match read_lines(std::fs::File::from(stdout), line) {
        Rest::Part(part) if part.is_empty() => Ok(()),
        Rest::Part(part) => {
            let bytes = part.len();
            log(format_args!("the last {bytes} bytes of a server are no whole message and were left out"));
            Ok(())
        }
        Rest::TooLong => Err(format!("sent a message of more than {} bytes", super::lines::MAX_LINE)),
    }
}

/// Waits for the end of a process and of what it says, and passes signals on.
pub(crate) async fn watch(
    mut child: Child,
    mut controls: mpsc::UnboundedReceiver<Control>,
    reading: oneshot::Receiver<()>,
) -> End {
    let began = Instant::now();
    let mut is_controlled = true;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            control = controls.recv(), if is_controlled => match control {
                Some(control) => tell(&mut child, control),
                None => is_controlled = false,
            },
        }
    };
    let _ = tokio::time::timeout(LAST_WORDS, reading).await;
    match status {
        Ok(status) => end_of(status, began.elapsed()),
        Err(error) => End { code: 1, how: format!("cannot be observed ({error})"), lived: began.elapsed() },
    }
}

fn tell(child: &mut Child, control: Control) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
        let signal = match control {
            Control::Signal(number) => Signal::from_named_raw(number).unwrap_or(Signal::TERM),
            Control::Kill => Signal::KILL,
        };
        if let Some(pid) = pid {
            // It may have ended meanwhile.
            let _ = kill_process_group(pid, signal);
        }
    }
    #[cfg(not(unix))]
    {
        let _ = (control, child.start_kill());
    }
}

fn end_of(status: ExitStatus, lived: Duration) -> End {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        if let Some(signal) = status.signal() {
            return End { code: 128_i32.saturating_add(signal), how: format!("was ended by signal {signal}"), lived };
        }
    }
    let code = status.code().unwrap_or(1);
    End { code, how: format!("ended with status {code}"), lived }
}
