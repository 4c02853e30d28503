//! Handles: the short text by which a caller whose selection is kept nowhere names the project in each of its calls.
//!
//! A handle is no key to anything: it names one of the caller's own roots, or a path, and every use is checked as any other value
//! of the argument is. So it needs no table, no expiry and no secret, it works in every process of a server, and it means nothing
//! to another caller. It is tied to its folder: where a root is replaced by another one of the same name, it names none of them.

use alloc::string::String;
use alloc::vec::Vec;

use super::ask::AskContext;
use super::disk::DiskView;
use super::evaluate::SourceResult;
use crate::api::project::Project;
use crate::api::reason::Reason;
use crate::path;
use crate::path::display::display;
use crate::path::name::name_with_id;
use crate::path::rejection::Rejection;
use crate::path::uri::project_id;
use crate::peer::root_list::RootEntry;
use crate::policy::{Source, SourceKind, to_usize};

impl AskContext<'_> {
    /// The source of the argument by which each call can name its project, and its position, if this server has one.
    pub(super) fn argument_source(&self) -> Option<(usize, &Source)> {
        let context = self.evaluation_context();
        let mut sources = self.policy.config.sources.iter().enumerate();
        let is_open = |(_, source): &(usize, &Source)| source.from == SourceKind::Argument && !context.is_off(source);
        self.host.tool_argument.as_ref().and_then(|_| sources.find(is_open))
    }

    /// The first text that names a project in the argument of a call, or what must come first, or why there is none.
    pub(super) fn handle(
        &self,
        project: &Project,
        (at, source): (usize, &Source),
        disk: &mut DiskView<'_>,
    ) -> Result<Result<String, SourceResult>, Rejection> {
        let context = self.evaluation_context();
        let mut why = Rejection::new(Reason::PassEachCall);
        for text in self.names_for(project) {
            match context.judge_value(at, source, None, &text, disk) {
                SourceResult::Offers(named) if named.folder_key() == project.folder_key() => return Ok(Ok(text)),
                SourceResult::Rejected { rejection, .. } => why = rejection,
                SourceResult::Offers(_) | SourceResult::Off | SourceResult::Absent | SourceResult::Unavailable(_) => {}
                // A selection that is kept is not worth a question.
                SourceResult::NeedInput if self.ask.is_kept_here => {}
                waits => return Ok(Err(waits)),
            }
        }
        Err(why)
    }

    /// What may name a project, shortest first: the name of its root's folder with a part of its id, its path, the URI of its
    /// root. None of them can name another folder when the client's roots have changed.
    fn names_for(&self, project: &Project) -> Vec<String> {
        let mut entries = self.visible_roots().into_iter().flat_map(|list| &list.entries);
        let index = project.root.as_ref().map(|root| root.index);
        let key = project.folder_key();
        let is_its = |entry: &&RootEntry| Some(entry.sent.index) == index || entry.key.as_ref() == Some(&key);
        let entry = entries.find(is_its);
        let folder = entry.and_then(|entry| entry.path.as_ref().ok());
        let folder = folder.and_then(|folder| path::basename(folder, self.host.client_style(folder)));
        // A model repeats a text as it sees it.
        let is_plain =
            |name: &String| !name.is_empty() && *name == display(name, to_usize(self.policy.config.limits.name_chars));
        let with_id = folder.filter(is_plain).map(|folder| name_with_id(&folder, &project_id(&key)));
        let uri = entry.map(|entry| entry.sent.uri.clone());
        [with_id, project.folder().cloned(), uri].into_iter().flatten().collect()
    }
}
