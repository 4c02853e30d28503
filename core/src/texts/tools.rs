//! The ready-made tools.

pub(crate) const WHICH_TITLE: &str = "Which project is this?";
pub(crate) const WHICH: &str = "Explains which project this server works in for you, with the result of every source.";
pub(crate) const SWITCH_TITLE: &str = "Switch project";
pub(crate) const SWITCH: &str = "Makes another folder the project of this connection.";
pub(crate) const SWITCH_TO: &str = "Absolute path or file: URI of the folder, or the name of one of your roots";
pub(crate) const LIST_TITLE: &str = "List roots";
pub(crate) const LIST: &str = "Lists the folders your client says it works in.";
