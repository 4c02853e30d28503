//! A path taken apart: where it starts, and the names below, dots resolved.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use super::{PathStyle, Refusal};

#[derive(Clone, Debug)]
pub(crate) struct Parsed<'a> {
    pub(crate) anchor: Anchor<'a>,
    /// No empty name and no `.`; `..` only at the front of a path that is not anchored.
    pub(crate) names: Vec<Cow<'a, str>>,
}

/// Where a path starts.
#[derive(Clone, Debug)]
pub(crate) enum Anchor<'a> {
    /// `x` and, on Windows, `.\C:x`.
    Relative(PathStyle),
    /// `/`
    Posix,
    /// `\`, on whatever drive is current.
    Rooted,
    /// `C:\`, the letter in upper case.
    Drive(char),
    /// `C:`, wherever that drive's current directory is.
    DriveRelative(char),
    /// `\\host\share\`
    Unc(Cow<'a, str>, Cow<'a, str>),
}

impl<'a> Parsed<'a> {
    pub(crate) fn new(path: &'a str, style: PathStyle) -> Result<Self, Refusal> {
        if path.is_empty() {
            return Err(Refusal::EmptyPath);
        }
        if path.contains('\0') {
            return Err(Refusal::Nul);
        }
        match style {
            PathStyle::Posix => {
                let anchor = if path.starts_with('/') { Anchor::Posix } else { Anchor::Relative(style) };
                let names = resolve(path.split('/'), anchor.holds_dots());
                Ok(Self { anchor, names })
            }
            PathStyle::Windows => Self::windows(path),
        }
    }

    fn windows(path: &'a str) -> Result<Self, Refusal> {
        if let Some(rest) = path.strip_prefix(r"\\?\") {
            return Self::verbatim(rest);
        }
        let (anchor, rest) = if let Some(rest) = strip_separator(path).and_then(strip_separator) {
            unc(rest)?
        } else if let Some(rest) = strip_separator(path) {
            (Anchor::Rooted, rest)
        } else if let Some((letter, rest)) = strip_drive(path) {
            match strip_separator(rest) {
                Some(rest) => (Anchor::Drive(letter), rest),
                None => (Anchor::DriveRelative(letter), rest),
            }
        } else {
            (Anchor::Relative(PathStyle::Windows), path)
        };
        // Code that appends names one by one jumps to another drive at such a name.
        if !matches!(anchor, Anchor::Relative(_) | Anchor::Rooted) && rest.split(is_separator).any(is_drive_like) {
            return Err(Refusal::DriveLikeComponent);
        }
        let names = resolve(rest.split(is_separator), anchor.holds_dots());
        // `\??\` is the object manager's spelling of `\\?\`.
        if matches!(anchor, Anchor::Rooted) && names.first().is_some_and(|name| name == "??") {
            return Err(Refusal::DeviceNamespace);
        }
        Ok(Self { anchor, names })
    }

