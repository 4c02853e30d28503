//! Times as stores write them: numbers of any unit, or ISO 8601 texts.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::Value;

const EXPECTED: &str =
    "not a time; write a number, or a date and time by ISO 8601 such as `2026-01-31T12:00:00Z` (UTC without an offset)";

/// The time of an event: a number, whose unit is the store's choice, or a date and time by ISO 8601.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "number | string"))]
#[serde(try_from = "Value", into = "Value")]
pub struct Timestamp {
    written: Value,
    instant: Instant,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "description": "A number, or a date and time by ISO 8601.", "type": ["number", "string"] })
    }
}

/// A point in time, exactly: whole units and billionths of a unit.
type Instant = (i128, i128);

const BILLION: i128 = 1_000_000_000;

impl Timestamp {
    /// Whether it is a text. Numbers have no known unit, so a text and a number cannot be compared.
    pub(super) fn is_text(&self) -> bool {
        self.written.is_string()
    }

    pub(super) const fn instant(&self) -> Instant {
        self.instant
    }
}

impl TryFrom<Value> for Timestamp {
    type Error = &'static str;

    fn try_from(written: Value) -> Result<Self, &'static str> {
        let instant = match &written {
            Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(whole), _) => Some((whole, 0)),
                (None, Some(number)) => Some(split(number)),
                (None, None) => None,
            },
            Value::String(text) => parse(text),
            _ => None,
        };
        instant.map(|instant| Self { written, instant }).ok_or(EXPECTED)
    }
}

impl From<Timestamp> for Value {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.written
    }
}

impl From<i64> for Timestamp {
    fn from(number: i64) -> Self {
        Self { written: number.into(), instant: (number.into(), 0) }
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

/// Reads `2026-01-31`, or with a time of day `T12:00`, `T12:00:00` or `T12:00:00.123`, then `Z`, an offset or nothing.
fn parse(text: &str) -> Option<Instant> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let (year, month, day) = (digits(parts.next()?, 4)?, digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let midnight = days_before(year, month, day) * 86_400;
    let Some(time) = time else { return Some((midnight, 0)) };
    let (clock, offset) = match time.find(['Z', 'z', '+', '-']) {
        Some(at) => (time.get(..at)?, offset(time.get(at..)?)?),
        None => (time, 0),
    };
    let (clock, part) = match clock.split_once(['.', ',']) {
        Some((clock, part)) => (clock, billionths(part)?),
        None => (clock, 0),
    };
    let mut parts = clock.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| digits(second, 2))?;
    // A leap second is written as 60.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some((midnight + hour * 3600 + minute * 60 + second - offset, part))
}

/// The seconds of `Z`, `+01:00`, `+0100` or `+01`.
fn offset(text: &str) -> Option<i128> {
    let (sign, rest) = match text.split_at_checked(1)? {
        ("Z" | "z", "") => return Some(0),
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = match rest.len() {
        2 => (rest, "00"),
        4 => rest.split_at_checked(2)?,
        _ => rest.split_once(':')?,
    };
    let (hours, minutes) = (digits(hours, 2)?, digits(minutes, 2)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A number of exactly so many digits.
fn digits(text: &str, length: usize) -> Option<i128> {
    let plain = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

/// A fraction of a second; digits beyond nine do not count.
fn billionths(text: &str) -> Option<i128> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let nine: String = text.chars().chain("000000000".chars()).take(9).collect();
    nine.parse().ok()
}

const fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

const fn days_in(year: i128, month: i128) -> i128 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days since the first of March of the year 0 of the Gregorian calendar, which puts leap days at the end of a year.
const fn days_before(year: i128, month: i128, day: i128) -> i128 {
    let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + (153 * month + 2) / 5 + day - 1
}
