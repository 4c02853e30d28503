//! Paths inside folders, on a disk that changes meanwhile.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rootwise::Policy;
use rootwise::event::RequestFacts;
use rootwise::host::Transport;
use rootwise_host::{host_facts, resolve_and_explain, resolve_inside};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rootwise-paths-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder.canonicalize().unwrap())
    }

    fn make(&self, name: &str) -> PathBuf {
        let folder = self.0.join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Left behind is better than a second panic.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_link_that_turns_while_a_path_is_examined_never_leads_outside() {
    let folder = Folder::new("race");
    let (allowed, inside, outside) = (folder.make("allowed"), folder.make("allowed/inside"), folder.make("outside"));
    for place in [&inside, &outside] {
        fs::write(place.join("file"), "").unwrap();
    }
    let (link, next) = (allowed.join("link"), folder.0.join("next"));
    symlink(&inside, &link).unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let turning = {
        let (done, link, targets) = (done.clone(), link.clone(), [outside, inside.clone()]);
        std::thread::spawn(move || {
            for target in targets.iter().cycle() {
                if done.load(Ordering::Relaxed) {
                    return;
                }
                symlink(target, &next).unwrap();
                fs::rename(&next, &link).unwrap();
            }
        })
    };
    let until = Instant::now().checked_add(Duration::from_secs(2)).unwrap();
    let (mut found, mut refused) = (0_u32, 0_u32);
    while Instant::now() < until || found == 0 || refused == 0 {
        for name in ["file", "new/file"] {
            match resolve_inside(&[&allowed], link.join(name).to_str().unwrap(), None) {
                Ok(real) => {
                    assert_eq!(real, inside.join(name), "what is returned was checked");
                    found = found.saturating_add(1);
                }
                Err(refusal) => {
                    assert!(["outside", "unreadable"].contains(&refusal.code()), "{refusal:?}");
                    refused = refused.saturating_add(1);
                }
            }
        }
        assert!(Instant::now() < until.checked_add(Duration::from_secs(20)).unwrap(), "{found} {refused}");
    }
    done.store(true, Ordering::Relaxed);
    turning.join().unwrap();
}

#[test]
fn a_long_path_is_refused_and_a_deep_one_costs_little() {
    let folder = Folder::new("long");
    let code = |path: &str| resolve_inside(&[&folder.0], path, Some(&folder.0)).unwrap_err();
    let refusal = code(&"a/".repeat(20_000));
    assert_eq!(refusal.code(), "invalid");
    assert!(refusal.message.starts_with("The path has 40000 characters, and no path"), "{refusal}");
    let deep = "a/".repeat(1_500);
    let real = resolve_inside(&[&folder.0], &deep, Some(&folder.0)).unwrap();
    assert_eq!(real, folder.0.join(deep.trim_end_matches('/')));
}

#[test]
fn a_refusal_shows_folders_safely_and_not_all_of_them() {
    let strange = PathBuf::from("/srv/a\u{202e}b\u{7}c\nd");
    let message = resolve_inside(&[&strange], "/etc", None).unwrap_err().message;
    assert_eq!(
        message,
        "The path is outside the allowed folders, which are /srv/abc d. Pass a path inside one of them."
    );
    let many: Vec<String> = (0..400).map(|number| format!("/srv/{}/{number}", "x".repeat(80))).collect();
    let message = resolve_inside(&many, "/etc", None).unwrap_err().message;
    assert!(message.len() < 1_200 && message.contains(" more. "), "{message}");
}

/// Runs this test again in a process that was started this way.
fn again(change: impl FnOnce(&mut Command)) -> bool {
    if std::env::var_os("ROOTWISE_AGAIN").is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", std::thread::current().name().unwrap(), "--nocapture"]).env("ROOTWISE_AGAIN", "1");
    change(&mut command);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    false
}

#[test]
fn names_that_are_not_utf_8_are_refused_and_never_another_folder() {
    let folder = Folder::new("bytes");
    let strange = folder.0.join(OsStr::from_bytes(b"a\xff"));
    // What a lossy reading would make of it.
    let other = folder.make("a\u{fffd}");
    for place in [&strange, &other] {
        fs::create_dir_all(place.join(".git")).unwrap();
    }
    symlink(&strange, folder.0.join("link")).unwrap();
    let changed = |command: &mut Command| {
        for name in ["HOME", "TMPDIR", "ROOTWISE_PROJECT", "CLAUDE_PROJECT_DIR"] {
            command.env(name, &strange);
        }
        command.current_dir(&strange).env("ROOTWISE_LINK", folder.0.join("link"));
    };
    if !again(changed) {
        return;
    }
    let policy = Arc::new(Policy::recommended());
    let host = host_facts(Transport::Stdio, &policy);
    assert_eq!(host.cwd, None);
    let at_start = resolve_and_explain(policy.clone(), host.clone(), RequestFacts::default()).unwrap();
    assert_ne!(at_start.project.map(|project| project.path.clone()), Ok(other.to_str().map(str::to_owned)));
    // A folder behind a link is a project by the spelling of the link.
    let mut host = host;
    host.env.clear();
    let link = std::env::var("ROOTWISE_LINK").unwrap();
    host.arguments.insert("project".into(), link.clone());
    let at_start = resolve_and_explain(policy, host, RequestFacts::default()).unwrap();
    let project = at_start.project.unwrap();
    assert_eq!((project.path.as_deref(), &project.real_path), (Some(&*link), &None));
    let file = resolve_inside(&[Path::new(&link)], "file", Some(Path::new(&link))).unwrap();
    assert!(file.as_os_str().as_bytes().ends_with(b"a\xff/file"), "{}", file.display());
}