    /// Reads what follows `\\?\`, where Windows resolves nothing.
    ///
    /// Only a path that means the same without the prefix passes.
    fn verbatim(path: &'a str) -> Result<Self, Refusal> {
        let share = strip_ignoring_case(path, r"UNC\");
        let below = share.or_else(|| strip_drive(path)?.1.strip_prefix('\\')).ok_or(Refusal::DeviceNamespace)?;
        let below = below.strip_suffix('\\').unwrap_or(below);
        if below.contains('/') || (!below.is_empty() && below.split('\\').any(needs_verbatim)) {
            return Err(Refusal::DeviceNamespace);
        }
        if share.is_none() {
            return Self::windows(path);
        }
        let (anchor, below) = unc(below).map_err(|_| Refusal::DeviceNamespace)?;
        let names = resolve(below.split('\\'), false);
        Ok(Self { anchor, names })
    }

    pub(crate) fn absolute(path: &'a str, style: PathStyle) -> Result<Self, Refusal> {
        let parsed = Self::new(path, style)?;
        match parsed.anchor {
            Anchor::Posix | Anchor::Drive(_) | Anchor::Unc(..) => Ok(parsed),
            Anchor::Relative(_) => Err(Refusal::Relative),
            Anchor::Rooted => Err(Refusal::NoDrive),
            Anchor::DriveRelative(_) => Err(Refusal::DriveRelative),
        }
    }

    /// Returns the names below `root` when this path is `root` or inside it.
    pub(crate) fn below(&self, root: &Self) -> Option<&[Cow<'a, str>]> {
        if !self.anchor.same(&root.anchor) {
            return None;
        }
        let (front, below) = self.names.split_at_checked(root.names.len())?;
        let same = match self.anchor {
            Anchor::Posix => front == root.names.as_slice(),
            _ => front.iter().zip(&root.names).all(|(a, b)| a.eq_ignore_ascii_case(b)),
        };
        same.then_some(below)
    }

    pub(crate) fn render(&self) -> String {
        let (mut text, separator) = match &self.anchor {
            Anchor::Relative(PathStyle::Posix) => (String::new(), "/"),
            // Without its dot a first name such as `C:x` would be read as a drive.
            Anchor::Relative(PathStyle::Windows) => {
                let dot = self.names.first().is_some_and(|name| is_drive_like(name));
                (String::from(if dot { r".\" } else { "" }), r"\")
            }
            Anchor::Posix => (String::from("/"), "/"),
            Anchor::Rooted => (String::from(r"\"), r"\"),
            Anchor::Drive(letter) => (String::from_iter([*letter, ':', '\\']), r"\"),
            Anchor::DriveRelative(letter) => (String::from_iter([*letter, ':']), r"\"),
            Anchor::Unc(host, share) => (String::from_iter([r"\\", host, r"\", share, r"\"]), r"\"),
        };
        if self.names.is_empty() && self.anchor.holds_dots() {
            text.push('.');
        }
        let names = self.names.iter().map(|name| name.len().saturating_add(1));
        text.reserve(names.fold(0, usize::saturating_add));
        for (at, name) in self.names.iter().enumerate() {
            if at > 0 {
                text.push_str(separator);
            }
            text.push_str(name);
        }
        text
    }
}

impl Anchor<'_> {
    /// Tells whether a leading `..` means something above a path that starts here.
    fn holds_dots(&self) -> bool {
        matches!(self, Self::Relative(_) | Self::DriveRelative(_))
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Posix, Self::Posix) => true,
            (Self::Drive(a), Self::Drive(b)) => a == b,
            (Self::Unc(host, share), Self::Unc(other_host, other_share)) => {
                one_host(host).eq_ignore_ascii_case(one_host(other_host)) && share.eq_ignore_ascii_case(other_share)
            }
            _ => false,
        }
    }
}

/// The name by which a host is compared: WSL's distributions have two.
pub(crate) fn one_host(host: &str) -> &str {
    if host.eq_ignore_ascii_case("wsl$") { "wsl.localhost" } else { host }
}

/// Drops empty names and `.`, and lets `..` take back the name before it; at a root it takes back
/// nothing.
fn resolve<'a>(names: impl Iterator<Item = &'a str>, keep_leading_dots: bool) -> Vec<Cow<'a, str>> {
    let mut resolved: Vec<Cow<'a, str>> = Vec::new();
    for name in names {
        match name {
            "" | "." => {}
            ".." => push_dots(&mut resolved, keep_leading_dots),
            _ => resolved.push(Cow::Borrowed(name)),
        }
    }
    resolved
}

pub(crate) fn push_dots(names: &mut Vec<Cow<'_, str>>, keep_leading_dots: bool) {
    match names.last() {
        Some(name) if name != ".." => {
            names.pop();
        }
        _ if keep_leading_dots => names.push(Cow::Borrowed("..")),
        _ => {}
    }
}

/// Splits what follows `\\` into its host and share, and the rest.
fn unc(text: &str) -> Result<(Anchor<'_>, &str), Refusal> {
    let mut parts = text.splitn(3, is_separator);
    let host = parts.next().unwrap_or_default();
    let share = parts.next().unwrap_or_default();
    if matches!(host, "." | "?") {
        return Err(Refusal::DeviceNamespace);
    }
    for part in [host, share] {
        if is_dots_and_blanks(part) || is_drive_like(part) {
            return Err(Refusal::BadUnc);
        }
    }
    Ok((Anchor::Unc(Cow::Borrowed(host), Cow::Borrowed(share)), parts.next().unwrap_or_default()))
}

pub(crate) fn is_separator(c: char) -> bool {
    matches!(c, '/' | '\\')
}

fn strip_separator(text: &str) -> Option<&str> {
    text.strip_prefix(is_separator)
}

/// Splits `C:` off the front and gives the letter in upper case.
pub(crate) fn strip_drive(text: &str) -> Option<(char, &str)> {
    strip_letter(text, ':')
}

/// Splits `C|`, an old URI spelling of `C:`, off the front.
pub(crate) fn strip_piped_drive(text: &str) -> Option<(char, &str)> {
    strip_letter(text, '|')
}

fn strip_letter(text: &str, mark: char) -> Option<(char, &str)> {
    let mut chars = text.chars();
    let letter = chars.next().filter(char::is_ascii_alphabetic)?;
    let rest = chars.as_str().strip_prefix(mark)?;
    Some((letter.to_ascii_uppercase(), rest))
}

/// Tells whether nothing would be left of a name where Windows drops trailing dots and blanks.
pub(crate) fn is_dots_and_blanks(name: &str) -> bool {
    name.chars().all(|c| matches!(c, '.' | ' '))
}

pub(crate) fn is_drive_like(name: &str) -> bool {
    strip_drive(name).is_some()
}

pub(crate) fn strip_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (front, rest) = text.split_at_checked(prefix.len())?;
    front.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn needs_verbatim(name: &str) -> bool {
    name.is_empty() || name.ends_with(['.', ' ']) || is_device_name(name) || is_drive_like(name)
}

/// Tells whether Windows opens a device for this name, with any extension and in any folder.
pub(crate) fn is_device_name(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end_matches(' ');
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].iter().any(|device| stem.eq_ignore_ascii_case(device)) {
        return true;
    }
    let numbered = strip_ignoring_case(stem, "COM").or_else(|| strip_ignoring_case(stem, "LPT"));
    // Windows takes the superscript digits of Latin-1 for digits here.
    numbered.is_some_and(|number| {
        matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    })
}
