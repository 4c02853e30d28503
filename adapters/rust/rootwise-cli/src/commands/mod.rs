//! The commands, each in a file of its own.

pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod record;
pub(crate) mod resolve;
pub(crate) mod uri;
pub(crate) mod whereami;
