//! Lines in and out: bounded, in order, and as the bytes that came.

use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{Notify, mpsc};

/// Bytes of the longest message.
pub(crate) const MAX_LINE: usize = 64 << 20;
/// Bytes that may wait for a slow reader before its writer is slowed down as well.
const MAX_QUEUED: usize = 1 << 20;

/// How much waits to be written.
#[derive(Default)]
pub(crate) struct Gauge {
    bytes: AtomicUsize,
    /// Lines that were taken out, which shows that somebody reads.
    taken: AtomicUsize,
    room: Notify,
}

impl Gauge {
    fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(crate) fn remove(&self, bytes: usize) {
        self.taken.fetch_add(1, Ordering::AcqRel);
        let before = self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        if before >= MAX_QUEUED && before.saturating_sub(bytes) < MAX_QUEUED {
            self.room.notify_waiters();
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.bytes.load(Ordering::Acquire) < MAX_QUEUED
    }

    /// Waits until more may be written.
    pub(crate) async fn room(&self) {
        loop {
            let room = self.room.notified();
            if self.has_room() {
                return;
            }
            room.await;
        }
    }

    /// The same, unless nobody reads for this long; says whether there is room.
    pub(crate) async fn room_within(&self, patience: Duration) -> bool {
        loop {
            let taken = self.taken.load(Ordering::Acquire);
            if tokio::time::timeout(patience, self.room()).await.is_ok() {
                return true;
            }
            if self.taken.load(Ordering::Acquire) == taken {
                return false;
            }
        }
    }
}

/// Writes without waiting, where nothing is queued: a line that need not change threads arrives sooner.
#[cfg(unix)]
pub(crate) struct Shortcut {
    stream: std::os::fd::OwnedFd,
    way: Way,
}

/// How a stream takes what it can take at once.
#[cfg(unix)]
#[derive(Clone, Copy)]
enum Way {
    /// It never blocks.
    Plain,
    Socket,
    /// A pipe that may block, on a system where one write need not.
    #[cfg(target_os = "linux")]
    Pipe,
    /// It is asked first whether it takes anything.
    Asking,
}

#[cfg(unix)]
impl Shortcut {
    /// To a stream that may block.
    pub(crate) fn to(stream: impl std::os::fd::AsFd) -> Option<Self> {
        let stream = stream.as_fd().try_clone_to_owned().ok()?;
        let way = match rustix::net::sockopt::socket_type(&stream) {
            Ok(_) => Way::Socket,
            #[cfg(target_os = "linux")]
            Err(_) => Way::Pipe,
            #[cfg(not(target_os = "linux"))]
            Err(_) => Way::Asking,
        };
        Some(Self { stream, way })
    }

    /// To the input of a server, which never blocks: nobody else has this end of it.
    pub(crate) fn to_server(stream: &tokio::process::ChildStdin) -> Option<Self> {
        Some(Self { way: Way::Plain, ..Self::to(stream)? })
    }

    /// Writes as much as possible at once; returns how much that is.
    fn write(&mut self, line: &[u8]) -> usize {
        match self.way {
            Way::Plain => rustix::io::write(&self.stream, line).unwrap_or(0),
            Way::Socket => rustix::net::send(&self.stream, line, rustix::net::SendFlags::DONTWAIT).unwrap_or(0),
            #[cfg(target_os = "linux")]
            Way::Pipe => {
                use rustix::io::{Errno, ReadWriteFlags, pwritev2};

                let whole = [std::io::IoSlice::new(line)];
                // This offset stands for the place of the stream.
                match pwritev2(&self.stream, &whole, u64::MAX, ReadWriteFlags::NOWAIT) {
                    Ok(written) => written,
                    Err(Errno::AGAIN | Errno::PIPE) => 0,
                    // An older system, or a stream of another kind.
                    Err(_) => {
                        self.way = Way::Asking;
                        self.write(line)
                    }
                }
            }
            Way::Asking => self.write_if_asked(line),
        }
    }

    fn write_if_asked(&self, line: &[u8]) -> usize {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        // A pipe that can be written to takes this much, and no other thread fills it meanwhile.
        if line.len() > MAX_AT_ONCE {
            return 0;
        }
        let mut fds = [PollFd::new(&self.stream, PollFlags::OUT)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let is_writable = poll(&mut fds, Some(&now)).is_ok_and(|ready| ready == 1)
            && fds.first().is_some_and(|fd| fd.revents() == PollFlags::OUT);
        if is_writable { rustix::io::write(&self.stream, line).unwrap_or(0) } else { 0 }
    }
}

/// Bytes that a pipe takes as a whole (`PIPE_BUF` on Linux; the least that POSIX allows is less, and then the rest is queued).
#[cfg(unix)]
const MAX_AT_ONCE: usize = 4_096;

/// Other systems have no streams that say how much they take.
#[cfg(not(unix))]
pub(crate) struct Shortcut;

#[cfg(not(unix))]
impl Shortcut {
    pub(crate) fn to<T>(_stream: T) -> Option<Self> {
        None
    }

