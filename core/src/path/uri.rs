//! Converts `file:` URIs to paths and back.
//!
//! The raw text is examined before a parser may strip, fold or resolve it: spellings on which parsers disagree are
//! refused. Then [`Url`] parses the host, and `percent-encoding` decodes and encodes names. The segments of the path are
//! taken from the raw text, because `Url` resolves dots before the names around them can be judged:
//!
//! - `file:///a%2Fb/../c` and `file:///%zz/../c` would lose the name that makes them refused,
//! - `file:///a//../b` would become `/a/b`, while path code reads `/b`,
//! - `file:///C:/../x` would keep the drive, which on POSIX is a folder like any other.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};
use url::Url;

use crate::path::{
    self, Anchor, Parsed, PathStyle, Refusal, is_dots_and_blanks, is_drive_like, is_separator, strip_drive,
    strip_ignoring_case, strip_piped_drive,
};

/// Returns the normalised absolute path a `file:` URI names.
///
/// Percent escapes are decoded exactly once. See `docs/uris.md` for every spelling that is refused.
///
/// ```
/// use rootwise::path::uri::file_uri_to_path;
/// use rootwise::path::{PathStyle, Refusal};
///
/// assert_eq!(file_uri_to_path("file:///home/me/my%20app", PathStyle::Posix).as_deref(), Ok("/home/me/my app"));
/// assert_eq!(file_uri_to_path("file:///c%3A/work", PathStyle::Windows).as_deref(), Ok(r"C:\work"));
/// assert_eq!(file_uri_to_path("file:///a%2Fb", PathStyle::Posix), Err(Refusal::EncodedSeparator));
/// ```
///
/// # Errors
/// The text is not a `file:` URI, names no absolute path of this style, or is spelled in a way that parsers read differently.
pub fn file_uri_to_path(uri: &str, style: PathStyle) -> Result<String, Refusal> {
    check_raw(uri)?;
    let rest = strip_ignoring_case(uri, "file:").ok_or(Refusal::NotFileUri)?;
    if rest.contains(['?', '#']) {
        return Err(Refusal::QueryOrFragment);
    }
    if rest.is_empty() {
        return Err(Refusal::EmptyPath);
    }
    if let Some(rest) = rest.strip_prefix("//") {
        return with_authority(rest, style);
    }
    if rest.starts_with('\\') {
        return Err(Refusal::Backslash);
    }
    match (rest.strip_prefix('/'), style) {
        (Some(path), _) => local(path, style),
        (None, PathStyle::Windows) if rest.split(is_separator).next().is_some_and(is_drive) => local(rest, style),
        (None, PathStyle::Windows) if is_drive_like(rest) => Err(Refusal::DriveRelative),
        // `Url` would put the relative path below the root.
        (None, _) => Err(Refusal::Relative),
    }
}

/// Returns the canonical `file:` URI of an absolute path.
///
/// There is none for a path that is not absolute, nor for a UNC host that a URI cannot hold or
/// would take for the local machine. [`file_uri_to_path`] gives the normalised path back, except
/// that a UNC host comes back in lower case.
///
/// ```
/// use rootwise::path::PathStyle;
/// use rootwise::path::uri::path_to_file_uri;
///
/// assert_eq!(path_to_file_uri("/home/me/my app", PathStyle::Posix).as_deref(), Some("file:///home/me/my%20app"));
/// assert_eq!(path_to_file_uri(r"\\server\share", PathStyle::Windows).as_deref(), Some("file://server/share"));
/// assert_eq!(path_to_file_uri("app", PathStyle::Posix), None);
/// ```
pub fn path_to_file_uri(path: &str, style: PathStyle) -> Option<String> {
    let parsed = Parsed::absolute(path, style).ok()?;
    let mut uri = String::from("file://");
    match &parsed.anchor {
        Anchor::Posix => {}
        Anchor::Drive(letter) => uri.extend(['/', *letter, ':']),
        Anchor::Unc(host, share) => {
            uri.push_str(&parse_host(host.to_ascii_lowercase()).ok()??);
            uri.push('/');
            encode(share, &mut uri);
        }
        Anchor::Relative(_) | Anchor::Rooted | Anchor::DriveRelative(_) => return None,
    }
    for name in &parsed.names {
        uri.push('/');
        encode(name, &mut uri);
    }
    if parsed.names.is_empty() && !matches!(parsed.anchor, Anchor::Unc(..)) {
        uri.push('/');
    }
    Some(uri)
}

