//! Why a request failed, as `{reason}` of a log line.

pub(crate) const UNDELIVERABLE: &str = "it could not be sent";
pub(crate) const UNREADABLE: &str = "the answer could not be read";
pub(crate) const ABANDONED: &str = "the call it travelled with ended";
pub(crate) const NO_ANSWER: &str = "no answer";
pub(crate) const NAMED_NOTHING: &str = "the form was declined, closed or left empty";
