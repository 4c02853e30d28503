//! JSON from an untrusted peer, read leniently, part by part.

pub(crate) mod client;
pub(crate) mod form;
pub(crate) mod jsonrpc;
pub(crate) mod message;
pub(crate) mod raw;
pub(crate) mod root_list;
