//! Bounds on everything a peer can grow.

use serde::{Deserialize, Serialize};

/// The bounds of a resolver; the explanation shows when one is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one event; a larger one is misuse, because the host should have refused it before copying it in.
    pub event_bytes: u32,
    /// Roots kept from one list; the rest are counted.
    pub roots: u32,
    /// Bytes of URIs and names kept from one list; the first root that does not fit and those after it are counted.
    pub roots_bytes: u32,
    /// Bytes of one URI, path or other value; a longer value alone is rejected.
    pub value_bytes: u32,
    /// Bytes of a root's own name; a longer name is ignored.
    pub name_bytes: u32,
    /// Characters of a name shown to a person or a model.
    pub name_chars: u32,
    /// Characters of a path or another value shown to a person or a model.
    pub value_chars: u32,
    /// Asks that may wait at the same time; one more is answered at once from what is known.
    pub waiting_asks: u32,
    /// Actions of one event besides answers; log lines are dropped first.
    pub actions: u32,
    /// Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
    pub reported: u32,
    /// Folders of a marker walk, including the starting folder.
    pub walk_levels: u32,
    /// Paths that the host probes at the same time; the others follow when it has replied.
    pub probe_paths: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes: 1 << 20,
            roots: 256,
            roots_bytes: 32 << 10,
            value_bytes: 8 << 10,
            name_bytes: 1 << 10,
            name_chars: 128,
            value_chars: 1024,
            waiting_asks: 1024,
            actions: 8,
            reported: 64,
            walk_levels: 32,
            probe_paths: 256,
        }
    }
}

/// Whether a length exceeds a limit.
pub(crate) fn exceeds(length: usize, limit: u32) -> bool {
    usize::try_from(limit).is_ok_and(|limit| length > limit)
}

/// A limit in the type of lengths.
pub(crate) fn to_usize(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}
