//! The folders of the operator and of callers.

use alloc::string::String;
use alloc::vec::Vec;

use super::action::{EndpointAction, EndpointLog};
use super::sessions::Session;
use super::turn::Turn;
use super::{DirsCheck, Endpoint, OwnFacts};
use crate::api::action::{Level, LogCode, Probe, ProbePath};
use crate::api::event::{EntryKind, ProbedPath};
use crate::api::host::Transport;
use crate::error::{ConfigError, Misuse};
use crate::id::ProbeId;
use crate::machine::builder::ResolverBuilder;
use crate::machine::resolver::{Resolver, check_callers_dirs};
use crate::path::display::display;
use crate::policy::{fill, to_usize};
use crate::texts::endpoint as texts;

/// The place of a caller's folders in an event.
const ALLOWED_DIRS: &str = "event.allowedDirs";

impl Session {
    /// The folders of a caller, if they are not those of the session.
    pub(super) fn callers_dirs(&self, dirs: Option<&Vec<String>>) -> Result<Option<Vec<String>>, Misuse> {
        let Some(dirs) = dirs.filter(|dirs| self.own.allowed_dirs.as_ref() != Some(dirs)) else { return Ok(None) };
        check_callers_dirs(dirs, self.resolver.host(), ALLOWED_DIRS)?;
        Ok(Some(dirs.clone()))
    }
}

impl Endpoint {
    /// Checks the folders of a session or a call like those of the host.
    pub(super) fn check_dirs(&self, dirs: Option<&[String]>) -> Result<(), Misuse> {
        let checked = self.hosts.of(Transport::Stdio).check_dirs(ALLOWED_DIRS, dirs.unwrap_or_default());
        checked.map_err(|ConfigError { place, problem }| Misuse::bad_event(place, problem))
    }

    /// A resolver for a session or a call.
    pub(super) fn builder(&self, own: &OwnFacts) -> Result<ResolverBuilder, Misuse> {
        self.check_dirs(own.allowed_dirs.as_deref())?;
        let builder = Resolver::builder(self.hosts.with(own)).policy(self.policy.clone());
        Ok(own.allowed_dirs.iter().fold(builder, ResolverBuilder::allowed_dirs))
    }

    /// Has the operator's folders probed once, so that a wrong one shows at the start.
    pub(super) fn check_allowed_dirs(&mut self, turn: &mut Turn) {
        if !matches!(self.dirs_check, DirsCheck::Due) {
            return;
        }
        self.dirs_check = DirsCheck::Done;
        let dirs = self.hosts.of(Transport::Stdio).allowed_dirs.iter().flatten();
        let paths: Vec<ProbePath> = dirs.map(|dir| ProbePath::new(dir.clone())).collect();
        if !paths.is_empty() {
            self.last_probe = self.last_probe.saturating_add(1);
            let probe = ProbeId(self.last_probe);
            self.dirs_check = DirsCheck::Probed(probe);
            turn.push(EndpointAction::Probe(Probe { probe, paths }));
        }
    }

    pub(super) fn log_unusable_dirs(&self, reports: &[ProbedPath], turn: &mut Turn) {
        for ProbedPath { path, found, .. } in reports.iter().filter(|report| report.found != EntryKind::Directory) {
            let shown = display(path, to_usize(self.policy.config.limits.value_chars));
            let message = fill(texts::unusable_dir(*found), &[("path", &shown)]);
            let (level, code) = (Level::Warning, LogCode::AllowedDirUnusable);
            turn.push(EndpointAction::Log(EndpointLog { level, code, session: None, ask: None, message }));
        }
    }
}
