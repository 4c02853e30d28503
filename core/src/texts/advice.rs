//! Ways to name a project: parts of a sentence, and whole ones.

use crate::api::style::PathStyle;

/// What the caller itself can do.
pub(crate) const PASS: &str = "pass the project path as `{argument}` in the call";
pub(crate) const PASS_ROOT: &str = "pass the name or the path of one of them as `{argument}` in the call";
pub(crate) const SELECT_PATH: &str = "call `{select}` with the absolute path of the project";
pub(crate) const SELECT_ROOT: &str = "call `{select}` with the name or the path of one of them";

/// What the HTTP request can carry; the first that can work says it all.
pub(crate) const BY_REQUEST: [&str; 3] = [
    "send the project path in the `{header}` header or in the `{query}` query parameter",
    "send the project path in the `{header}` header",
    "send the project path in the `{query}` query parameter",
];

/// What whoever starts the server can do.
pub(crate) const BY_SERVER: [&str; 2] =
    ["start this server with `--{option}={example}`", "set `{variable}` in this server's environment"];

/// What a caller can do whose selection is kept nowhere.
pub(crate) const OPEN_FOLDER: &str = "open the folder in the client, so that it becomes one of its roots";

/// What a caller can do whose folder has no project marker, and what its operator can.
pub(crate) const NAME_MARKED: &str = "name a folder that has one";
pub(crate) const ALLOW_FOLDER: &str =
    "let the operator of this server allow it with `allowedDirs` (in Python and Rust `allowed_dirs`)";

pub(crate) const TO_CHANGE: &str = "To change the project, ";
/// What a caller does whose selection is kept nowhere.
pub(crate) const PASS_HANDLE: &str =
    "Pass `{argument}: {handle}` with each call: this server cannot tell your calls from those of other clients.";
/// What a caller does whose selection another process does not know.
pub(crate) const PASS_HANDLE_TOO: &str = "Pass `{argument}: {handle}` with each call too: if this server runs as several processes, the others do not know this selection.";
pub(crate) const TAKES_NONE: &str = "This server takes no project from its callers.";
pub(crate) const START_ELSEWHERE: &str = "Start the server with the project that it should use.";

/// Between two ways.
pub(crate) const OR: &str = ", or ";

/// A path where a way shows one.
pub(crate) const fn example(style: PathStyle) -> &'static str {
    match style {
        PathStyle::Posix => "/absolute/path",
        PathStyle::Windows => r"C:\absolute\path",
    }
}

/// The ways out where the client's folders are on another machine. The options have one spelling in each language.
pub(crate) const OUT_OF_REACH: &str = "The operator of this server can set `local` if the client is on the same machine, \
     `allowedDirs` (`allowed_dirs` in Python and Rust) if it has the same folders, or `requirePath` (`require_path`) to false \
     if it needs no folder.";

/// The ways out where a path is for another operating system than this server's.
pub(crate) const IN_OTHER_STYLE: &str = "Spell the path as this server's operating system does; its operator can say with `ROOTWISE_PATH_MAP` where it has \
     the client's folders.";
