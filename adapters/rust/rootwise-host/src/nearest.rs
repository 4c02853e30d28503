//! Searches upwards for a folder with a certain entry, and small files: what a probe needs to find a repository.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::path::Path;

use rootwise::PathStyle;
use rootwise::action::{FindNearest, ReadFiles};
use rootwise::event::{EntryKind, Nearest};
use rootwise::path::is_inside;

use crate::disk::kind_of;

/// Finds the nearest folder that has one of the entries, from a real path upwards.
pub(crate) fn find(start: &str, find: &FindNearest) -> Option<Nearest> {
    let folders = Path::new(start).ancestors().map_while(Path::to_str);
    let mut open = folders.take_while(|folder| is_within(folder, find.within.as_ref()));
    open.find_map(|folder| {
        find.names.iter().find_map(|name| {
            let entry = Path::new(folder).join(name);
            let found = kind_of(&entry);
            let exists = matches!(found, EntryKind::Directory | EntryKind::File);
            exists.then(|| Nearest::new(folder, name.clone(), found).text(text(&entry, find.bytes)))
        })
    })
}

/// Reads files in a folder, given by its real path.
pub(crate) fn read(folder: &str, read: &ReadFiles) -> BTreeMap<String, String> {
    let names = read.names.iter().filter(|_| is_within(folder, read.within.as_ref()));
    names.filter_map(|name| Some((name.clone(), text(&Path::new(folder).join(name), read.bytes)?))).collect()
}

fn is_within(folder: &str, dirs: Option<&Vec<String>>) -> bool {
    dirs.is_none_or(|dirs| dirs.iter().any(|dir| is_inside(dir, folder, PathStyle::native())))
}

/// The text of a regular file that is not too large: to open a pipe or a device could wait for ever.
fn text(path: &Path, most: u32) -> Option<String> {
    let entry = fs::symlink_metadata(path).ok()?;
    if !entry.is_file() || entry.len() > u64::from(most) {
        return None;
    }
    let mut bytes = Vec::new();
    options().open(path).ok()?.take(u64::from(most) + 1).read_to_end(&mut bytes).ok()?;
    // It may have changed meanwhile.
    let fits = u32::try_from(bytes.len()).is_ok_and(|length| length <= most);
    String::from_utf8(bytes).ok().filter(|_| fits)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;

        // What is no regular file any more must not make anybody wait, or lead elsewhere.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed());
    }
    options
}
