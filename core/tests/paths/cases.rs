use rootwise::path::uri;
use rootwise::path::{self, RealPaths, Refusal};

use super::{POSIX, WINDOWS};

#[test]
fn a_refusal_tells_its_code_and_never_the_text() {
    let refusal = uri::file_uri_to_path("file:///marker%00", POSIX).unwrap_err();
    assert_eq!(refusal, Refusal::Nul);
    assert_eq!(refusal.code(), "nul");
    assert_eq!(refusal.to_string(), "the text holds a NUL");
}

#[test]
fn every_refusal_of_a_uri_has_the_code_that_names_its_cause() {
    let cases = [
        ("/home/me", "not_file_uri", "not_file_uri"),
        ("file:", "empty_path", "empty_path"),
        ("file://localhost", "empty_path", "empty_path"),
        ("file:a/b", "relative", "relative"),
        ("file:///a\0", "nul", "nul"),
        ("file:///a%00", "nul", "nul"),
        ("file:///a\n", "control", "control"),
        (" file:///a", "outer_blank", "outer_blank"),
        ("file:///C:/50%", "malformed_percent", "malformed_percent"),
        ("file:///C:/%FF", "invalid_utf8", "invalid_utf8"),
        ("file:///C:/a%2Fb", "encoded_separator", "encoded_separator"),
        ("file:///C:/c#", "query_or_fragment", "query_or_fragment"),
        ("file:\\\\h\\s", "backslash", "backslash"),
        ("file://h:80/s", "remote_host", "invalid_host"),
        ("file://./pipe/x", "remote_host", "device_namespace"),
        ("file://h/", "remote_host", "bad_unc"),
        ("file://h/%20/x", "remote_host", "bad_unc"),
        ("file://h/s/../x", "remote_host", "unc_escape"),
        ("file:/\\h\\s", "backslash", "leading_double_slash"),
        ("file:///C:/a//../b", "ambiguous_dots", "ambiguous_dots"),
    ];
    for (text, posix, windows) in cases {
        assert_eq!(uri::file_uri_to_path(text, POSIX).unwrap_err().code(), posix, "{text:?}");
        assert_eq!(uri::file_uri_to_path(text, WINDOWS).unwrap_err().code(), windows, "{text:?}");
    }
    let windows_only = [
        ("file:///home/me", "no_drive"),
        ("file:///C:x", "drive_relative"),
        ("file:c:x", "drive_relative"),
        ("file:///../C:/x", "drive_not_first"),
        ("file:///C:/D:/../x", "drive_like_component"),
        ("file:////h/s", "leading_double_slash"),
    ];
    for (text, code) in windows_only {
        assert_eq!(uri::file_uri_to_path(text, WINDOWS).unwrap_err().code(), code, "{text:?}");
    }
    assert_eq!(uri::file_uri_to_path("file://C:/x", POSIX), Err(Refusal::DriveOnPosix));
    assert_eq!(uri::file_uri_to_path("file:///C|/x", POSIX), Err(Refusal::DriveOnPosix));
}

#[test]
fn a_path_that_is_not_absolute_is_refused_with_what_it_lacks() {
    assert_eq!(path::absolute("a/b", POSIX), Err(Refusal::Relative));
    assert_eq!(path::absolute("~/a", POSIX), Err(Refusal::Relative));
    assert_eq!(path::absolute("/a", WINDOWS), Err(Refusal::NoDrive));
    assert_eq!(path::absolute("C:a", WINDOWS), Err(Refusal::DriveRelative));
    assert_eq!(path::absolute("", POSIX), Err(Refusal::EmptyPath));
    assert_eq!(path::absolute("c:/a/", WINDOWS).unwrap(), r"C:\a");
}

