//! The package of a target (rule 69).

use std::collections::BTreeSet;

use rootwise::path::{self, PathStyle};
use rootwise::policy::{Source, SourceKind};

use super::history::History;
use super::places::is_file_uri;
use super::record::{Ask, Win};
use super::values::{Eyes, Need, Patience};
use super::verdict::Look;

/// The folder of a package, its place in the project, and its marker.
type Package = (String, String, String);

impl History {
    /// The package of a target in the project that wins, or the folders that must be checked first.
    pub fn package(&self, win: &Win, ask: &Ask, patience: Patience) -> Result<Option<Package>, Vec<Need>> {
        let names = &self.policy.config().packages;
        let here = win.project.path.as_ref().filter(|_| !win.project.on_client_machine && !names.is_empty());
        let (Some(folder), Some(target)) = (here, &ask.target) else { return Ok(None) };
        let Some((target, base)) = self.file_of(win, folder, target) else { return Ok(None) };
        // For this ask alone, as the words of its caller.
        let source = Source::new(SourceKind::Argument);
        let markers: BTreeSet<String> = names.iter().cloned().collect();
        let (mut needs, mut nearest, mut at) = (Vec::new(), None, Some(target));
        for _ in 0..self.policy.config().limits.walk_levels {
            let Some(folder) = at.filter(|at| *at != base) else { break };
            match self.look(&source, &folder, &markers, Eyes::Ask { ask, patience }) {
                Look::Unknown { refresh } => {
                    let markers = markers.clone();
                    needs.push(Need { path: folder.clone(), markers, connection: false, own: true, refresh });
                }
                Look::Known(known) => {
                    let top = win.real.as_ref().unwrap_or(&base);
                    let real = known.real.or_else(|| (!self.is_confined()).then(|| folder.clone()));
                    let stays = real.is_some_and(|real| path::is_inside(top, &real, self.style()));
                    let marker = names.iter().find(|name| known.there.contains(*name)).filter(|_| stays);
                    nearest = nearest.or_else(|| marker.map(|marker| (folder.clone(), marker.clone())));
                }
                Look::Unconfirmed => {}
            }
            at = path::parent(&folder, self.style());
        }
        if !needs.is_empty() {
            return Err(needs);
        }
        Ok(nearest.map(|(folder, marker)| {
            let inside = folder.strip_prefix(&base).unwrap_or_default().trim_start_matches('/').to_owned();
            (folder, inside, marker)
        }))
    }

    /// The file of a project that a target names: relative to it, absolute or a URI, spelled as here or as the client does; and
    /// the spelling of the project's folder above it.
    fn file_of(&self, win: &Win, folder: &str, target: &str) -> Option<(String, String)> {
        let bases = [Some(folder), win.real.as_deref()].into_iter().flatten();
        let read = |style: PathStyle| {
            if is_file_uri(target) { path::uri::file_uri_to_path(target, style) } else { path::absolute(target, style) }
        };
        // Hosts here have POSIX paths, so that an absolute one of Windows is the client's.
        let here = if is_file_uri(target) || target.starts_with('/') {
            read(self.style()).ok()
        } else if target.contains("://") || path::is_absolute(target, PathStyle::Windows) {
            None
        } else {
            path::join_inside(folder, target, self.style()).ok()
        };
        if let Some(at) = here
            && let Some(base) = { bases }.find(|base| path::is_inside(base, &at, self.style()))
        {
            return Some((at, base.to_owned()));
        }
        let client = win.project.client_path.as_ref()?;
        let style = if client.starts_with('/') { PathStyle::Posix } else { PathStyle::Windows };
        let theirs = read(style).ok().filter(|theirs| path::is_inside(client, theirs, style))?;
        let rest = theirs.get(client.len()..)?.replace('\\', "/");
        let rest = rest.trim_start_matches('/');
        let at =
            if rest.is_empty() { folder.to_owned() } else { path::join_inside(folder, rest, self.style()).ok()? };
        Some((at, folder.to_owned()))
    }
}
