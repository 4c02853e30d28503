//! The sentences about what happens in a host: around calls, stores and HTTP requests.

pub(crate) const NO_CALL: &str = "A project exists only while the server handles a client's call.";
pub(crate) const NOT_REACHED: &str = "This call did not pass through Rootwise, so that its project is not known: wrap the \
    server's handler, or add Rootwise to its middleware.";
pub(crate) const BACKGROUND_TASK: &str =
    "A project is known only inside a client's call, and a background task runs outside of it.";
pub(crate) const TAKE_IT_ALONG: &str = "Take the project in a tool that is no background task, and pass it on.";
pub(crate) const ASKED_FIRST: &str = "the client is asked for its roots and repeats this call; let this error pass";
pub(crate) const STORE_FAILED: &str = "The store of this server's sessions cannot be reached; try again later.";
pub(crate) const SESSION_CHANGED: &str = "Other replicas changed this session at the same time; try again.";
pub(crate) const STORE_ERROR: &str = "the session store failed: {error}";
pub(crate) const STATE_REFUSED: &str = "the stored session cannot be continued: {error}";
pub(crate) const EVENT_FAILED: &str = "{event}: {error}";
pub(crate) const CALLER_UNKNOWN: &str = "The caller is not known: {error}";
pub(crate) const FOLDERS_UNKNOWN: &str = "The folders of this caller are not known: {error}";
pub(crate) const TOO_MANY_CHECKS: &str = "Too many requests are being checked at once; try again.";
