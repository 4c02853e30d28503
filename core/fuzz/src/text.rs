//! Text for people: which parts of an output are such text, and what it must not contain.

use serde_json::Value;

/// The texts of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// One line each.
    Lines,
    /// Of several lines.
    Paragraphs,
    /// Chosen by the fuzzer.
    Anything,
}

impl Texts {
    fn check(self, text: &str, lines: usize) {
        match self {
            Self::Lines => assert_safe(text, lines),
            Self::Paragraphs => assert_safe(text, usize::MAX),
            Self::Anything => {}
        }
    }
}

/// Panics if a text has more lines than expected, or characters that hide, reorder or break it.
pub fn assert_safe(text: &str, lines: usize) {
    assert!(text.matches('\n').count() < lines.max(1), "more than {lines} lines: {text:?}");
    let unsafe_character = |c: &char| {
        (c.is_control() && *c != '\n')
            || matches!(*c,
                '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
    };
    assert!(!text.chars().any(|c| unsafe_character(&c)), "not safe to show: {text:?}");
}

/// Checks every text for people in the output of an event.
pub fn check_output(output: &Value, texts: Texts) {
    for action in output["actions"].as_array().into_iter().flatten() {
        match action["type"].as_str() {
            Some("answer") => check_answer(action, texts),
            Some("log") => texts.check(action["message"].as_str().unwrap(), 1),
            Some("announce") => [&action["from"], &action["to"]].into_iter().for_each(check_project),
            _ => {}
        }
    }
    if let Some(message) = output["error"]["message"].as_str() {
        assert_safe(message, 1);
    }
}

fn check_answer(answer: &Value, texts: Texts) {
    check_project(&answer["project"]);
    check_roots(&answer["roots"]);
    check_explanation(&answer["explanation"], texts);
    for text in [&answer["message"], &answer["instruction"]].into_iter().filter_map(Value::as_str) {
        texts.check(text, 1);
    }
}

fn check_project(project: &Value) {
    if let Some(name) = project["displayName"].as_str() {
        assert_safe(name, 1);
        check_root(&project["root"]);
        check_roots(&project["otherRoots"]);
    }
}

fn check_roots(roots: &Value) {
    roots.as_array().into_iter().flatten().for_each(check_root);
}

fn check_root(root: &Value) {
    for text in [&root["uri"], &root["name"]].into_iter().filter_map(Value::as_str) {
        assert_safe(text, 1);
    }
}

/// The text of an explanation has a line for the project, one for the instruction, one per source, one for the
/// connection, and two blank ones.
pub fn check_explanation(explanation: &Value, texts: Texts) {
    let Some(text) = explanation["text"].as_str() else { return };
    let tried = explanation["tried"].as_array().unwrap();
    for value in tried.iter().filter_map(|tried| tried["value"].as_str()) {
        assert_safe(value, 1);
    }
    check_roots(&explanation["roots"]["available"]);
    if let Some(client) = explanation["client"].as_str() {
        assert_safe(client, 1);
    }
    let lines = 4 + usize::from(explanation["instruction"].is_string()) + tried.len();
    texts.check(text.trim_end_matches('\n'), lines);
}
