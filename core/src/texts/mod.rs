//! Every sentence for people, as data: the code picks one by its key and fills in the `{names}`.
//!
//! The texts of errors stand beside their codes, in `error.rs`, `api/reason.rs` and `path/refusal.rs`.

pub(crate) mod advice;
pub(crate) mod cause;
pub(crate) mod client_advice;
pub(crate) mod endpoint;
pub(crate) mod explanation;
pub(crate) mod log;
pub(crate) mod parameter;
pub(crate) mod paths;
pub(crate) mod roots;
pub(crate) mod standard;
