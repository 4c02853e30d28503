//! Bounds on everything a peer can grow.

use crate::form::fields;

/// How much of each thing a resolver takes; reaching a bound is visible in the explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "camelCase"))]
pub struct Limits {
    /// Bytes of one event; a larger one is misuse, because the host should have cut it off before copying it in.
    pub event_bytes: u32,
    /// Roots kept from one list; the rest are counted.
    pub roots: u32,
    /// Bytes of one URI, path or other value; a longer one is rejected alone.
    pub value_bytes: u32,
    /// Bytes of a root's own name; a longer one is ignored.
    pub name_bytes: u32,
    /// Characters of a name shown to a person or a model.
    pub name_chars: u32,
    /// Characters of a path or any other value shown to a person or a model.
    pub value_chars: u32,
    /// Asks that may wait at the same time; one more is answered at once from what is known.
    pub waiting_asks: u32,
    /// Actions one event may cause besides answers; notices give way first.
    pub actions: u32,
    /// Disagreements and rejected values remembered per connection, so that each is reported once; more are not reported.
    pub reported: u32,
    /// Folders a marker walk looks at, the starting one included.
    pub walk_levels: u32,
}

fields!(Limits by default: event_bytes, roots, value_bytes, name_bytes, name_chars, value_chars, waiting_asks, actions, reported, walk_levels);

impl Default for Limits {
    fn default() -> Self {
        Self {
            event_bytes: 1 << 20,
            roots: 256,
            value_bytes: 16 << 10,
            name_bytes: 1 << 10,
            name_chars: 128,
            value_chars: 1024,
            waiting_asks: 1024,
            actions: 8,
            reported: 64,
            walk_levels: 32,
        }
    }
}
