//! Probes of the disk.

use std::io::ErrorKind;
use std::path::Path;

use rootwise::action::ProbePath;
use rootwise::event::{Found, ProbedPath};

/// Examines paths on disk. A path that cannot be examined is `missing` or `unreadable`. Blocks: a slow disk delays the
/// thread that calls it.
#[must_use]
pub fn probe(paths: &[ProbePath]) -> Vec<ProbedPath> {
    paths.iter().map(probe_one).collect()
}

fn probe_one(ProbePath { path, markers, .. }: &ProbePath) -> ProbedPath {
    let found = kind_of(Path::new(path));
    let real_path = matches!(found, Found::Directory | Found::File).then(|| real_path(path)).flatten();
    let is_present = |name: &&String| found == Found::Directory && Path::new(path).join(name).exists();
    ProbedPath { path: path.clone(), found, real_path, markers: markers.iter().filter(is_present).cloned().collect() }
}

/// The kind of the entry at a path.
fn kind_of(path: &Path) -> Found {
    match path.metadata() {
        Ok(entry) if entry.is_dir() => Found::Directory,
        Ok(_) => Found::File,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Found::Missing,
        Err(_) => Found::Unreadable,
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
        assert_eq!((link.found, link.markers), (Found::Directory, vec![".git".to_owned()]));
        assert_eq!(link.real_path, folder.join("app").to_str().map(str::to_owned));
        assert_eq!(file.found, Found::File);
        assert_eq!((none.found, none.real_path, none.markers), (Found::Missing, None, vec![]));
        assert_eq!(below.found, Found::Missing);
        assert_eq!(strange.found, Found::Unreadable);
        std::fs::remove_dir_all(folder).unwrap();
    }

    fn tempfile(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("rootwise-host-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder.canonicalize().unwrap()
    }
}
