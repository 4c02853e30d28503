//! The client's roots in words, for a person or a model.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ask::AskContext;
use super::memory::is_allowed;
use crate::api::action::{Outcome, RootsState};
use crate::api::project::RootView;
use crate::path;
use crate::path::display::display;
use crate::policy::{fill, to_usize};
use crate::texts::roots as texts;

/// Characters of a list that somebody asked for.
const LIST_CHARS: usize = 4096;

impl AskContext<'_> {
    /// A list of roots as an answer has it.
    pub(super) fn listed(&self, roots: Vec<RootView>, state: RootsState, answered: bool) -> Outcome {
        let unusable = (!roots.iter().any(|view| view.usable)).then(|| self.unusable(&roots, state));
        let text = self.list_text(&roots, state);
        Outcome::Listed {
            roots: roots.into(),
            state,
            answered,
            current: answered && state.is_current(),
            text,
            unusable,
        }
    }

    fn list_text(&self, roots: &[RootView], state: RootsState) -> String {
        if roots.is_empty() {
            return fill(texts::NONE, &[("why", texts::without_list(state))]);
        }
        let lines = joined(roots.iter().map(|view| self.line(view)), "\n");
        let count = roots.len().to_string();
        let head = if roots.len() == 1 { texts::ONE } else { texts::SEVERAL };
        fill(head, &[("count", &count), ("state", texts::state(state)), ("lines", &lines)])
    }

    fn line(&self, view: &RootView) -> String {
        let number = view.root.index.saturating_add(1).to_string();
        let shown = |text: &str| display(text, to_usize(self.policy.config.limits.value_chars));
        let folder = view.root.folder().map_or_else(|| view.root.uri.clone(), |folder| shown(folder));
        let real = view.real_path.as_ref().filter(|real| Some(*real) != view.root.path.as_ref());
        let place = match (&view.problem, real) {
            (Some(problem), _) => {
                fill(texts::UNUSABLE_ROOT, &[("uri", &view.root.uri), ("problem", &problem.to_string())])
            }
            (None, Some(real)) => fill(texts::REAL_PATH, &[("folder", &folder), ("real", &shown(real))]),
            (None, None) => folder,
        };
        let name = view.root.name.as_ref().map(|name| fill(texts::NAMED, &[("name", name)])).unwrap_or_default();
        let current = if self.is_current(view) { texts::CURRENT } else { "" };
        fill(texts::LINE, &[("number", &number), ("name", &name), ("place", &place), ("current", current)])
    }

    /// Whether a root is the project of a call that names none, or that project is inside it.
    fn is_current(&self, view: &RootView) -> bool {
        let project = self.connection.project.filter(|_| !self.ask.alone);
        // What a colleague on the same connection selected is not told to a caller who may not use it.
        let project = project.filter(|project| is_allowed(project, self.policy, self.host));
        match (project.and_then(|project| project.folder()), view.root.folder()) {
            (Some(folder), Some(root)) => path::is_inside(root, folder, self.host.client_style(root)),
            _ => project.is_some_and(|project| project.root.as_ref().is_some_and(|root| root.uri == view.root.uri)),
        }
    }

    fn unusable(&self, roots: &[RootView], state: RootsState) -> String {
        if roots.is_empty() {
            return fill(texts::NONE, &[("why", texts::without_list(state))]);
        }
        let problem = |view: &RootView| match view.problem {
            Some(problem) => problem.to_string(),
            None if view.exists == Some(true) => texts::NO_REAL_PATH.to_string(),
            None => texts::ELSEWHERE.to_string(),
        };
        let each =
            |view: &RootView| fill(texts::UNUSABLE_ROOT, &[("uri", &view.root.uri), ("problem", &problem(view))]);
        fill(texts::NONE_USABLE, &[("roots", &joined(roots.iter().map(each), "; "))])
    }
}

/// As many texts as fit, and the number of the others.
fn joined(entries: impl Iterator<Item = String>, separator: &str) -> String {
    let (mut list, mut more) = (String::new(), 0_u32);
    for entry in entries {
        if more > 0 || list.len().saturating_add(entry.len()) > LIST_CHARS {
            more = more.saturating_add(1);
            continue;
        }
        if !list.is_empty() {
            list.push_str(separator);
        }
        list.push_str(&entry);
    }
    if more > 0 {
        list.push_str(separator);
        list.push_str(&fill(texts::MORE, &[("count", &more.to_string())]));
    }
    list
}
