//! Identifiers and time, as the host passes them.

use core::fmt;

use serde::{Deserialize, Serialize};

macro_rules! number {
    ($(#[$docs:meta])* $name:ident($number:ty)) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(as = "u32"))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(transparent)]
        #[expect(clippy::exhaustive_structs, reason = "a number with a name")]
        pub struct $name(pub $number);

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                Self(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

number! {
    /// The host's id for one ask; unique among the asks that wait.
    AskId(u32)
}
number! {
    /// The resolver's token for one request to the client; counts up from 1.
    RequestToken(u32)
}
number! {
    /// The resolver's id for one probe; counts up from 1.
    ProbeId(u32)
}
number! {
    /// The host's id for one session of an endpoint.
    SessionId(u32)
}
number! {
    /// The host's id for one channel of an endpoint.
    ChannelId(u32)
}
number! {
    /// The host's id for one call of an endpoint.
    CallId(u32)
}
number! {
    /// Milliseconds on the host's clock. The origin is the host's choice; only differences count.
    Millis(u64)
}

/// A point on the connection's clock. Signed, because a restored point can lie before the new clock's origin.
pub(crate) type Time = i64;

impl Millis {
    pub(crate) fn time(self) -> Time {
        Time::try_from(self.0).unwrap_or(Time::MAX)
    }

    pub(crate) fn from_time(time: Time) -> Self {
        Self(u64::try_from(time).unwrap_or(0))
    }
}
