//! The package of a file in a project that has several.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::ask::AskContext;
use super::disk::{CacheScope, DiskLookup, DiskView, MarkerNeeds, Wanted};
use super::repository::relative;
use crate::api::project::{Package, Project};
use crate::path::{self, ProjectFolder};
use crate::policy::{MarkerNames, to_usize};

impl AskContext<'_> {
    /// The nearest package between the target of an ask and its project; `None` while the host must probe first.
    pub(super) fn package(&self, project: &Project, disk: &mut DiskView<'_>) -> Option<Option<Box<Package>>> {
        let names: MarkerNames = self.policy.config.packages.iter().cloned().collect();
        let Some((folders, base)) = self.folders_of_target(project).filter(|_| !names.is_empty()) else {
            return Some(None);
        };
        disk.recording = true;
        let real_base = project.real_path.as_deref().unwrap_or(base);
        let (mut nearest, mut waits) = (None, false);
        for folder in folders {
            match disk.lookup(&folder, Wanted::markers(&names, MarkerNeeds::All), CacheScope::default()) {
                DiskLookup::Known(info) => {
                    // A link must not lead out of the project.
                    let real = info.real_path.as_ref().or_else(|| self.host.allowed_dirs.is_none().then_some(&folder));
                    let is_inside = real.is_some_and(|real| path::is_inside(real_base, real, self.host.style));
                    let marker = names.iter().find(|name| info.markers.contains(name));
                    if let Some(marker) = marker.filter(|_| is_inside && nearest.is_none()) {
                        nearest = Some((folder, marker.clone()));
                    }
                }
                DiskLookup::Unconfirmed => {}
                DiskLookup::Unknown => waits = true,
            }
        }
        if waits {
            return None;
        }
        Some(nearest.and_then(|(folder, marker)| {
            let package = Package {
                name: path::basename(&folder, self.host.style)?,
                inside: relative(base, &folder, self.host)?,
                path: folder,
                marker,
            };
            Some(package.into())
        }))
    }

    /// The target and the folders above it, below the project's folder, and that folder as the target spells it.
    fn folders_of_target<'p>(&self, project: &'p Project) -> Option<(Vec<String>, &'p str)> {
        let (target, folder) = (self.ask.target?, project.path.as_deref()?);
        let style = self.host.style;
        let target = ProjectFolder::from(project).file(target, style).ok()?;
        let bases = core::iter::once(folder).chain(project.real_path.as_deref());
        let base = { bases }.find(|base| path::is_inside(base, &target, style))?;
        let is_below = |folder: &String| path::key(folder, style) != path::key(base, style);
        let folders = core::iter::successors(Some(target), |folder| path::parent(folder, style)).take_while(is_below);
        Some((folders.take(to_usize(self.policy.config.limits.walk_levels)).collect(), base))
    }
}