/// Returns the identity of the project a root URI names: the [`path::key`] of its path.
///
/// ```
/// use rootwise::path::PathStyle;
/// use rootwise::path::uri::{project_id, project_key};
///
/// let key = project_key("file:///c:/Work/app", PathStyle::Windows)?;
/// assert_eq!(key, r"C:\WORK\APP");
/// assert_eq!(project_id(&key).len(), 16);
/// # Ok::<(), rootwise::path::Refusal>(())
/// ```
///
/// # Errors
/// As for [`file_uri_to_path`].
pub fn project_key(uri: &str, style: PathStyle) -> Result<String, Refusal> {
    path::key(&file_uri_to_path(uri, style)?, style)
}

/// Returns a short name for a key, safe in file names: 16 hexadecimal digits of its SHA-256.
///
/// ```
/// use rootwise::path::uri::project_id;
///
/// assert_eq!(project_id("/work/app"), project_id("/work/app"));
/// assert_ne!(project_id("/work/app"), project_id("/work/api"));
/// ```
pub fn project_id(key: &str) -> String {
    let front = fingerprint(key).iter().take(8).fold(0_u64, |front, byte| front << 8 | u64::from(*byte));
    format!("{front:016x}")
}

/// A text in a fixed size.
#[inline(never)]
pub(crate) fn fingerprint(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// Tells whether a value is template text that nobody expanded, as a path or behind `file:`.
///
/// `${` and `{{` count anywhere, percent-encoded too; `$NAME` and `%NAME%` only in front, because
/// in the middle of a path they may be real folders.
///
/// ```
/// use rootwise::path::uri::is_placeholder;
///
/// assert!(is_placeholder("${workspaceFolder}") && is_placeholder("file:///%24%7Bcwd}") && is_placeholder("$PWD"));
/// assert!(!is_placeholder("/work/us$d"));
/// ```
pub fn is_placeholder(text: &str) -> bool {
    if !text.contains(['$', '%', '{']) {
        return false;
    }
    let text = text.replace("%24", "$").replace("%7B", "{").replace("%7b", "{");
    if text.contains("${") || text.contains("{{") {
        return true;
    }
    let text = text.trim_start();
    let front = strip_ignoring_case(text, "file:").map_or(text, |rest| rest.trim_start_matches(is_separator));
    if let Some(name) = front.strip_prefix('$') {
        return name.starts_with(is_name_start);
    }
    front.strip_prefix('%').and_then(|rest| rest.split_once('%')).is_some_and(|(name, after)| {
        let escapes = starts_with_hex_pair(name) && starts_with_hex_pair(after);
        name.starts_with(is_name_start) && name.chars().all(is_name_part) && !escapes
    })
}

/// Whether a text has the scheme `file`.
pub(crate) fn is_file_uri(text: &str) -> bool {
    text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Whether a text can only be meant as a URI.
pub(crate) fn looks_like_uri(text: &str) -> bool {
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
    };
    is_file_uri(text) || text.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

fn is_name_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Allows for `%ProgramFiles(x86)%`.
fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_ascii_digit() || matches!(c, '(' | ')')
}

fn starts_with_hex_pair(text: &str) -> bool {
    matches!(text.as_bytes(), [high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit())
}

/// Refuses what the WHATWG rules would silently strip.
fn check_raw(uri: &str) -> Result<(), Refusal> {
    if uri.contains('\0') {
        return Err(Refusal::Nul);
    }
    if uri.contains(|c: char| c.is_ascii_control()) {
        return Err(Refusal::Control);
    }
    if uri.starts_with(' ') || uri.ends_with(' ') {
        return Err(Refusal::OuterBlank);
    }
    Ok(())
}

/// Reads a URI from what follows `file://`.
fn with_authority(rest: &str, style: PathStyle) -> Result<String, Refusal> {
    let end = rest.find(is_separator).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    if is_drive(authority) {
        // Several clients send `file://C:/x`; no host is called `C:`.
        return match style {
            PathStyle::Windows => local(rest, style),
            PathStyle::Posix => Err(Refusal::DriveOnPosix),
        };
    }
    if path.starts_with('\\') {
        return Err(Refusal::Backslash);
    }
    let host = decode(authority)?.to_ascii_lowercase();
    match (parse_host(host), style) {
        (Ok(None), _) => match path.strip_prefix('/') {
            Some(path) => local(path, style),
            None => Err(Refusal::EmptyPath),
        },
        (_, PathStyle::Posix) => Err(Refusal::RemoteHost),
        (Ok(Some(host)), PathStyle::Windows) => share(host, path.strip_prefix('/').unwrap_or_default()),
        (Err(refusal), PathStyle::Windows) => Err(refusal),
    }
}

/// Parses a decoded, lower-case host; this machine has none.
///
/// Only a host that every parser leaves exactly as it is passes. The characters are checked before [`Url`] sees them,
/// because its verdict on other characters and on punycode depends on the IDNA tables of the build. It sees the host
/// without the path: it would drop the host of `file://host/C:/x`.
fn parse_host(host: String) -> Result<Option<String>, Refusal> {
    if host.is_empty() {
        return Ok(None);
    }
    if host == "?" || host.chars().all(|c| c == '.') {
        return Err(Refusal::DeviceNamespace);
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '_' | '$' | '~');
    if !host.chars().all(is_plain) || host.ends_with('.') {
        return Err(Refusal::InvalidHost);
    }
    let ascii = host.replace("xn--", "xx--");
    let url = Url::parse(&format!("file://{ascii}/")).map_err(|_| Refusal::InvalidHost)?;
    match url.host_str() {
        // `localhost`
        None => Ok(None),
        Some(parsed) if parsed == ascii => Ok(Some(host)),
        // `Url` knows the many spellings of an IPv4 address and rewrites them.
        Some(_) => Err(Refusal::InvalidHost),
    }
}

/// Reads the path of a URI on this machine, without its leading slash.
fn local(path: &str, style: PathStyle) -> Result<String, Refusal> {
    match style {
        PathStyle::Posix => posix(path),
        PathStyle::Windows => drive(path),
    }
}

fn posix(path: &str) -> Result<String, Refusal> {
    if path.contains('\\') {
        return Err(Refusal::Backslash);
    }
    let resolved = Resolved::new(path, PathStyle::Posix)?;
    // Elsewhere `C|` is read as the drive `C:`.
    if is_piped_drive(resolved.first) {
        return Err(Refusal::DriveOnPosix);
    }
    Ok(resolved.render(Anchor::Posix))
}

fn drive(path: &str) -> Result<String, Refusal> {
    if path.starts_with(is_separator) {
        return Err(Refusal::LeadingDoubleSlash);
    }
    let (first, below) = path.split_once(is_separator).unwrap_or((path, ""));
    let name = decode_name(first, PathStyle::Windows)?;
    let resolved = Resolved::new(below, PathStyle::Windows);
    match (strip_drive(&name), strip_piped_drive(first)) {
        (Some((letter, "")), _) | (None, Some((letter, ""))) => Ok(resolved?.render(Anchor::Drive(letter))),
        (Some(_), _) => Err(Refusal::DriveRelative),
        (None, _) => Err(match resolved {
            Ok(_) => Refusal::NoDrive,
            Err(Refusal::DriveLikeComponent) => Refusal::DriveNotFirst,
            Err(refusal) => refusal,
        }),
    }
}

/// Reads the path of a URI on another machine, without its leading slash.
fn share(host: String, path: &str) -> Result<String, Refusal> {
    let (first, below) = path.split_once(is_separator).unwrap_or((path, ""));
    let share = decode_name(first, PathStyle::Windows)?;
    let resolved = Resolved::new(below, PathStyle::Windows)?;
    if resolved.climbed || matches!(&*share, "." | "..") {
        return Err(Refusal::UncEscape);
    }
    if is_dots_and_blanks(&share) || is_drive_like(&share) || is_piped_drive(first) {
        return Err(Refusal::BadUnc);
    }
    Ok(resolved.render(Anchor::Unc(Cow::Owned(host), share)))
}

/// The names below a root, decoded and then resolved.
struct Resolved<'a> {
    names: Vec<Cow<'a, str>>,
    /// The first of them as it is spelled.
    first: &'a str,
    /// A `..` led above the root and was dropped.
    climbed: bool,
}

impl<'a> Resolved<'a> {
    fn new(path: &'a str, style: PathStyle) -> Result<Self, Refusal> {
        let mut resolved = Self { names: Vec::new(), first: "", climbed: false };
        let separator = |c| c == '/' || (style == PathStyle::Windows && c == '\\');
        let names = &mut resolved.names;
        for raw in path.split(separator) {
            // Every segment is judged, also one that a later `..` takes back.
            let name = decode_name(raw, style)?;
            if style == PathStyle::Windows && is_drive_like(&name) {
                return Err(Refusal::DriveLikeComponent);
            }
            match &*name {
                "." => {}
                ".." => match names.pop() {
                    // URL code takes back the empty segment, path code the name before it.
                    Some(last) if last.is_empty() => return Err(Refusal::AmbiguousDots),
                    Some(_) => {}
                    None => resolved.climbed = true,
                },
                // One empty segment says as much as many.
                "" if names.last().is_some_and(|last| last.is_empty()) => {}
                _ => {
                    if names.iter().all(|name| name.is_empty()) {
                        resolved.first = raw;
                    }
                    names.push(name);
                }
            }
        }
        names.retain(|name| !name.is_empty());
        if names.is_empty() {
            resolved.first = "";
        }
        Ok(resolved)
    }

    fn render(self, anchor: Anchor<'a>) -> String {
        Parsed { anchor, names: self.names }.render()
    }
}

fn decode_name(raw: &str, style: PathStyle) -> Result<Cow<'_, str>, Refusal> {
    let name = decode(raw)?;
    // Any separator in a decoded name was encoded: the raw ones have split the path already.
    match style {
        PathStyle::Posix if name.contains('/') => Err(Refusal::EncodedSeparator),
        PathStyle::Windows if name.contains(is_separator) => Err(Refusal::EncodedSeparator),
        _ => Ok(name),
    }
}

fn decode(raw: &str) -> Result<Cow<'_, str>, Refusal> {
    if !raw.contains('%') {
        return Ok(Cow::Borrowed(raw));
    }
    // `percent_decode_str` would keep a malformed escape as it is.
    if raw.split('%').skip(1).any(|after| !starts_with_hex_pair(after)) {
        return Err(Refusal::MalformedPercent);
    }
    let text = percent_decode_str(raw).decode_utf8().map_err(|_| Refusal::InvalidUtf8)?;
    if text.contains('\0') {
        return Err(Refusal::Nul);
    }
    Ok(text)
}

/// Everything that RFC 3986 does not let stand in a segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

fn encode(name: &str, uri: &mut String) {
    uri.extend(utf8_percent_encode(name, SEGMENT));
}

/// Tells whether a raw segment is a drive and nothing else.
fn is_drive(raw: &str) -> bool {
    matches!(strip_drive(raw), Some((_, ""))) || is_piped_drive(raw)
}

/// Tells whether a raw segment is `C|`, an old spelling of `C:`.
fn is_piped_drive(raw: &str) -> bool {
    matches!(strip_piped_drive(raw), Some((_, "")))
}
