//! Probes of the disk.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rootwise::Policy;
use rootwise::action::ProbePath;
use rootwise::event::{EntryKind, ProbedPath};

use crate::nearest;

/// Examines paths on disk. A path that cannot be examined is `missing` or `unreadable`. Blocks: a slow disk delays the
/// thread that calls it.
#[must_use]
pub fn probe(paths: &[ProbePath]) -> Vec<ProbedPath> {
    paths.iter().map(probe_one).collect()
}

/// How long a disk check may take, so that what it found still reaches the caller in time.
pub(crate) fn patience(policy: &Policy) -> Duration {
    Duration::from_millis(u64::from(policy.config().timing.caller_timeout_ms) / 2)
}

/// A path that takes longer than this does not delay the next one.
const STALL: Duration = Duration::from_millis(50);

/// Examines paths as [`probe`] does, on other threads, and returns what it knows when the time is over. A path that does not
/// answer is left out; while it does not, later looks leave it out at once and occupy no further thread.
pub(crate) fn look(paths: Vec<ProbePath>, patience: Duration) -> Vec<ProbedPath> {
    look_with(paths, patience, probe_one)
}

fn look_with(paths: Vec<ProbePath>, patience: Duration, examine: fn(&ProbePath) -> ProbedPath) -> Vec<ProbedPath> {
    let until = Instant::now().checked_add(patience);
    let paths: Arc<[ProbePath]> = paths.into_iter().filter(|wanted| !in_progress().hangs(&wanted.path)).collect();
    let next = Arc::new(AtomicUsize::new(0));
    let (sender, receiver) = mpsc::channel();
    let start = || {
        let (paths, next, sender) = (paths.clone(), next.clone(), sender.clone());
        let work = move || {
            while let Some(wanted) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                let started = in_progress().start(&wanted.path, until);
                let found = examine(wanted);
                in_progress().end(started);
                if sender.send(found).is_err() {
                    return;
                }
            }
        };
        // Without a thread the paths stay unknown, and the next look tries again.
        let _ = thread::Builder::new().name("rootwise-probe".into()).spawn(work);
    };
    let mut found = Vec::with_capacity(paths.len());
    if !paths.is_empty() {
        start();
    }
    while found.len() < paths.len() {
        let left = until.map_or(patience, |until| until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            break;
        }
        match receiver.recv_timeout(left.min(STALL)) {
            Ok(path) => found.push(path),
            Err(RecvTimeoutError::Timeout) if next.load(Ordering::Relaxed) < paths.len() => start(),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    found
}

/// Does work on a path on another thread; nothing if it takes too long, or if earlier work on that path still does.
pub(crate) fn in_time<T: Send + 'static>(
    path: &str,
    patience: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Option<T> {
    if in_progress().hangs(path) {
        return None;
    }
    let (sender, receiver) = mpsc::channel();
    let started = in_progress().start(path, Instant::now().checked_add(patience));
    let ended = started.clone();
    let work = move || {
        let done = work();
        in_progress().end(ended);
        // The caller may be gone already.
        let _ = sender.send(done);
    };
    if thread::Builder::new().name("rootwise-probe".into()).spawn(work).is_err() {
        in_progress().end(started);
        return None;
    }
    receiver.recv_timeout(patience).ok()
}

/// The paths that threads of this process examine now, with the time at which an answer is late.
struct InProgress {
    paths: BTreeMap<(String, u64), Option<Instant>>,
    last: u64,
}

impl InProgress {
    fn start(&mut self, path: &str, until: Option<Instant>) -> (String, u64) {
        self.last = self.last.wrapping_add(1);
        let look = (path.to_owned(), self.last);
        self.paths.insert(look.clone(), until);
        look
    }

    fn end(&mut self, look: (String, u64)) {
        self.paths.remove(&look);
    }

    fn hangs(&self, path: &str) -> bool {
        let same = self.paths.range((path.to_owned(), 0)..=(path.to_owned(), u64::MAX));
        same.into_iter().any(|(_, late)| late.is_some_and(|late| late <= Instant::now()))
    }
}

fn in_progress() -> MutexGuard<'static, InProgress> {
    static IN_PROGRESS: Mutex<InProgress> = Mutex::new(InProgress { paths: BTreeMap::new(), last: 0 });
    IN_PROGRESS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn probe_one(ProbePath { path, markers, nearest, files, .. }: &ProbePath) -> ProbedPath {
    let found = kind_of(Path::new(path));
    let real_path = matches!(found, EntryKind::Directory | EntryKind::File).then(|| real_path(path)).flatten();
    let is_present = |name: &&String| found == EntryKind::Directory && Path::new(path).join(name).exists();
    let real = real_path.as_ref();
    let nearest = nearest.as_ref().zip(real).and_then(|(find, real)| nearest::find(real, find));
    let files = files.as_ref().zip(real.filter(|_| found == EntryKind::Directory));
    ProbedPath::new(path.clone(), found)
        .markers(markers.iter().filter(is_present).cloned().collect())
        .nearest(nearest)
        .files(files.map_or_else(BTreeMap::new, |(files, folder)| nearest::read(folder, files)))
        .real_path(real_path)
}

/// The kind of the entry at a path.
pub(crate) fn kind_of(path: &Path) -> EntryKind {
    match path.metadata() {
        Ok(entry) if entry.is_dir() => EntryKind::Directory,
        Ok(_) => EntryKind::File,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => EntryKind::Missing,
        Err(_) => EntryKind::Unreadable,
    }
}

/// The path with all links resolved, if it can be examined and is text.
pub(crate) fn real_path(path: impl AsRef<Path>) -> Option<String> {
    path.as_ref().canonicalize().ok()?.into_os_string().into_string().ok()
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]
mod tests {
    use super::*;

    fn wanted(path: &Path, markers: &[&str]) -> ProbePath {
        let wanted = serde_json::json!({ "path": path, "markers": markers });
        serde_json::from_value(wanted).unwrap()
    }

    #[test]
    fn tells_folders_files_links_and_nothing_apart() {
        let folder = tempfile("disk");
        std::fs::create_dir(folder.join("app")).unwrap();
        std::fs::write(folder.join("app/.git"), "gitdir: elsewhere").unwrap();
        std::os::unix::fs::symlink(folder.join("app"), folder.join("link")).unwrap();
        let paths = [
            wanted(&folder.join("link"), &[".git", "Cargo.toml"]),
            wanted(&folder.join("app/.git"), &[]),
            wanted(&folder.join("none"), &[".git"]),
            wanted(&folder.join("app/.git/below-a-file"), &[]),
            wanted(Path::new("a\0b"), &[]),
        ];
        let [link, file, none, below, strange] = probe(&paths).try_into().unwrap();
        assert_eq!((link.found, link.markers), (EntryKind::Directory, vec![".git".to_owned()]));
        assert_eq!(link.real_path, folder.join("app").to_str().map(str::to_owned));
        assert_eq!(file.found, EntryKind::File);
        assert_eq!((none.found, none.real_path, none.markers), (EntryKind::Missing, None, vec![]));
        assert_eq!(below.found, EntryKind::Missing);
        assert_eq!(strange.found, EntryKind::Unreadable);
        std::fs::remove_dir_all(folder).unwrap();
    }

    /// A disk on which one path does not answer before it may.
    static SLOW: Mutex<()> = Mutex::new(());

    fn examine(wanted: &ProbePath) -> ProbedPath {
        if wanted.path.ends_with("slow") {
            drop(SLOW.lock());
        }
        probe_one(wanted)
    }

    #[test]
    fn a_path_that_does_not_answer_spoils_no_other_and_occupies_one_thread() {
        let folder = tempfile("slow");
        let wanted = || ["slow", "a", "b"].map(|name| wanted(&folder.join(name), &[])).to_vec();
        let names = |found: Vec<ProbedPath>| {
            let mut names: Vec<String> =
                found.iter().map(|of| of.path.rsplit('/').next().unwrap_or_default().to_owned()).collect();
            names.sort();
            names
        };
        let hold = SLOW.lock().unwrap();
        assert_eq!(names(look_with(wanted(), Duration::from_millis(500), examine)), ["a", "b"]);
        for _ in 0..20 {
            assert_eq!(names(look_with(wanted(), Duration::from_secs(60), examine)), ["a", "b"], "at once");
        }
        let slow = folder.join("slow").to_str().unwrap().to_owned();
        assert_eq!(in_progress().paths.keys().filter(|(path, _)| *path == slow).count(), 1);
        drop(hold);
        // The thread needs a moment to see it.
        while in_progress().hangs(&slow) {
            thread::yield_now();
        }
        assert_eq!(names(look_with(wanted(), Duration::from_secs(60), examine)), ["a", "b", "slow"]);
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn tempfile(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("rootwise-host-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder.canonicalize().unwrap()
    }
}
