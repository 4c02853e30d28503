//! Files inside a project, on a disk with links, and on one that changes meanwhile.
#![cfg(unix)]
#![allow(missing_docs, clippy::unwrap_used, clippy::panic, reason = "a test stops at the first surprise")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rootwise::event::{Argument, RequestFacts};
use rootwise::host::Transport;
use rootwise::{Policy, Project};
use rootwise_host::{
    Access, OpenError, host_facts, open_file, resolve_and_explain, resolve_file, resolve_file_in_time,
};

struct Disk(PathBuf);

impl Disk {
    /// A project with a file, links inside it and out of it, and a secret beside it.
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rootwise-files-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("app/src")).unwrap();
        fs::create_dir_all(folder.join("outside")).unwrap();
        let disk = Self(folder.canonicalize().unwrap());
        fs::write(disk.at("app/src/a.txt"), "inside").unwrap();
        fs::write(disk.at("outside/a.txt"), "secret").unwrap();
        fs::write(disk.at("app/.git"), "").unwrap();
        for (to, link) in [
            ("app/src", "app/link"),
            ("outside", "app/out"),
            ("outside/a.txt", "app/src/out.txt"),
            ("gone", "app/src/dead"),
            ("app", "alias"),
        ] {
            symlink(disk.at(to), disk.at(link)).unwrap();
        }
        disk
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn project(&self, name: &str) -> Arc<Project> {
        let policy = Policy::recommended();
        let mut host = host_facts(Transport::Stdio, &policy);
        host.cwd = None;
        host.env.clear();
        let argument = Argument::from(self.at(name).to_str().unwrap());
        let found = resolve_and_explain(policy, host, RequestFacts::default().argument(Some(argument))).unwrap();
        found.project.unwrap()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Left behind is better than a second panic.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn links_are_followed_inside_the_project_and_never_out_of_it() {
    let disk = Disk::new("links");
    for name in ["app", "alias"] {
        let project = disk.project(name);
        for (file, real) in [
            ("src/a.txt", "app/src/a.txt"),
            ("link/a.txt", "app/src/a.txt"),
            ("link/../src/./a.txt", "app/src/a.txt"),
            ("new/folder/file", "app/new/folder/file"),
            ("link/new", "app/src/new"),
            (".", "app"),
        ] {
            assert_eq!(resolve_file(&project, file).unwrap(), disk.at(real), "{file}");
            let absolute = disk.at(name).join(file);
            assert_eq!(resolve_file(&*project, text(&absolute)).unwrap(), disk.at(real), "{}", absolute.display());
        }
        let outside = format!("The path is outside the project {}", text(&disk.at("app")));
        for (file, code, parts) in [
            ("out/a.txt", "outside", [&*outside, "out leads to", text(&disk.at("outside"))]),
            ("src/out.txt", "outside", [&*outside, "src/out.txt leads to", text(&disk.at("outside/a.txt"))]),
            ("src/dead", "outside", ["src/dead in the path is a link", "leads nowhere", text(&disk.at("gone"))]),
            ("src/a.txt/b", "not_directory", ["src/a.txt in the path is not a folder", "", ""]),
            ("../outside/a.txt", "outside", ["../outside/a.txt leads to", text(&disk.at("outside/a.txt")), ""]),
            ("a\0b", "invalid", ["null", "", ""]),
            ("", "invalid", ["empty", "", ""]),
            (r"C:\a", "other_system", ["", "", ""]),
        ] {
            let refusal = resolve_file(&project, file).unwrap_err();
            assert_eq!(refusal.code(), code, "{file:?}: {refusal}");
            for part in parts {
                assert!(refusal.message.contains(part), "{file:?}: {refusal} lacks {part}");
            }
        }
    }
}

#[test]
fn a_link_leads_where_the_system_goes_and_no_further() {
    let disk = Disk::new("chain");
    let project = disk.project("app");
    for number in 0..1_200 {
        symlink(format!("chain{}", number + 1), disk.at(&format!("app/chain{number}"))).unwrap();
    }
    symlink("src", disk.at("app/chain1200")).unwrap();
    symlink("src/a.txt/", disk.at("app/slash")).unwrap();
    assert_eq!(resolve_file(&project, "chain1190/a.txt").unwrap(), disk.at("app/src/a.txt"));
    for (file, code) in
        [("chain0", "unreadable"), ("chain0/a.txt", "unreadable"), ("chain1100", "unreadable"), ("slash", "outside")]
    {
        assert_eq!(resolve_file(&project, file).unwrap_err().code(), code, "{file}");
        assert!(open_file(&project, file, Access::Read).is_err(), "{file}");
    }
}

#[test]
fn the_project_is_what_was_verified_even_if_its_own_link_turns() {
    let disk = Disk::new("turned");
    let project = disk.project("alias");
    fs::remove_file(disk.at("alias")).unwrap();
    symlink(disk.at("outside"), disk.at("alias")).unwrap();
    let refusal = resolve_file(&project, "a.txt").unwrap_err();
    assert_eq!(refusal.code(), "outside");
    assert!(refusal.message.contains(&format!("{} leads to {}", text(&disk.at("alias")), text(&disk.at("outside")))));
    fs::remove_file(disk.at("alias")).unwrap();
    assert_eq!(resolve_file(&project, "a.txt").unwrap_err().code(), "missing");
}

#[test]
fn long_names_and_a_project_without_a_folder_are_refused() {
    let disk = Disk::new("long");
    let project = disk.project("app");
    assert_eq!(resolve_file(&project, &"a".repeat(1 << 20)).unwrap_err().code(), "invalid");
    assert!(resolve_file(&project, &"a".repeat(1 << 20)).unwrap_err().message.contains("1048576"));
    // A name that the disk does not take is an answer too.
    assert_eq!(resolve_file(&project, &"a".repeat(300)).unwrap_err().code(), "unreadable");
    let mut elsewhere = Project::clone(&project);
    (elsewhere.path, elsewhere.client_path) = (None, Some("/home/me/app".into()));
    assert_eq!(resolve_file(&elsewhere, "a").unwrap_err().code(), "other_machine");
    elsewhere.client_path = None;
    assert_eq!(resolve_file(&elsewhere, "a").unwrap_err().code(), "no_path");
    let policy = Policy::recommended();
    assert_eq!(resolve_file_in_time(project, "src/a.txt", &policy).unwrap(), disk.at("app/src/a.txt"));
}

#[test]
fn files_are_opened_for_what_is_asked() {
    let disk = Disk::new("open");
    let project = disk.project("app");
    let read = |file: &str| {
        let mut text = String::new();
        open_file(&project, file, Access::Read).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!((read("link/a.txt"), read("src/a.txt")), ("inside".into(), "inside".into()));
    open_file(&project, "link/new", Access::Create).unwrap().write_all(b"one").unwrap();
    assert!(matches!(open_file(&project, "src/new", Access::Create), Err(OpenError::Io(_))));
    open_file(&project, "src/new", Access::Append).unwrap().write_all(b"two").unwrap();
    assert_eq!(read("src/new"), "onetwo");
    open_file(&project, "src/new", Access::Write).unwrap().write_all(b"3").unwrap();
    assert_eq!(read("src/new"), "3");
    assert!(matches!(open_file(&project, "src/none", Access::Read), Err(OpenError::Io(_))));
    assert!(matches!(open_file(&project, "none/new", Access::Write), Err(OpenError::Io(_))));
    for file in ["out/a.txt", "src/out.txt", "../outside/a.txt", "src/dead"] {
        for access in [Access::Read, Access::Write, Access::Append, Access::Create] {
            assert!(matches!(open_file(&project, file, access), Err(OpenError::Refused(_))), "{file}");
        }
    }
    assert_eq!(fs::read_to_string(disk.at("outside/a.txt")).unwrap(), "secret");
}

#[test]
fn nobody_waits_for_the_other_end_of_a_pipe() {
    let disk = Disk::new("pipe");
    let project = disk.project("app");
    assert!(std::process::Command::new("mkfifo").arg(disk.at("app/pipe")).status().unwrap().success());
    for access in [Access::Read, Access::Write, Access::Append, Access::Create] {
        assert!(matches!(open_file(&project, "pipe", access), Err(OpenError::Io(_))), "{access:?}");
    }
    // A folder can be opened, as the project itself.
    for folder in [".", "src"] {
        assert!(open_file(&project, folder, Access::Read).unwrap().metadata().unwrap().is_dir());
        assert!(matches!(open_file(&project, folder, Access::Write), Err(OpenError::Io(_))));
    }
}

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(self.0 >> 33).unwrap().checked_rem(list.len()).unwrap();
        list.get(at).unwrap()
    }

    fn path(&mut self, names: &[&str], most: &[usize]) -> PathBuf {
        let count = *self.pick(most);
        (0..count).map(|_| *self.pick(names)).collect()
    }
}

