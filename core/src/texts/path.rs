//! What is wrong with a path that a tool names: `{folders}`, `{length}`, `{most}`, `{error}` and other values are filled in.

pub(crate) const EMPTY: &str = "The path is empty or contains a null character.";
pub(crate) const TOO_LONG: &str =
    "The path has {length} characters, and no path of this system has more than {most}; pass a shorter one.";
pub(crate) const RELATIVE: &str = "The path is relative; pass an absolute path.";
pub(crate) const OUTSIDE: &str =
    "The path is outside the allowed folders, which are {folders}. Pass a path inside one of them.";
pub(crate) const NONE_ALLOWED: &str = "The path is outside the allowed folders: none is allowed.";
pub(crate) const LINK_TO_NOWHERE: &str = "{part} in the path is a link that leads nowhere: {to} does not exist.";
pub(crate) const CHANGING: &str = "The path changes while it is examined; try again.";
pub(crate) const NOT_UTF8: &str = "The path leads to a folder or file whose name is not UTF-8.";
pub(crate) const UNREADABLE: &str = "The path cannot be examined ({error}).";
pub(crate) const NO_FOLDER: &str = "The project has no folder, so that it has no files.";
pub(crate) const FOLDER_ELSEWHERE: &str =
    "The folder of the project, {folder}, is on the client's machine: this server has none of its files.";
pub(crate) const PROJECT_MISSING: &str = "The folder of the project, {folder}, does not exist.";
pub(crate) const OUTSIDE_PROJECT: &str =
    "The path is outside the project {folder}: {part} leads to {to}. Pass a path inside the project.";
pub(crate) const NOT_A_FOLDER: &str = "{part} in the path is not a folder, so that nothing can be below it.";
pub(crate) const OTHER_SYSTEM: &str =
    "The path is spelled for another operating system than this server's; pass it relative to the project.";
pub(crate) const NO_READING: &str = "The path {part} has no single safe reading: {error}.";
pub(crate) const NO_ANSWER: &str = "The disk did not answer in time; try again, or pass a path on another disk.";
