//! What the cases show, counted, so that cases which no longer show something do not pass for it.

use std::sync::atomic::{AtomicU64, Ordering};

use rootwise::action::LogCode;
use rootwise::project::RepositoryKind;

use super::repositories::Repo;
use super::{Effects, Proj};

static SHOWN: [(&str, AtomicU64); 6] = [
    ("forms", AtomicU64::new(0)),
    ("packages", AtomicU64::new(0)),
    ("projects named by a remote", AtomicU64::new(0)),
    ("worktrees", AtomicU64::new(0)),
    ("worktrees of submodules", AtomicU64::new(0)),
    ("remotes of Jujutsu and Mercurial", AtomicU64::new(0)),
];

/// Counts what the effects of an event show, in the order of [`SHOWN`].
pub fn count(effects: &Effects) {
    let forms = effects.notices.get(&LogCode::UserAsked).copied().unwrap_or(0);
    let projects: Vec<&Proj> = effects.answers.iter().filter_map(|(_, out, _)| out.project()).collect();
    let with = |shows: &dyn Fn(&Proj) -> bool| projects.iter().filter(|project| shows(project)).count();
    let repository = |shows: &dyn Fn(&Repo) -> bool| with(&|project| project.repository.as_ref().is_some_and(shows));
    let counts = [
        forms,
        with(&|project| project.package.is_some()),
        with(&|project| project.key.starts_with("remote:")),
        repository(&|repo| repo.worktree.is_some()),
        repository(&|repo| matches!(&repo.worktree, Some((_, Some(main))) if main == "/p/b")),
        repository(&|repo| repo.kind != RepositoryKind::Git && repo.remote.is_some()),
    ];
    for ((_, shown), more) in SHOWN.iter().zip(counts) {
        shown.fetch_add(more as u64, Ordering::Relaxed);
    }
}

/// What was counted, by name.
pub fn shown() -> [(&'static str, u64); 6] {
    SHOWN.each_ref().map(|(name, shown)| (*name, shown.load(Ordering::Relaxed)))
}