#[test]
fn the_parent_of_a_root_is_none() {
    assert_eq!(path::parent("/a/b/", POSIX).unwrap(), "/a");
    assert_eq!(path::parent("/a", POSIX).unwrap(), "/");
    assert_eq!(path::parent("/", POSIX), None);
    assert_eq!(path::parent("a/b", POSIX), None);
    assert_eq!(path::parent(r"C:\a", WINDOWS).unwrap(), r"C:\");
    assert_eq!(path::parent(r"C:\", WINDOWS), None);
    assert_eq!(path::parent(r"\\h\s\a", WINDOWS).unwrap(), r"\\h\s\");
    assert_eq!(path::parent(r"\\h\s", WINDOWS), None);
}

#[test]
fn only_a_windows_path_is_a_unc_path() {
    assert!(path::is_unc(r"\\h\s\a", WINDOWS));
    assert!(path::is_unc("//h/s", WINDOWS));
    assert!(path::is_unc(r"\\?\UNC\h\s", WINDOWS));
    assert!(!path::is_unc(r"\\?\C:\a", WINDOWS));
    assert!(!path::is_unc("//h/s", POSIX));
}

#[test]
fn a_verbatim_path_passes_only_where_its_prefix_changes_nothing() {
    assert_eq!(path::normalize(r"\\?\unc\h\s\a\", WINDOWS).unwrap(), r"\\h\s\a");
    for refused in [
        r"\\?\C:\a/b",
        r"\\?\UNC\h/s\a",
        r"\\?\UNC\h\s.\a",
        r"\\?\C:\a\\b",
        r"\\?\C:\a ",
        r"\\?\C:\nul.txt",
        r"\\?\C:\com¹",
        r"\\?\C:\a\D:",
        r"\\?\GLOBALROOT",
        r"\\?\",
    ] {
        assert_eq!(path::normalize(refused, WINDOWS), Err(Refusal::DeviceNamespace), "{refused}");
    }
}

#[test]
fn a_relative_path_is_joined_and_an_absolute_one_replaces_the_base() {
    assert_eq!(path::join("/a/b", "../c/./d", POSIX).unwrap(), "/a/c/d");
    assert_eq!(path::join("/a/b", "../../../c", POSIX).unwrap(), "/c");
    assert_eq!(path::join("/a/b", "/c/", POSIX).unwrap(), "/c");
    assert_eq!(path::join("a", "b", POSIX), Err(Refusal::Relative));
    assert_eq!(path::join(r"C:\a", "b/c", WINDOWS).unwrap(), r"C:\a\b\c");
    assert_eq!(path::join(r"C:\a", r"d:\x", WINDOWS).unwrap(), r"D:\x");
    assert_eq!(path::join(r"C:\a", r"\x", WINDOWS), Err(Refusal::NoDrive));
    assert_eq!(path::join(r"C:\a", "C:x", WINDOWS), Err(Refusal::DriveRelative));
    assert_eq!(path::join(r"C:\a", r".\D:x", WINDOWS), Err(Refusal::DriveLikeComponent));
    assert_eq!(path::join(r"\\h\s\a", r"..\..\b", WINDOWS).unwrap(), r"\\h\s\b");
}

// Covers A11, F1, F6.
#[test]
fn a_tool_path_must_end_up_inside_the_project() {
    assert_eq!(path::join_inside("/p", "src/../a", POSIX).unwrap(), "/p/a");
    assert_eq!(path::join_inside("/p", "/p/a", POSIX).unwrap(), "/p/a");
    assert_eq!(path::join_inside("/p", ".", POSIX).unwrap(), "/p");
    assert_eq!(path::join_inside("/p", "..a", POSIX).unwrap(), "/p/..a");
    assert_eq!(path::join_inside("/p", "x:y", POSIX).unwrap(), "/p/x:y");
    for outside in ["..", "../px", "a/../../q", "/px", "/"] {
        assert_eq!(path::join_inside("/p", outside, POSIX), Err(Refusal::Outside), "{outside}");
    }
    assert_eq!(path::join_inside("/p", "", POSIX), Err(Refusal::EmptyPath));
    assert_eq!(path::join_inside("/p", "a\0", POSIX), Err(Refusal::Nul));
}

#[test]
fn a_windows_tool_path_must_open_as_it_is_spelled() {
    let inside = |path| path::join_inside(r"C:\p", path, WINDOWS);
    assert_eq!(inside(r"c:\P\a").unwrap(), r"C:\P\a");
    assert_eq!(inside("a/b.").unwrap(), r"C:\p\a\b.");
    assert_eq!(inside("notes:secret"), Err(Refusal::AlternateStream));
    assert_eq!(inside("a::$DATA"), Err(Refusal::DriveRelative));
    assert_eq!(inside(r"ab\cd::$INDEX_ALLOCATION\x"), Err(Refusal::AlternateStream));
    assert_eq!(inside("a/NUL.txt"), Err(Refusal::DeviceNamespace));
    assert_eq!(inside(".. "), Err(Refusal::AmbiguousDots));
    assert_eq!(inside(r".. \..\x"), Ok(String::from(r"C:\p\x")));
    assert_eq!(inside(r"\\?\C:\p\a").unwrap(), r"C:\p\a");
    assert_eq!(inside(r"\\.\pipe\x"), Err(Refusal::DeviceNamespace));
    assert_eq!(inside("D:"), Err(Refusal::DriveRelative));
}

// Covers F2, F4.
#[test]
fn real_paths_decide_whatever_the_spelling() {
    let linked = RealPaths::new("/private/tmp/p", "/private/tmp/p/x");
    assert!(path::is_inside_real("/tmp/p", "/tmp/p/x", POSIX, linked));
    assert!(path::is_inside_real("/tmp/p", "/private/tmp/p/x", POSIX, linked));
    let escaping = RealPaths::new("/tmp/p", "/etc/passwd");
    assert!(!path::is_inside_real("/tmp/p", "/tmp/p/link", POSIX, escaping));
    assert!(!path::is_inside_real("/tmp/p", "link", POSIX, linked));
    let unknown = RealPaths::new("/tmp/p", "");
    assert!(!path::is_inside_real("/tmp/p", "/tmp/p/x", POSIX, unknown));
    let verbatim = RealPaths::new(r"\\?\C:\p", r"\\?\C:\p\x");
    assert!(path::is_inside_real(r"c:\P", r"C:\p\x", WINDOWS, verbatim));
}

// Covers F3.
#[test]
fn a_file_yet_to_be_made_is_where_its_parent_really_is() {
    let through_a_link = RealPaths::new("/srv/p", "/etc/new/file");
    assert!(!path::is_inside_real("/srv/p", "/srv/p/link/new/file", POSIX, through_a_link));
    let in_place = RealPaths::new("/srv/p", "/srv/p/new/file");
    assert!(path::is_inside_real("/srv/p", "/srv/p/new/file", POSIX, in_place));
}

// Covers E16, F5.
#[test]
fn the_top_of_a_disk_holds_all_of_it() {
    assert!(path::is_inside("/", "/x", POSIX));
    assert_eq!(path::join_inside("/", "x", POSIX).unwrap(), "/x");
    assert!(path::is_inside(r"C:\", r"c:\x\y", WINDOWS));
    assert!(!path::is_inside(r"C:\", r"D:\x", WINDOWS));
    assert_eq!(path::join_inside(r"C:\", "x", WINDOWS).unwrap(), r"C:\x");
    assert_eq!(path::absolute("C:", WINDOWS), Err(Refusal::DriveRelative));
}

#[test]
fn a_path_has_one_canonical_uri() {
    let posix = |path| uri::path_to_file_uri(path, POSIX);
    assert_eq!(posix("/").unwrap(), "file:///");
    assert_eq!(posix("//a/./b c/").unwrap(), "file:///a/b%20c");
    assert_eq!(posix("/50%/c#?é\\").unwrap(), "file:///50%25/c%23%3F%C3%A9%5C");
    assert_eq!(posix("/C|/x").unwrap(), "file:///C%7C/x");
    assert_eq!(posix("a"), None);
    let windows = |path| uri::path_to_file_uri(path, WINDOWS);
    assert_eq!(windows("c:").as_deref(), None);
    assert_eq!(windows("c:/").unwrap(), "file:///C:/");
    assert_eq!(windows(r"c:\a b").unwrap(), "file:///C:/a%20b");
    assert_eq!(windows(r"\\Host\Share").unwrap(), "file://host/Share");
    assert_eq!(windows(r"\\wsl$\Ubuntu\x").unwrap(), "file://wsl$/Ubuntu/x");
}

#[test]
fn a_share_whose_host_no_uri_can_hold_has_no_uri() {
    for path in [r"\\localhost\c$\x", r"\\server two\s\x", r"\\h@SSL\s", r"\\127.1\s", r"\\é\s"] {
        assert!(path::is_absolute(path, WINDOWS), "{path}");
        assert_eq!(uri::path_to_file_uri(path, WINDOWS), None, "{path}");
    }
}

#[test]
fn an_id_is_the_front_of_the_sha_256_of_the_key() {
    assert_eq!(uri::project_id("abc"), "ba7816bf8f01cfea");
    assert_eq!(uri::project_id(""), "e3b0c44298fc1c14");
}

#[test]
fn text_that_nobody_expanded_is_a_placeholder() {
    for text in [
        "${workspaceFolder}",
        "file://${workspaceFolder}",
        "file:///${workspaceFolder}/src",
        "file:///$%7BworkspaceFolder%7D",
        "file:///%24%7bx%7d",
        "/home/me/${x}",
        "{{project}}",
        "$HOME/proj",
        "$PWD",
        "file://$HOME/proj",
        "FILE:///$HOME",
        "%USERPROFILE%",
        r"%USERPROFILE%\proj",
        "file:///%APPDATA%/x",
        "%ProgramFiles(x86)%",
        "%cd%",
        "%DEVDIR%/x",
    ] {
        assert!(uri::is_placeholder(text), "{text}");
    }
}

#[test]
fn a_real_folder_is_no_placeholder() {
    for text in [
        "",
        "/home/me/50%",
        "/home/$cash",
        "/home/me/%x%",
        "file:///home/$cash",
        "file:///home/me/50%25",
        "file:///%C3%A9t%C3%A9",
        "file:///%E6%97%A5/x",
        "file:///%20a%20b",
        "/home/{x}",
        r"C:\$Recycle.Bin",
        "file:///C:/$Recycle.Bin",
        "$",
        "$5",
        "%",
        "%%",
        "%a-b%/c",
        "100%",
    ] {
        assert!(!uri::is_placeholder(text), "{text}");
    }
}

#[test]
fn twins_in_another_unicode_form_stay_two_projects() {
    let composed = uri::project_key("file:///caf%C3%A9", POSIX).unwrap();
    let decomposed = uri::project_key("file:///cafe%CC%81", POSIX).unwrap();
    assert_ne!(composed, decomposed);
}