/// A path without `.` and `..`, by its spelling.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
        plain
    })
}

#[test]
fn a_file_is_where_the_disk_has_it_however_that_changes() {
    let disk = Disk::new("changing");
    let project = disk.project("app");
    let (app, mut numbers) = (disk.at("app"), Numbers(28));
    let (mut found_there, mut outside, mut free, mut refused) = (0_u32, 0_u32, 0_u32, 0_u32);
    for _ in 0..3_000 {
        let top = *numbers.pick(&["app", "outside"]);
        let place = disk.at(top).join(numbers.path(&["a", "b", "c"], &[1, 2, 3]));
        let beside = numbers.path(&["a", "b", "c"], &[1, 2]);
        let targets = [app.clone(), disk.at("outside"), app.join(&beside), disk.at("outside").join(&beside)];
        let near = [PathBuf::from("."), "a".into(), "../a".into()];
        let target = numbers.pick(&[targets.as_slice(), &near].concat()).clone();
        let is_ours = |parent: PathBuf| parent != disk.0 && parent.starts_with(&disk.0);
        if place.parent().unwrap().canonicalize().is_ok_and(is_ours) {
            let _ = fs::remove_file(&place).or_else(|_| fs::remove_dir_all(&place));
            // Where a file or a loop is in the way, nothing changes.
            let _ = match *numbers.pick(&["folder", "file", "link", "link", "gone"]) {
                "folder" => fs::create_dir(&place),
                "file" => fs::write(&place, ""),
                "link" => symlink(&target, &place),
                _ => Ok(()),
            };
        }
        let file = numbers.path(&["a", "b", "c", "..", ".", "outside"], &[1, 2, 3, 4]);
        let (found, wanted) = (resolve_file(&project, text(&file)).ok(), plain(&app.join(&file)));
        if let Ok(there) = wanted.canonicalize() {
            // What is named outside stays there, also where a link leads back.
            let counts = wanted.starts_with(&app) && there.starts_with(&app);
            assert_eq!(found, counts.then_some(there), "{}", file.display());
            let count = if counts { &mut found_there } else { &mut outside };
            *count = count.saturating_add(1);
        } else if let Some(found) = found {
            // Nothing is there: what is found is free, and no link is on the way.
            assert!(found.starts_with(&app) && found.symlink_metadata().is_err(), "{}", found.display());
            let above = found.ancestors().find(|above| above.symlink_metadata().is_ok()).unwrap();
            assert_eq!(above.canonicalize().unwrap(), above);
            free = free.saturating_add(1);
        } else {
            refused = refused.saturating_add(1);
        }
    }
    assert!(
        [found_there, outside, free, refused].iter().all(|count| *count > 20),
        "{found_there} {outside} {free} {refused}"
    );
}

