//! Names made safe to show, and to build identifiers from.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use proptest::prelude::*;
use rootwise::path::display::display;
use rootwise::path::name::{NameForm, project_slug, sanitize_name};
use rootwise::path::uri::project_id;

#[test]
fn ordinary_names_stay_as_they_are() {
    for name in ["rootwise", "my project", "café", "日本語", "עברית", "🚀", "a-b_c.d (2)", "<`'\">"] {
        assert_eq!(display(name, 128), name);
    }
}

#[test]
fn a_name_becomes_one_trimmed_line() {
    assert_eq!(display("  a\r\n\tb\u{2028}c\u{3000}\u{A0}d  ", 128), "a b c d");
    assert_eq!(display(" \n ", 128), "");
    assert_eq!((display("a ", 128), display(" a", 128), display("a  b", 128)), ("a".into(), "a".into(), "a b".into()));
    assert_eq!(display("a \u{200B} b", 128), "a b");
    assert_eq!(display("\u{200B} a", 128), "a");
}

#[test]
fn terminal_sequences_and_reordering_lose_their_power() {
    assert_eq!(display("\u{1B}[31mred\u{7}", 128), "[31mred");
    assert_eq!(display("\u{202E}gpj.exe\u{2066}", 128), "gpj.exe");
    assert_eq!(display("a\u{E0041}\u{E007F}b", 128), "ab");
    assert_eq!(display("pay\u{200D}pal\u{FEFF}", 128), "paypal");
}

#[test]
fn long_text_ends_with_an_ellipsis_within_the_bound() {
    assert_eq!(display("abcdef", 6), "abcdef");
    assert_eq!(display("abcdef", 5), "abcd…");
    assert_eq!(display("abc def", 5), "abc…");
    assert_eq!(display("éééé", 3), "éé…");
    assert_eq!(display("ab", 1), "…");
    assert_eq!(display("ab", 0), "");
    assert_eq!(display("ab   ", 2), "ab");
    assert_eq!(display("ab\u{200B}", 2), "ab");
}

/// The number of dropped code points is Unicode's own count, so a range typed wrong shows.
#[test]
fn every_code_point_is_shown_folded_or_dropped() {
    const DEFAULT_IGNORABLE: usize = 4174;
    const NONCHARACTERS: usize = 66;
    const CONTROLS_THAT_ARE_NO_WHITESPACE: usize = 59;
    const ANNOTATION_MARKS_AND_BLANK_BRAILLE: usize = 4;
    let (mut dropped, mut folded): (usize, usize) = (0, 0);
    for c in '\0'..=char::MAX {
        let shown = display(&format!("a{c}b"), 8);
        match shown.as_str() {
            "ab" => dropped = dropped.saturating_add(1),
            "a b" => folded = folded.saturating_add(1),
            _ => {
                assert_eq!(shown, format!("a{c}b"));
                assert!(!c.is_control() && !c.is_whitespace(), "{c:?}");
            }
        }
        assert_eq!(display(&shown, 8), shown);
    }
    let expected =
        [DEFAULT_IGNORABLE, NONCHARACTERS, CONTROLS_THAT_ARE_NO_WHITESPACE, ANNOTATION_MARKS_AND_BLANK_BRAILLE];
    assert_eq!(dropped, expected.iter().sum::<usize>());
    assert_eq!(folded, 25, "White_Space has 25 members, the plain space among them");
}

#[test]
fn a_megabyte_is_shown_within_the_bound() {
    for unit in ["a", " ", "\u{200B}", "a ", "é"] {
        let long = unit.repeat(1 << 20);
        assert!(display(&long, 128).chars().count() <= 128);
        assert!(project_slug(&long, &long).len() <= 57);
    }
}

#[test]
fn a_sanitised_name_has_only_the_characters_of_its_form() {
    for (name, word, identifier) in [
        ("my-cool-project", "my-cool-project", "my_cool_project"),
        ("My  Cool__Project.2", "My-Cool__Project-2", "my_cool_project_2"),
        ("../../etc", "etc", "etc"),
        ("café", "café", "caf"),
        ("日本語", "日本語", "index"),
        ("", "project", "index"),
    ] {
        assert_eq!(sanitize_name(name, NameForm::Word), word);
        assert_eq!(sanitize_name(name, NameForm::Identifier), identifier);
    }
}

#[test]
fn a_slug_is_readable_and_different_for_different_keys() {
    assert_eq!(project_slug("My Project", "/a"), format!("my-project-{}", project_id("/a")));
    assert_eq!(project_slug("../../etc", "/a"), format!("etc-{}", project_id("/a")));
    for nameless in ["", "..", "日本語", "\u{202E}"] {
        assert_eq!(project_slug(nameless, "/a"), format!("project-{}", project_id("/a")));
    }
    assert_eq!(project_slug("CON", "/a"), format!("con-{}", project_id("/a")));
    assert_ne!(project_slug("x", "/a/x"), project_slug("x", "/b/x"));
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = proptest::sample::select(vec![
        "a",
        "B",
        "é",
        " ",
        "\t",
        "\n",
        "\u{2028}",
        "\u{200B}",
        "\u{202E}",
        "\u{E0041}",
        "\u{1B}",
        "\0",
        "…",
        "_",
        "-",
    ]);
    let shaped = prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat());
    prop_oneof![2 => shaped, 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_shown_name_is_bounded_clean_and_stays_the_same(text in texts(), bound in 0_usize..24) {
        let shown = display(&text, bound);
        prop_assert!(shown.chars().count() <= bound);
        prop_assert!(shown.chars().all(|c| c == ' ' || !(c.is_control() || c.is_whitespace())));
        prop_assert_eq!(shown.trim(), &shown);
        prop_assert!(!shown.contains("  "));
        prop_assert_eq!(display(&shown, bound), shown);
    }

    #[test]
    fn a_slug_is_a_folder_name_on_every_system(name in texts(), key in texts()) {
        let made = project_slug(&name, &key);
        prop_assert!(made.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{made}");
        prop_assert!(made.len() <= 57 && !made.starts_with('-') && !made.ends_with('-') && !made.contains("--"));
        prop_assert!(made.ends_with(&project_id(&key)));
        // Longer than `con`, `com1` and the other reserved names of Windows.
        prop_assert!(made.len() > 16);
    }

    #[test]
    fn a_sanitised_name_stays_the_same(name in texts()) {
        for form in [NameForm::Word, NameForm::Identifier] {
            let made = sanitize_name(&name, form);
            prop_assert!(!made.is_empty());
            prop_assert_eq!(sanitize_name(&made, form), made);
        }
    }
}
