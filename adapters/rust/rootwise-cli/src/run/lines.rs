//! Lines in and out: bounded, in order, and as the bytes that came.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncBufRead, AsyncBufReadExt};
use tokio::sync::{Notify, mpsc};

/// Bytes of the longest message.
pub(crate) const MAX_LINE: usize = 64 << 20;
/// Bytes that may wait for a slow reader before its writer is slowed down as well.
const MAX_QUEUED: usize = 1 << 20;

/// How much waits to be written.
#[derive(Default)]
pub(crate) struct Gauge {
    bytes: AtomicUsize,
    room: Notify,
}

impl Gauge {
    fn add(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::AcqRel);
    }

    pub(crate) fn remove(&self, bytes: usize) {
        let before = self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        if before >= MAX_QUEUED && before.saturating_sub(bytes) < MAX_QUEUED {
            self.room.notify_waiters();
        }
    }

    /// Waits until more may be written.
    pub(crate) async fn room(&self) {
        loop {
            let room = self.room.notified();
            if self.bytes.load(Ordering::Acquire) < MAX_QUEUED {
                return;
            }
            room.await;
        }
    }
}

/// Where lines wait to be written. Whoever writes into it waits for [`Gauge::room`] before it reads the next line, so that it holds
/// little more than [`MAX_QUEUED`].
#[derive(Clone)]
pub(crate) struct Outbox {
    lines: mpsc::UnboundedSender<Bytes>,
    pub(crate) gauge: Arc<Gauge>,
}

/// The other end of an outbox.
pub(crate) struct Queue {
    pub(crate) lines: mpsc::UnboundedReceiver<Bytes>,
    pub(crate) gauge: Arc<Gauge>,
}

impl Outbox {
    pub(crate) fn new(gauge: Arc<Gauge>) -> (Self, Queue) {
        let (sender, lines) = mpsc::unbounded_channel();
        (Self { lines: sender, gauge: gauge.clone() }, Queue { lines, gauge })
    }

    pub(crate) fn push(&self, line: Bytes) {
        let bytes = line.len();
        self.gauge.add(bytes);
        if self.lines.send(line).is_err() {
            // Nobody reads any more.
            self.gauge.remove(bytes);
        }
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

/// Reads from the client on a thread of its own, because the standard input blocks.
pub(crate) fn read_from_client() -> mpsc::Receiver<Bytes> {
    let (sender, lines) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut input = std::io::BufReader::with_capacity(64 << 10, std::io::stdin().lock());
        loop {
            let mut line = Vec::new();
            // What remains without an end of line is a message too.
            match std::io::Read::take(&mut input, u64::try_from(MAX_LINE).unwrap_or(u64::MAX))
                .read_until(b'\n', &mut line)
            {
                Ok(0) | Err(_) => return,
                Ok(bytes) if bytes >= MAX_LINE => {
                    return crate::run::shell::log("the client sent a message that is too long");
                }
                Ok(_) => {}
            }
            if line.last() != Some(&b'\n') {
                line.push(b'\n');
            }
            if sender.blocking_send(line.into()).is_err() {
                return;
            }
        }
    });
    lines
}

/// What was read.
pub(crate) enum Line {
    Whole(Bytes),
    /// The stream ended, after this much of a line.
    End(usize),
    TooLong,
}

/// Reads one line of a server. Can be dropped and called again: what was read stays in `part`.
pub(crate) async fn read_line(input: &mut (impl AsyncBufRead + Unpin), part: &mut BytesMut) -> Line {
    loop {
        let Ok(found) = input.fill_buf().await else { return Line::End(part.len()) };
        if found.is_empty() {
            return Line::End(part.len());
        }
        let (taken, is_whole) = match found.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at.saturating_add(1), true),
            None => (found.len(), false),
        };
        part.extend_from_slice(found.get(..taken).unwrap_or_default());
        input.consume(taken);
        if is_whole {
            return Line::Whole(part.split().freeze());
        }
        if part.len() > MAX_LINE {
            return Line::TooLong;
        }
    }
}
