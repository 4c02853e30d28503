//! The line and column of a field in a JSON text.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// The position of a place such as `sources[0].from`; of what is missing, that of the object in which it should be. A place that
/// is a position already stays one.
pub(super) fn position(text: &str, place: &str) -> Position {
    if let Some(known) = given(place) {
        return known;
    }
    let start = text.len().saturating_sub(text.trim_start().len());
    let mut offset = start;
    let mut here: Option<&RawValue> = serde_json::from_str(text).ok();
    for step in steps(place) {
        let next = here.and_then(|value| inside(value, &step));
        let Some(next) = next else { break };
        // A borrowed value is a part of the text, so that the difference of addresses is its place.
        offset = (next.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        here = Some(next);
    }
    counted(text, offset)
}

/// `line 3 column 7`, as parsers say it.
fn given(place: &str) -> Option<Position> {
    let (line, column) = place.strip_prefix("line ")?.split_once(" column ")?;
    Some(Position { line: line.parse().ok()?, column: column.parse().ok()? })
}

fn counted(text: &str, offset: usize) -> Position {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count().saturating_add(1);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count().saturating_add(1);
    Position { line, column }
}

enum Step {
    Member(String),
    Item(usize),
}

/// The steps of a place; names with dots in them, which only `texts` has, are found as far as possible.
fn steps(place: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for part in place.split('.').filter(|part| !part.is_empty()) {
        let (name, items) = part.split_once('[').unwrap_or((part, ""));
        if !name.is_empty() {
            steps.push(Step::Member(name.to_owned()));
        }
        let items = items.split('[').filter_map(|item| item.trim_end_matches(']').parse().ok());
        steps.extend(items.map(Step::Item));
    }
    steps
}

fn inside<'t>(value: &'t RawValue, step: &Step) -> Option<&'t RawValue> {
    match step {
        Step::Member(name) => serde_json::from_str::<BTreeMap<String, &RawValue>>(value.get()).ok()?.get(name).copied(),
        Step::Item(index) => serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(*index).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_the_text() {
        let text = "{\n  \"name\": \"mine\",\n  \"sources\": [\n    { \"from\": \"roots\" },\n    { \"from\": \"rots\" }\n  ]\n}";
        for (place, line, column) in [
            ("sources[1].from", 5, 15),
            ("sources[1]", 5, 5),
            ("sources[1].missing", 5, 5),
            ("name", 2, 11),
            ("the top", 1, 1),
            ("line 4 column 2", 4, 2),
        ] {
            assert_eq!(position(text, place), Position { line, column }, "{place}");
        }
    }
}