#[test]
fn nothing_outside_is_found_read_or_written_while_links_turn() {
    let disk = Disk::new("race");
    let project = disk.project("app");
    let done = Arc::new(AtomicBool::new(false));
    // A folder and a file on the way each turn between what is inside, what is outside, and no link at all.
    let turn = |name: &'static str, targets: [PathBuf; 2]| {
        let (done, link, next) = (done.clone(), disk.at(name), disk.at(&format!("next-{}", name.replace('/', "-"))));
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
    fs::write(disk.at("app/src/b.txt"), "inside").unwrap();
    let threads = [
        turn("app/turning", [disk.at("outside"), disk.at("app/src")]),
        turn("app/src/b.txt", [disk.at("outside/a.txt"), disk.at("app/src/a.txt")]),
    ];
    let until = Instant::now().checked_add(Duration::from_secs(2)).unwrap();
    let (mut good, mut refused) = (0_u32, 0_u32);
    while Instant::now() < until || good == 0 || refused == 0 {
        for file in ["turning/a.txt", "src/b.txt"] {
            match resolve_file(&project, file) {
                Ok(real) => assert!(real.starts_with(disk.at("app")), "{}", real.display()),
                Err(refusal) => assert!(["outside", "unreadable"].contains(&refusal.code()), "{refusal}"),
            }
            match open_file(&project, file, Access::Read) {
                Ok(mut opened) => {
                    let mut text = String::new();
                    opened.read_to_string(&mut text).unwrap();
                    assert_ne!(text, "secret");
                    good = good.saturating_add(1);
                }
                Err(_) => refused = refused.saturating_add(1),
            }
            if let Ok(mut opened) = open_file(&project, file, Access::Append) {
                opened.write_all(b".").unwrap();
            }
        }
        assert!(Instant::now() < until.checked_add(Duration::from_secs(20)).unwrap(), "{good} {refused}");
    }
    done.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(fs::read_to_string(disk.at("outside/a.txt")).unwrap(), "secret", "{good} opened, {refused} refused");
}
