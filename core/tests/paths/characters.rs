use rootwise::path::uri;
use rootwise::path::{self, PathStyle, Refusal};

use super::{POSIX, WINDOWS};

#[test]
fn no_control_character_passes_raw_and_no_nul_at_all() {
    let places = [
        "\u{1}file:///C:/a",
        "fi\u{1}le:///C:/a",
        "file\u{1}:///C:/a",
        "file:\u{1}///C:/a",
        "file:/\u{1}//C:/a",
        "file://\u{1}/C:/a",
        "file://h\u{1}/s/a",
        "file://h/s\u{1}/a",
        "file:///\u{1}C:/a",
        "file:///C\u{1}:/a",
        "file:///C:\u{1}/a",
        "file:///C:/\u{1}",
        "file:///C:/\u{1}a/b",
        "file:///C:/a\u{1}b/c",
        "file:///C:/a/b\u{1}",
        "file:///C:/a\u{1}/../b",
    ];
    for c in '\0'..='\u{9F}' {
        for place in places {
            for style in [POSIX, WINDOWS] {
                let raw = uri::file_uri_to_path(&place.replace('\u{1}', &c.to_string()), style);
                let encoded = uri::file_uri_to_path(&place.replace('\u{1}', &escape(c)), style);
                if c == '\0' {
                    assert_eq!(raw, Err(Refusal::Nul), "{place:?}");
                    assert!(encoded.is_err(), "{place:?}");
                } else if c.is_ascii_control() {
                    assert_eq!(raw, Err(Refusal::Control), "{c:?} in {place:?}");
                }
                for path in [raw, encoded].into_iter().flatten() {
                    assert!(path.chars().all(|found| found == c || !found.is_control()));
                    assert_eq!(path::normalize(&path, style).as_ref(), Ok(&path));
                }
            }
        }
    }
}

#[test]
fn inside_a_name_each_character_is_itself_or_refused() {
    for c in '\u{1}'..='\u{9F}' {
        for style in [POSIX, WINDOWS] {
            let expected = match style {
                PathStyle::Posix => format!("/C:/aa{c}b/c"),
                PathStyle::Windows => format!("C:\\aa{c}b\\c"),
            };
            let separator = c == '/' || (style == WINDOWS && c == '\\');
            let encoded = uri::file_uri_to_path(&format!("file:///C:/aa{}b/c", escape(c)), style);
            if separator {
                assert_eq!(encoded, Err(Refusal::EncodedSeparator));
            } else {
                assert_eq!(encoded.as_ref(), Ok(&expected));
            }
            let raw = uri::file_uri_to_path(&format!("file:///C:/aa{c}b/c"), style);
            match c {
                _ if c.is_ascii_control() => assert_eq!(raw, Err(Refusal::Control)),
                '?' | '#' => assert_eq!(raw, Err(Refusal::QueryOrFragment)),
                '%' => assert_eq!(raw, Err(Refusal::MalformedPercent)),
                '\\' if style == POSIX => assert_eq!(raw, Err(Refusal::Backslash)),
                _ if separator => assert!(raw.is_ok()),
                _ => assert_eq!(raw, Ok(expected)),
            }
        }
    }
}

#[test]
fn a_megabyte_of_anything_is_read() {
    for unit in ["a", "/", "..\\", "a/", "%41", "%", "${", "0."] {
        let long = unit.repeat((1 << 20) / unit.len());
        for (style, root) in [(POSIX, "/"), (WINDOWS, "C:\\"), (WINDOWS, "\\\\?\\C:\\")] {
            let path = format!("{root}{long}");
            let _ = path::key(&path, style);
            let _ = path::join_inside(root, &long, style);
            let _ = uri::path_to_file_uri(&path, style);
        }
        for prefix in ["file:///C:/", "file://"] {
            let _ = uri::project_key(&format!("{prefix}{long}"), WINDOWS);
        }
        let _ = uri::is_placeholder(&long);
        assert_eq!(uri::project_id(&long).len(), 16);
    }
}

fn escape(c: char) -> String {
    let mut bytes = [0; 4];
    c.encode_utf8(&mut bytes).bytes().map(|byte| format!("%{byte:02X}")).collect()
}
