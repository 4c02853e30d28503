//! The texts that a policy can replace, by their keys in `texts`.

use super::advice::{IN_OTHER_STYLE, OUT_OF_REACH};

/// The texts of a policy that has none of its own.
pub(crate) fn standard(key: &str) -> Option<&'static str> {
    Some(match key {
        "unresolved" => "No project was found: {cause}.",
        "unresolved.ambiguous" => "The client has several roots and none was chosen. Available: {folders}",
        "unresolved.several_clients" => {
            "No project was found: several clients share this connection, because a gateway in front of this server \
             mixes their messages, and their calls cannot be told apart."
        }
        "unresolved.closed" => "The connection closed before the project was known.",
        "instruction" => "{advice}",
        "instruction.closed" => "",
        "instruction.no_marker" | "instruction.pass_each_call" => "{advice}",
        "instruction.several_clients" => ONE_PROCESS_EACH,
        "instruction.other_machine" => OUT_OF_REACH,
        "instruction.other_system" => IN_OTHER_STYLE,
        "refused" => "The {source} value `{value}` cannot be used as a project ({reason}).",
        "refused.placeholder" => "The {source} value `{value}` is a template that nobody filled in.",
        "refused.relative" => "The {source} value `{value}` is relative; an absolute path is needed.",
        "refused.invalid" => "The {source} value `{value}` has no single safe reading as a path.",
        "refused.not_file_uri" => "The {source} value `{value}` is not a `file:` URI, so that it names no folder.",
        "refused.too_long" => "The {source} value is too long: {value}",
        "refused.traversal" => "The {source} value `{value}` contains `..`, which this server does not accept.",
        "refused.nameless" => "The {source} path has no last part that could be the name of a project: {path}",
        "refused.unconfirmed" => "Nothing has confirmed in time that the {source} path exists: {path}",
        "refused.missing" => "The {source} path does not exist: {path}",
        "refused.not_directory" => "The {source} path is not a folder: {path}",
        "refused.outside" => "The {source} path is outside the allowed folders: {path}",
        "refused.other_machine" => {
            "The {source} path is on the client's machine and this server needs a folder on its own: {path}"
        }
        "refused.other_system" => {
            "The {source} value `{value}` is a path for another operating system than this server's."
        }
        "refused.no_path" => "`{value}` names no folder, and this server needs one.",
        "refused.not_in_roots" => "`{value}` is neither one of the client's roots nor inside one. Available: {folders}",
        "refused.ambiguous" => {
            "`{value}` is the name of several of the client's roots; the path of one of them is needed: {folders}"
        }
        "refused.no_marker" => {
            "The {source} path is not known as a project and has no project marker such as `.git`: {path}"
        }
        "refused.excluded_dir" => "The {source} path is a folder that is never a project by itself: {path}",
        "refused.roots.relative" => {
            "The target `{value}` is relative, and the client has several roots: only an absolute path tells which one is meant."
        }
        "refused.several_clients" => {
            "Nothing can be selected: several clients share this connection, because a gateway in front of this server \
             mixes their messages."
        }
        "refused.unreadable" => "The {source} path cannot be read: {path}",
        "refused.invalid_name" => "`{value}` is not a usable project name.",
        "refused.empty" => "The selected project is empty.",
        "refused.immutable" => "The project of this connection is `{name}` and cannot be changed.",
        "refused.selection_off" => "This server does not let a tool select the project.",
        "refused.pass_each_call" => {
            "This client keeps no connection between calls, so no project can be selected for it."
        }
        "selected" => "Project set to: {name}",
        "elicit" => "No project was found: {cause}. In which folder should this server work?",
        "elicit.ambiguous" => "Several folders are open: {folders}. In which one should this server work?",
        "elicit.title" => "Project",
        "elicit.root" => "One of the folders that are open",
        "elicit.path" => "The absolute path of the project's folder",
        "log.disagreement" => "{from} and {to} name different projects",
        "log.value_rejected" => "{source} gave `{value}`, which cannot be used: {reason}",
        "log.roots_failed" => "the client's roots could not be listed: {reason}",
        "log.roots_unsupported" => "the client cannot list roots: {reason}",
        "log.roots_cut" => "the client sent {count} roots more than are kept",
        "log.root_repaired" => "root `{value}` is a bare path and was taken as one",
        "log.answer_stale" => "an answer to a request that is over was ignored",
        "log.answer_unexpected" => "an answer to a request that was never made was ignored",
        "log.selected_root_left" => "the selected project `{name}` is no longer among the client's roots",
        "log.several_clients" => {
            "several clients share this connection, because a gateway mixes their messages; nothing that one of them says \
             counts for the others"
        }
        "log.user_asked" => "the client's user is asked for the project",
        "log.user_declined" => "the client's user was asked for the project and named none: {reason}",
        "log.too_many_asks" => "too many asks are waiting; this one was answered from what is known",
        "log.logs_dropped" => "{count} more log lines were left out",
        _ => return None,
    })
}

/// The way out where several clients share a connection.
const ONE_PROCESS_EACH: &str = "Let the gateway start one server process for each client (supergateway: \
     `--outputTransport streamableHttp --stateful`), or name the project in every call.";

/// A client that has not told its name, where a text names it.
pub(crate) const UNNAMED_CLIENT: &str = "the client";

/// An example of a project, where a text shows what a caller can pass.
pub(crate) const EXAMPLE_PROJECT: &str = "/path/to/project";

/// Where there is nothing to show: the value of a selection that is cleared, and roots that nobody listed.
pub(crate) const NO_VALUE: &str = "none";

/// The same where a message lists the folders that a caller can name.
pub(crate) const NO_FOLDERS: &str = "none; name the project by its absolute path";