    pub(crate) fn to_server<T>(_stream: T) -> Option<Self> {
        None
    }

    fn write(&mut self, _line: &[u8]) -> usize {
        0
    }
}

/// Where lines wait to be written. Whoever writes into it waits for [`Gauge::room`] before it reads the next line, so that it holds
/// little more than [`MAX_QUEUED`].
#[derive(Clone)]
pub(crate) struct Outbox {
    lines: mpsc::UnboundedSender<Bytes>,
    pub(crate) gauge: Arc<Gauge>,
    /// Locked while a line is written or queued, so that no two of them mix.
    shortcut: Arc<Mutex<Option<Shortcut>>>,
}

/// The other end of an outbox.
pub(crate) struct Queue {
    pub(crate) lines: mpsc::UnboundedReceiver<Bytes>,
    pub(crate) gauge: Arc<Gauge>,
}

impl Outbox {
    pub(crate) fn new(gauge: Arc<Gauge>, shortcut: Option<Shortcut>) -> (Self, Queue) {
        let (sender, lines) = mpsc::unbounded_channel();
        let shortcut = Arc::new(Mutex::new(shortcut));
        (Self { lines: sender, gauge: gauge.clone(), shortcut }, Queue { lines, gauge })
    }

    /// Says whether somebody reads.
    pub(crate) fn push(&self, mut line: Bytes) -> bool {
        let mut shortcut = self.shortcut.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shortcut) = shortcut.as_mut()
            && !line.is_empty()
            && self.gauge.bytes.load(Ordering::Acquire) == 0
        {
            // Nothing is queued, and what was is written.
            let _ = line.split_to(shortcut.write(&line).min(line.len()));
            if line.is_empty() {
                return true;
            }
        }
        let bytes = line.len();
        self.gauge.add(bytes);
        let is_read = self.lines.send(line).is_ok();
        if !is_read {
            self.gauge.remove(bytes);
        }
        is_read
    }

    pub(crate) fn is_read(&self) -> bool {
        !self.lines.is_closed()
    }

    /// Nothing follows: the writer ends when it has written everything.
    pub(crate) fn finish(&self) {
        self.push(Bytes::new());
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.lines.close();
        while let Ok(line) = self.lines.try_recv() {
            self.gauge.remove(line.len());
        }
    }
}

/// Writes to the client on a thread of its own, because the standard output blocks. Ends when the outbox is gone, or the client is.
pub(crate) fn write_to_client(mut queue: Queue, gone: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut out = std::io::BufWriter::with_capacity(64 << 10, std::io::stdout().lock());
        while let Some(line) = queue.lines.blocking_recv().filter(|line| !line.is_empty()) {
            let written = out.write_all(&line).and_then(|()| if queue.lines.is_empty() { out.flush() } else { Ok(()) });
            queue.gauge.remove(line.len());
            if written.is_err() {
                return gone();
            }
        }
        let _ = out.flush();
    })
}

/// What was left when a stream ended.
pub(crate) enum Rest {
    /// The part of a line.
    Part(Vec<u8>),
    /// A line that is too long.
    TooLong,
}

/// Reads lines until the stream ends; blocks.
pub(crate) fn read_lines(input: impl Read, mut each: impl FnMut(Bytes)) -> Rest {
    let mut input = std::io::BufReader::with_capacity(64 << 10, input);
    let most = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
    loop {
        let mut line = Vec::new();
        let read = Read::take(&mut input, most).read_until(b'\n', &mut line);
        match read {
            _ if line.last() == Some(&b'\n') => each(line.into()),
            Ok(bytes) if bytes >= MAX_LINE => return Rest::TooLong,
            Ok(_) | Err(_) => return Rest::Part(line),
        }
    }
}

/// Reads from the client until it ends; blocks.
pub(crate) fn read_from_client(mut each: impl FnMut(Bytes)) {
    match read_lines(std::io::stdin().lock(), &mut each) {
        Rest::Part(line) if line.is_empty() => {}
        // What remains without an end of line is a message too.
        Rest::Part(mut line) => {
            line.push(b'\n');
            each(line.into());
        }
        Rest::TooLong => crate::run::shell::log("the client sent a message that is too long"),
    }
}
