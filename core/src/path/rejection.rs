//! The rejection of a value that was meant to name a project.

use alloc::string::{String, ToString};

use super::Refusal;
use crate::api::reason::Reason;

/// The rejection of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rejection {
    pub(crate) reason: Reason,
    /// A finer code.
    pub(crate) detail: Option<&'static str>,
    /// The path the value named.
    pub(crate) path: Option<String>,
}

impl Rejection {
    pub(crate) const fn new(reason: Reason) -> Self {
        Self { reason, detail: None, path: None }
    }

    pub(crate) fn at(reason: Reason, path: &str) -> Self {
        Self { reason, detail: None, path: Some(path.to_string()) }
    }

    /// The finer code if there is one, else the code of the reason.
    pub(crate) fn detail(&self) -> &'static str {
        self.detail.unwrap_or_else(|| self.reason.code())
    }
}

impl From<Refusal> for Rejection {
    fn from(refusal: Refusal) -> Self {
        let reason = match refusal {
            Refusal::NotFileUri => Reason::NotFileUri,
            Refusal::Relative => Reason::Relative,
            _ => Reason::Invalid,
        };
        Self { reason, detail: Some(refusal.code()), path: None }
    }
}
