//! Times as stores write them: numbers of any unit, or ISO 8601 texts.

use serde_json::Value;
use time::format_description::well_known::Iso8601;
use time::{Date, OffsetDateTime, PrimitiveDateTime};

pub(super) const EXPECTED: &str =
    "not a time; write a number, or a date and time by ISO 8601 such as `2026-01-31T12:00:00Z` (UTC without an offset)";

/// The schema of a written time; the core itself reads anything, and reports what is no time.
#[cfg(feature = "schema")]
pub(super) fn schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["number", "string", "null"] })
}

/// A point in time, exactly: whole units and billionths of a unit.
pub(super) type Instant = (i128, i128);

const BILLION: i128 = 1_000_000_000;

/// A time that was read.
#[derive(Clone, Copy)]
pub(super) struct Time {
    /// Numbers have no known unit, so a text and a number cannot be compared.
    pub(super) is_text: bool,
    pub(super) instant: Instant,
}

impl Time {
    pub(super) fn read(written: &Value) -> Option<Self> {
        let instant = match written {
            Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(whole), _) => Some((whole, 0)),
                (None, Some(number)) => Some(split(number)),
                (None, None) => None,
            },
            Value::String(text) => parse(text),
            _ => None,
        };
        instant.map(|instant| Self { is_text: written.is_string(), instant })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the casts saturate; only the order counts"
)]
fn split(number: f64) -> Instant {
    let whole = number as i128;
    let part = ((number - whole as f64) * BILLION as f64) as i128;
    if part < 0 { (whole.saturating_sub(1), part.saturating_add(BILLION)) } else { (whole, part) }
}

/// Reads a date and time with an offset or `Z`; one without an offset, or a date alone, is UTC.
fn parse(text: &str) -> Option<Instant> {
    // RFC 3339 allows a blank, which Python writes, and small letters.
    let text = text.replacen(' ', "T", 1).to_ascii_uppercase();
    let format = &Iso8601::PARSING;
    let without_offset = || PrimitiveDateTime::parse(&text, format).map(PrimitiveDateTime::assume_utc);
    let without_time = || Date::parse(&text, format).map(|date| date.midnight().assume_utc());
    let parsed = OffsetDateTime::parse(&text, format).or_else(|_| without_offset()).or_else(|_| without_time()).ok()?;
    let nanoseconds = parsed.unix_timestamp_nanos();
    Some((nanoseconds.div_euclid(BILLION), nanoseconds.rem_euclid(BILLION)))
}
