use proptest::prelude::*;
use rootwise::path::uri;
use rootwise::path::{self, PathStyle};

use super::{POSIX, WINDOWS};

fn styles() -> impl Strategy<Value = PathStyle> {
    prop_oneof![Just(POSIX), Just(WINDOWS)]
}

fn pick(choices: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::sample::select(choices).prop_map(str::to_owned)
}

/// Gives texts that look like paths or URIs, and a share of texts that look like nothing.
fn shaped(starts: &'static [&'static str]) -> impl Strategy<Value = String> {
    let names = pick(&[
        "a", "A", "b", "ab", "é", "É", "..", ".", "...", "", " ", ".. ", "C:", "c:x", "x:y", "C|", "x:", "??", "?",
        "NUL", "~", "$X", "\u{7}", "\u{202E}", "a\\b", "\0", "UNC", "a b", "%",
    ]);
    let escapes = pick(&["%41", "%2e", "%2E%2e", "%2F", "%5c", "%00", "%0A", "%FF", "%C3%A9", "%25", "%zz", "%3A"]);
    let name = prop_oneof![6 => names, 1 => escapes, 1 => any::<String>()];
    let separator = pick(&["/", "/", "\\", "//"]);
    let below = prop::collection::vec((name, separator), 0..6);
    let shaped = (pick(starts), below)
        .prop_map(|(start, below)| below.into_iter().fold(start, |text, (name, separator)| text + &name + &separator));
    prop_oneof![8 => shaped, 1 => any::<String>()]
}

fn paths() -> impl Strategy<Value = String> {
    shaped(&["/", "/", "", "C:\\", "c:/", "C:", "\\\\h\\s\\", "//H/S/", "\\\\?\\C:\\", "\\\\?\\UNC\\h\\s\\", "\\\\.\\"])
}

fn uris() -> impl Strategy<Value = String> {
    shaped(&[
        "file:///",
        "file:///C:/",
        "file:///c%3A/",
        "file://C:",
        "file://h/s/",
        "file://",
        "file:/",
        "file:",
        "FILE:///",
        "file:///C|/",
        "file://localhost/",
        "file:////",
        "file://1.2.3.4/s/",
        "file://xn--a/s/",
    ])
}

fn has_dot_name(path: &str, style: PathStyle) -> bool {
    let separator = if style == POSIX { '/' } else { '\\' };
    path.split(separator).any(|name| matches!(name, "." | ".."))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_uri_gives_a_normal_absolute_path_or_nothing(text in uris(), style in styles()) {
        if let Ok(path) = uri::file_uri_to_path(&text, style) {
            prop_assert!(path::is_absolute(&path, style));
            prop_assert_eq!(path::normalize(&path, style), Ok(path.clone()));
            prop_assert!(!path.contains('\0') && !has_dot_name(&path, style));
            prop_assert!(text.contains('%') || !path.contains(|c: char| c.is_ascii_control()));
            prop_assert_eq!(uri::project_key(&text, style), path::key(&path, style));
        }
    }

    #[test]
    fn a_path_survives_the_way_to_a_uri_and_back(text in paths(), style in styles()) {
        let Ok(path) = path::absolute(&text, style) else {
            prop_assert_eq!(uri::path_to_file_uri(&text, style), None);
            return Ok(());
        };
        let Some(there) = uri::path_to_file_uri(&text, style) else {
            prop_assert!(path::is_unc(&path, style));
            return Ok(());
        };
        let back = uri::file_uri_to_path(&there, style).unwrap();
        prop_assert_eq!(path::key(&back, style), path::key(&path, style));
        if !path::is_unc(&path, style) {
            prop_assert_eq!(&back, &path);
        }
        prop_assert_eq!(uri::path_to_file_uri(&back, style), Some(there));
    }

    #[test]
    fn normalising_twice_changes_nothing(text in paths(), style in styles()) {
        if let Ok(path) = path::normalize(&text, style) {
            prop_assert_eq!(path::normalize(&path, style), Ok(path.clone()));
            prop_assert_eq!(path::is_absolute(&path, style), path::is_absolute(&text, style));
            prop_assert_eq!(path::basename(&path, style), path::basename(&text, style));
            prop_assert!(!path.contains('\0'));
            prop_assert!(!path::is_absolute(&path, style) || !has_dot_name(&path, style));
        }
    }

    #[test]
    fn a_longer_name_is_never_inside(text in paths(), style in styles()) {
        if let (Ok(path), Some(_)) = (path::absolute(&text, style), path::basename(&text, style)) {
            let longer = format!("{path}x");
            prop_assert!(!path::is_inside(&path, &longer, style));
            prop_assert!(!path::is_inside(&longer, &path, style));
        }
    }

    #[test]
    fn the_same_key_means_inside_both_ways(a in paths(), b in paths(), c in paths(), style in styles()) {
        let inside = |root, path| path::is_inside(root, path, style);
        match (path::key(&a, style), path::key(&b, style)) {
            (Ok(key_a), Ok(key_b)) => {
                prop_assert_eq!(key_a == key_b, inside(&a, &b) && inside(&b, &a));
                prop_assert_eq!(path::key(&key_a, style), Ok(key_a));
            }
            _ => prop_assert!(!inside(&a, &b)),
        }
        prop_assert!(!(inside(&a, &b) && inside(&b, &c)) || inside(&a, &c));
    }

    #[test]
    fn another_spelling_of_a_path_has_the_same_key(text in paths(), style in styles()) {
        if let Ok(path) = path::absolute(&text, style) {
            let key = path::key(&path, style);
            let separator = if style == POSIX { "/" } else { "\\" };
            for respelled in [
                format!("{path}{separator}."),
                format!("{path}{separator}{separator}"),
                format!("{path}{separator}zz{separator}.."),
            ] {
                prop_assert_eq!(path::key(&respelled, style), key.clone(), "{}", respelled);
            }
            if style == WINDOWS {
                prop_assert_eq!(path::key(&path.to_ascii_lowercase(), style), key.clone());
                prop_assert_eq!(path::key(&path.replace('\\', "/"), style), key);
            }
        }
    }

    #[test]
    fn the_parent_holds_its_child(text in paths(), style in styles()) {
        if let Some(parent) = path::parent(&text, style) {
            prop_assert!(path::is_inside(&parent, &text, style));
            prop_assert!(!path::is_inside(&text, &parent, style));
            let name = path::basename(&text, style).unwrap();
            prop_assert_eq!(path::join(&parent, &name, style).ok(), path::normalize(&text, style).ok());
        }
    }

    #[test]
    fn what_is_joined_inside_is_inside(project in paths(), text in paths(), style in styles()) {
        if let Ok(path) = path::join_inside(&project, &text, style) {
            prop_assert!(path::is_inside(&project, &path, style));
            prop_assert_eq!(path::join(&project, &text, style), Ok(path));
        }
    }

    #[test]
    fn placeholders_are_looked_for_in_any_text(text in prop_oneof![uris(), paths()]) {
        let found = uri::is_placeholder(&text);
        prop_assert_eq!(found || text.contains("${"), found);
    }
}
