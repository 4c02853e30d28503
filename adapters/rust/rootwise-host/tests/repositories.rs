//! Real repositories, made by git, and what only a hostile disk has.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test stops at the first surprise")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

use rootwise::project::{Project, Repository, RepositoryKind};
use rootwise::session::{RecoverRequest, SessionRecord, recover_session};
use rootwise::{HostFacts, PathStyle, Policy};
use rootwise_host::resolve_at_start;

/// A folder of its own, which ends with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Option<Self> {
        if Command::new("git").arg("--version").output().is_err() {
            eprintln!("left out: there is no git");
            return None;
        }
        let folder = env::temp_dir().join(format!("rootwise-repositories-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Some(Self(folder.canonicalize().unwrap()))
    }

    fn at(&self, path: &str) -> String {
        self.0.join(path).to_str().unwrap().to_owned()
    }

    fn git(&self, folder: &str, arguments: &[&str]) {
        let mut git = Command::new("git");
        for (name, value) in [("user.name", "t"), ("user.email", "t@example.org"), ("protocol.file.allow", "always")] {
            git.arg("-c").arg(format!("{name}={value}"));
        }
        let home = &self.0;
        git.env("HOME", home).env("GIT_CONFIG_NOSYSTEM", "1").env_remove("GIT_DIR");
        let done = git.current_dir(self.0.join(folder)).args(arguments).output().unwrap();
        assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    /// A repository with one commit.
    fn repository(&self, folder: &str) {
        fs::create_dir_all(self.0.join(folder).join("pkg")).unwrap();
        fs::write(self.0.join(folder).join("pkg/file"), "").unwrap();
        self.git(folder, &["init", "-q"]);
        self.git(folder, &["add", "."]);
        self.git(folder, &["commit", "-q", "-m", "first"]);
    }

    fn project(&self, identity: &str, folder: &str) -> Project {
        self.project_within(identity, folder, None)
    }

    fn project_within(&self, identity: &str, folder: &str, allowed: Option<&str>) -> Project {
        let policy = format!(
            r#"{{ "name": "test", "identity": "{identity}", "repository": "local", "packages": ["package.json"],
                "sources": [{{ "from": "configured", "read": ["project"] }}] }}"#
        );
        let mut host = HostFacts::new(PathStyle::native());
        host.arguments.insert("project".into(), self.at(folder));
        host.allowed_dirs = allowed.map(|dir| vec![self.at(dir)]);
        let found = resolve_at_start(Policy::from_json(&policy).unwrap(), host).unwrap();
        Project::clone(&found.expect("there is a project"))
    }

    fn found(&self, folder: &str) -> Option<Repository> {
        self.project("repository", folder).repository.map(|found| *found)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn other_again(place: &Place, worktree: &str) -> Project {
    place.project("repository", &format!("{worktree}/pkg"))
}

fn main_of(repository: &Repository) -> Option<&str> {
    repository.worktree.as_ref()?.main.as_deref()
}

#[test]
fn worktrees_share_the_identity_of_their_main_checkout() {
    let Some(place) = Place::new("worktree") else { return };
    place.repository("app");
    place.git("app", &["worktree", "add", "-q", "../fix"]);
    // As newer versions of git write it.
    place.git("app", &["worktree", "add", "-q", "../near"]);
    fs::write(place.at("near/.git"), "gitdir: ../app/.git/worktrees/near\n").unwrap();
    fs::write(place.at("app/.git/worktrees/near/gitdir"), "../../../../near/.git\n").unwrap();
    let main = place.project("repository", "app/pkg");
    assert_eq!(main.key, place.at("app/pkg"), "of an ordinary checkout it is the folder's");
    for name in ["fix", "near"] {
        let other = place.project("repository", &format!("{name}/pkg"));
        assert_eq!((&other.key, &other.id, &other.slug), (&main.key, &main.id, &main.slug));
        assert_eq!(other.path.as_deref(), Some(&*place.at(&format!("{name}/pkg"))));
        let found = other.repository.unwrap();
        assert_eq!((found.name.as_str(), found.inside.as_str()), ("app", "pkg"));
        assert_eq!((found.path.as_str(), main_of(&found)), (&*place.at(name), Some(&*place.at("app"))));
        assert!(!found.broken);
        let sessions = vec![SessionRecord::new("monday").project(main.key.as_str())];
        let recovered = recover_session(&RecoverRequest::new(sessions).project(&other_again(&place, name))).unwrap();
        assert_eq!(recovered.session_id.as_deref(), Some("monday"), "a session of the main checkout is found");
        let by_folder = place.project("folder", &format!("{name}/pkg"));
        assert_eq!(by_folder.key, place.at(&format!("{name}/pkg")));
        assert_eq!(by_folder.repository.unwrap().key, place.at("app"), "which it says without using it");
    }
}

#[test]
fn submodules_nested_and_bare_repositories_are_their_own() {
    let Some(place) = Place::new("nested") else { return };
    place.repository("lib");
    place.repository("app");
    place.git("app", &["submodule", "add", "-q", "../lib", "lib"]);
    let found = place.found("app/lib/pkg").unwrap();
    assert!(fs::metadata(place.at("app/lib/.git")).unwrap().is_file(), "as git makes it");
    assert_eq!((&found.key, found.inside.as_str(), found.broken), (&place.at("app/lib"), "pkg", false));

    place.git("app/lib", &["worktree", "add", "-q", "../../lib-fix"]);
    let fix = place.found("lib-fix/pkg").unwrap();
    assert_eq!(
        (&fix.key, fix.name.as_str(), main_of(&fix)),
        (&place.at("app/lib"), "lib", Some(&*place.at("app/lib")))
    );
    place.git("app/lib", &["sparse-checkout", "set", "pkg"]);
    assert_eq!(place.found("lib-fix").unwrap().key, place.at("app/lib"), "git moved core.worktree to config.worktree");
    fs::rename(place.at("app/lib"), place.at("app/away")).unwrap();
    assert_eq!(place.found("lib-fix").unwrap().key, format!("bare:{}", place.at("app/.git/modules/lib")));
    fs::rename(place.at("app/away"), place.at("app/lib")).unwrap();

    place.repository("app/pkg/inner");
    assert_eq!(place.found("app/pkg/inner/pkg").unwrap().key, place.at("app/pkg/inner"));
    assert_eq!(place.found("app/pkg").unwrap().key, place.at("app"));

    place.git(".", &["clone", "-q", "--bare", "app", "app.git"]);
    place.git("app.git", &["worktree", "add", "-q", "../tree"]);
    let tree = place.found("tree").unwrap();
    let key = format!("bare:{}", place.at("app.git"));
    assert_eq!((&tree.key, tree.name.as_str(), main_of(&tree)), (&key, "app", None));
    assert_eq!(place.project("repository", "tree/pkg").key, format!("{key}/pkg"));
    assert_eq!(place.found("app.git"), None, "a bare repository is no checkout");
    place.git(".", &["init", "-q", "--separate-git-dir", "data", "work"]);
    assert_eq!(place.found("work").unwrap().key, place.at("work"));
    place.git("work", &["commit", "-q", "--allow-empty", "-m", "first"]);
    place.git("work", &["worktree", "add", "-q", "../work-fix"]);
    let key = format!("bare:{}", place.at("data"));
    assert_eq!(place.found("work-fix").unwrap().key, key, "nothing there leads back to the first checkout");
}

/// Runs Mercurial, if it is there.
fn hg(folder: &Path, arguments: &[&str]) -> bool {
    let mut hg = Command::new("hg");
    hg.env("HGPLAIN", "1").env("HGRCPATH", "").env("HGUSER", "t").current_dir(folder).args(arguments);
    match hg.output() {
        Ok(done) => {
            assert!(done.status.success(), "hg {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
            true
        }
        Err(_) => {
            eprintln!("left out: there is no Mercurial");
            false
        }
    }
}

// Rule 71: `.hg/sharedpath` names the other repository, which knows nothing of it.
#[test]
fn a_shared_repository_of_mercurial_is_its_own() {
    let Some(place) = Place::new("mercurial") else { return };
    fs::create_dir_all(place.at("app/pkg")).unwrap();
    fs::write(place.at("app/pkg/file"), "").unwrap();
    if !hg(&place.0.join("app"), &["init"]) {
        return;
    }
    fs::write(place.at("app/.hg/hgrc"), "[paths]\ndefault = https://user:secret@example.org/acme/app\n").unwrap();
    hg(&place.0.join("app"), &["commit", "-q", "-A", "-m", "first"]);
    hg(&place.0, &["--config", "extensions.share=", "share", "-q", "app", "shared"]);
    assert!(fs::metadata(place.at("shared/.hg/sharedpath")).unwrap().is_file(), "as Mercurial makes it");
    for folder in ["app", "shared"] {
        let found = place.found(&format!("{folder}/pkg")).unwrap();
        assert_eq!((&found.key, found.kind, found.broken), (&place.at(folder), RepositoryKind::Hg, false));
        assert_eq!(place.project("remote", &format!("{folder}/pkg")).key, "remote:example.org/acme/app//pkg");
    }
}

// Written as Jujutsu 0.24 does: `jj git init`, `jj workspace add ../further`.
#[test]
fn a_further_workspace_of_jujutsu_is_its_own_and_has_the_remote_of_the_other() {
    let Some(place) = Place::new("jujutsu") else { return };
    let (store, data) = (place.0.join("app/.jj/repo/store"), place.0.join("app/.jj/repo/store/git"));
    for folder in ["app/.jj/working_copy", "app/.jj/repo/store/git", "further/.jj/working_copy", "further/pkg"] {
        fs::create_dir_all(place.0.join(folder)).unwrap();
    }
    place.git("app/.jj/repo/store/git", &["init", "-q", "--bare"]);
    place.git("app/.jj/repo/store/git", &["remote", "add", "origin", "git@example.org:acme/app.git"]);
    fs::write(store.join("type"), "git").unwrap();
    fs::write(store.join("git_target"), "git").unwrap();
    fs::write(place.0.join("further/.jj/repo"), "../../app/.jj/repo").unwrap();
    assert!(data.join("config").is_file());
    for folder in ["app", "further"] {
        let found = place.found(folder).unwrap();
        assert_eq!((&found.key, found.kind, found.worktree), (&place.at(folder), RepositoryKind::Jj, None));
        assert_eq!(place.project("remote", folder).key, "remote:example.org/acme/app");
    }
    // A list of the workspaces in the other repository changes nothing: Git checks out such files, so that anybody can write them.
    fs::create_dir_all(place.0.join("app/.jj/repo/workspace_store")).unwrap();
    fs::write(place.0.join("app/.jj/repo/workspace_store/index"), "\n\x20\n\x07further\x12\x15../../../further")
        .unwrap();
    assert_eq!(place.found("further").unwrap().key, place.at("further"));
    fs::write(place.0.join("further/.jj/repo"), "../../../../../../etc").unwrap();
    assert_eq!(place.project("remote", "further").key, place.at("further"), "without a remote the repository counts");
}

// As `jj workspace add --colocate ../further` does in a repository that Git knows too.
#[test]
fn a_further_workspace_of_jujutsu_that_git_knows_too_is_a_worktree() {
    let Some(place) = Place::new("colocated") else { return };
    place.repository("app");
    place.git("app", &["worktree", "add", "-q", "../further"]);
    fs::create_dir_all(place.0.join("app/.jj/repo")).unwrap();
    fs::create_dir_all(place.0.join("further/.jj")).unwrap();
    fs::write(place.0.join("further/.jj/repo"), "../../app/.jj/repo").unwrap();
    let found = place.found("further").unwrap();
    assert_eq!(
        (&found.key, found.kind, main_of(&found)),
        (&place.at("app"), RepositoryKind::Git, Some(&*place.at("app")))
    );
}

#[test]
fn a_worktree_may_be_inside_its_main_checkout_or_beside_the_data_of_a_bare_repository() {
    let Some(place) = Place::new("inside") else { return };
    place.repository("app");
    place.git("app", &["worktree", "add", "-q", ".worktrees/fix"]);
    let fix = place.project("repository", "app/.worktrees/fix/pkg");
    assert_eq!(fix.key, place.at("app/pkg"));
    assert_eq!(main_of(&fix.repository.unwrap()), Some(&*place.at("app")));
    let narrow =
        place.project_within("repository", "app/.worktrees/fix/pkg", Some("app/.worktrees")).repository.unwrap();
    assert_eq!(
        (narrow.key, narrow.broken),
        (place.at("app/.worktrees/fix"), true),
        "the main checkout is out of reach"
    );

    fs::create_dir(place.at("all")).unwrap();
    place.git("all", &["clone", "-q", "--bare", "../app", ".bare"]);
    fs::write(place.at("all/.git"), "gitdir: ./.bare\n").unwrap();
    for name in ["one", "two"] {
        place.git("all", &["worktree", "add", "-q", name]);
        let found = place.found(&format!("all/{name}")).unwrap();
        assert_eq!((found.key, found.name.as_str()), (format!("bare:{}", place.at("all/.bare")), "all"));
    }
}

#[test]
fn files_in_a_working_tree_let_no_other_folder_pass_for_its_repository() {
    let Some(place) = Place::new("tree") else { return };
    place.repository("app");
    // What anybody can add to a project, and a folder beside it.
    for folder in ["app/worktrees/x", "liar"] {
        fs::create_dir_all(place.at(folder)).unwrap();
    }
    fs::write(place.at("app/worktrees/x/commondir"), "../..").unwrap();
    fs::write(place.at("app/worktrees/x/gitdir"), "../../../liar/.git").unwrap();
    fs::write(place.at("liar/.git"), "gitdir: ../app/worktrees/x").unwrap();
    assert_ne!(place.project("repository", "liar").key, place.project("repository", "app").key);
}

#[test]
fn a_git_file_that_leads_to_itself_upwards_or_out_costs_nothing_and_reaches_nothing() {
    let Some(place) = Place::new("loops") else { return };
    place.repository("app");
    fs::create_dir_all(place.at("liar/sub")).unwrap();
    let up = "../".repeat(1_300);
    for text in [".git", ".", "..", "/", &up, "/proc/self/root", "/dev/stdin", "//evil/share", r"\\evil\share", "C:\\x"]
    {
        fs::write(place.at("liar/.git"), format!("gitdir: {text}\n")).unwrap();
        for identity in ["repository", "remote"] {
            let found = place.project(identity, "liar/sub");
            assert_eq!((found.key, found.repository.unwrap().worktree), (place.at("liar/sub"), None), "{text}");
        }
        let narrow = place.project_within("remote", "liar/sub", Some("liar"));
        assert_eq!(narrow.key, place.at("liar/sub"), "{text}");
    }
}

#[test]
fn a_git_file_leads_nowhere_unless_the_repository_confirms_it() {
    let Some(place) = Place::new("hostile") else { return };
    place.repository("app");
    place.git("app", &["worktree", "add", "-q", "../fix"]);
    let is_own = |folder: &str| {
        let found = place.found(folder).unwrap();
        assert_eq!((found.key, found.broken, found.worktree), (place.at(folder), true, None), "{folder}");
    };
    // A moved worktree, whose repository still names the old place.
    fs::rename(place.at("fix"), place.at("moved")).unwrap();
    is_own("moved");
    place.git("moved", &["worktree", "repair"]);
    assert_eq!(place.found("moved").unwrap().key, place.at("app"), "repaired");
    // A folder that says of itself that it is that worktree.
    fs::create_dir_all(place.at("liar/sub")).unwrap();
    fs::copy(place.at("moved/.git"), place.at("liar/.git")).unwrap();
    is_own("liar");
    // One with a repository of its own that names the other as its common folder.
    let data = place.at("liar/data/worktrees/liar");
    fs::create_dir_all(&data).unwrap();
    fs::write(place.at("liar/.git"), format!("gitdir: {data}")).unwrap();
    fs::write(format!("{data}/commondir"), place.at("app/.git")).unwrap();
    fs::write(format!("{data}/gitdir"), place.at("liar/.git")).unwrap();
    is_own("liar");
    // Its links lead into the real one.
    fs::remove_dir_all(place.at("liar/data")).unwrap();
    std::os::unix::fs::symlink(place.at("app/.git"), place.at("liar/data")).unwrap();
    fs::write(place.at("liar/.git"), format!("gitdir: {}", place.at("liar/data/worktrees/fix"))).unwrap();
    is_own("liar");
    // Damaged texts.
    for text in [&b""[..], b"gitdir: ", b"nonsense", b"gitdir: a\0b", b"gitdir: \xff\xfe", &[b'x'; 1 << 20]] {
        fs::write(place.at("liar/.git"), text).unwrap();
        is_own("liar");
    }
    // A link, a pipe that nobody writes to, a loop.
    fs::remove_file(place.at("liar/.git")).unwrap();
    std::os::unix::fs::symlink(place.at("moved/.git"), place.at("liar/.git")).unwrap();
    is_own("liar");
    fs::remove_file(place.at("liar/.git")).unwrap();
    assert!(Command::new("mkfifo").arg(place.at("liar/.git")).status().unwrap().success());
    is_own("liar");
    fs::remove_file(place.at("liar/.git")).unwrap();
    std::os::unix::fs::symlink(place.at("liar/.git"), place.at("liar/.git")).unwrap();
    assert_eq!(place.found("liar"), None);
    // The repository is gone.
    fs::remove_dir_all(place.at("app")).unwrap();
    is_own("moved");
}

#[test]
fn nothing_is_told_of_what_lies_outside_the_allowed_folders() {
    let Some(place) = Place::new("allowed") else { return };
    place.repository("app");
    place.git("app", &["worktree", "add", "-q", "../fix"]);
    assert_eq!(place.project_within("repository", "app/pkg", Some("app/pkg")).repository, None);
    let fix = place.project_within("repository", "fix/pkg", Some("fix")).repository.unwrap();
    assert_eq!((fix.key, fix.broken), (place.at("fix"), true));
    let inside = place.project_within("repository", "fix/pkg", Some(".")).repository.unwrap();
    assert_eq!((inside.key.as_str(), inside.broken), (&*place.at("app"), false));
}

#[test]
fn clones_share_an_identity_where_the_remote_decides() {
    let Some(place) = Place::new("clones") else { return };
    place.repository("app");
    for (clone, url) in [("one", "git@example.org:acme/app.git"), ("two", "https://me:secret@EXAMPLE.org/acme/app")] {
        place.git(".", &["clone", "-q", "app", clone]);
        place.git(clone, &["remote", "set-url", "origin", url]);
    }
    place.git("two", &["worktree", "add", "-q", "../three"]);
    let of = |folder: &str| place.project("remote", folder);
    for folder in ["one/pkg", "two/pkg", "three/pkg"] {
        assert_eq!(of(folder).key, "remote:example.org/acme/app//pkg", "{folder}");
    }
    assert_eq!(of("one").slug, of("two").slug);
    assert!(of("one").slug.starts_with("app-"));
    assert_eq!(of("app").key, place.at("app"), "without a remote");
    let local = of("app").repository.unwrap();
    assert_eq!(local.remote, None);
    place.git(".", &["clone", "-q", "app", "local"]);
    assert_eq!(of("local").key, place.at("local"), "a path on this disk is no remote");
}

#[test]
fn a_linked_folder_belongs_to_the_repository_that_it_really_is_in() {
    let Some(place) = Place::new("links") else { return };
    place.repository("app");
    place.repository("other");
    std::os::unix::fs::symlink(place.at("app/pkg"), place.at("other/link")).unwrap();
    let linked = place.project("repository", "other/link");
    assert_eq!((linked.path.as_deref(), &linked.key), (Some(&*place.at("other/link")), &place.at("app/pkg")));
    assert_eq!(linked.repository.unwrap().path, place.at("app"));
    assert!(Path::new(&place.at("other/.git")).is_dir());
}
