//! Paths as text, by the rules of a declared style instead of the build target's.
//!
//! Nothing here touches a file system. No case folding beyond ASCII, no Unicode normalisation, no
//! `~` or variable expansion; short names, trailing dots and links are not resolved.

pub mod display;
mod file;
pub(crate) mod host;
pub(crate) mod map;
pub mod name;
mod parse;
mod problem;
mod refusal;
pub(crate) mod rejection;
pub mod uri;

use alloc::borrow::ToOwned;
use alloc::string::String;

pub use self::file::{ProjectFolder, tool_path};
pub(crate) use self::parse::{
    Anchor, Parsed, is_dots_and_blanks, is_drive_like, is_separator, one_host, strip_drive, strip_ignoring_case,
    strip_piped_drive,
};
use self::parse::{is_device_name, push_dots};
pub use self::problem::{PathProblem, not_inside};
pub use self::refusal::Refusal;
pub use crate::api::style::PathStyle;

/// Returns the normal form of a path, absolute or not.
///
/// Separators are single and of the style's kind, dots are resolved, a drive letter is upper-case,
/// a separator ends only a root. `..` stops at a root. On Windows `\\?\C:\x` becomes `C:\x` where
/// both mean the same.
///
/// ```
/// use rootwise::path::{PathStyle, normalize};
///
/// assert_eq!(normalize("/work//app/../api/", PathStyle::Posix).as_deref(), Ok("/work/api"));
/// assert_eq!(normalize("c:/work\\app", PathStyle::Windows).as_deref(), Ok("C:\\work\\app"));
/// assert_eq!(normalize("../x", PathStyle::Posix).as_deref(), Ok("../x"));
/// ```
///
/// # Errors
/// The path is empty, holds a NUL, or has no single safe reading in this style.
pub fn normalize(path: &str, style: PathStyle) -> Result<String, Refusal> {
    Ok(Parsed::new(path, style)?.render())
}

impl PathStyle {
    /// The style that the spelling of a path, a key or a `file:` URI suggests: a drive letter or a share is written only on
    /// Windows.
    ///
    /// ```
    /// use rootwise::PathStyle;
    ///
    /// assert_eq!(PathStyle::of("file:///C:/work"), PathStyle::Windows);
    /// assert_eq!(PathStyle::of("/work"), PathStyle::Posix);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let after_scheme = strip_ignoring_case(text, "file:");
        let path = after_scheme.map_or(text, |rest| rest.trim_start_matches('/'));
        let colon = |rest: &str| strip_ignoring_case(rest, "%3a").or_else(|| rest.strip_prefix([':', '|'])).is_some();
        let mut chars = path.chars();
        let has_drive = chars.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && colon(chars.as_str());
        if has_drive || text.starts_with(r"\\") { Self::Windows } else { Self::Posix }
    }
}

/// Tells whether a path is valid and depends on no current directory or drive.
///
/// ```
/// use rootwise::path::{PathStyle, is_absolute};
///
/// assert!(is_absolute("/work", PathStyle::Posix) && is_absolute("C:\\work", PathStyle::Windows));
/// assert!(!is_absolute("work", PathStyle::Posix) && !is_absolute("\\work", PathStyle::Windows));
/// ```
pub fn is_absolute(path: &str, style: PathStyle) -> bool {
    Parsed::absolute(path, style).is_ok()
}

/// Returns the normal form of an absolute path.
///
/// ```
/// use rootwise::path::{PathStyle, Refusal, absolute};
///
/// assert_eq!(absolute("/work/./app", PathStyle::Posix).as_deref(), Ok("/work/app"));
/// assert_eq!(absolute("app", PathStyle::Posix), Err(Refusal::Relative));
/// ```
///
/// # Errors
/// The path is relative, or as for [`normalize`].
pub fn absolute(path: &str, style: PathStyle) -> Result<String, Refusal> {
    Ok(Parsed::absolute(path, style)?.render())
}

/// Returns the last name of a path after normalising; a root has none.
///
/// ```
/// use rootwise::path::{PathStyle, basename};
///
/// assert_eq!(basename("/work/app/", PathStyle::Posix).as_deref(), Some("app"));
/// assert_eq!(basename("C:\\", PathStyle::Windows), None);
/// ```
pub fn basename(path: &str, style: PathStyle) -> Option<String> {
    let parsed = Parsed::new(path, style).ok()?;
    let name = parsed.names.last().filter(|name| *name != "..")?;
    Some(name.as_ref().to_owned())
}

/// Returns the folder that holds an absolute path; a root has none.
///
/// ```
/// use rootwise::path::{PathStyle, parent};
///
/// assert_eq!(parent("/work/app", PathStyle::Posix).as_deref(), Some("/work"));
/// assert_eq!(parent("/", PathStyle::Posix), None);
/// ```
pub fn parent(path: &str, style: PathStyle) -> Option<String> {
    let mut parsed = Parsed::absolute(path, style).ok()?;
    parsed.names.pop()?;
    Some(parsed.render())
}

/// Tells whether opening a path would contact the host it names.
///
/// ```
/// use rootwise::path::{PathStyle, is_unc};
///
/// assert!(is_unc(r"\\server\share\app", PathStyle::Windows));
/// assert!(!is_unc(r"C:\app", PathStyle::Windows) && !is_unc("//server/share", PathStyle::Posix));
/// ```
pub fn is_unc(path: &str, style: PathStyle) -> bool {
    style == PathStyle::Windows && Parsed::new(path, style).is_ok_and(|parsed| matches!(parsed.anchor, Anchor::Unc(..)))
}

/// Joins a relative path to an absolute one; an absolute second path is returned instead.
///
/// A path that is neither is `\x` or `C:x` on Windows.
///
/// ```
/// use rootwise::path::{PathStyle, join};
///
/// assert_eq!(join("/work/app", "../api", PathStyle::Posix).as_deref(), Ok("/work/api"));
/// assert_eq!(join("/work/app", "/etc", PathStyle::Posix).as_deref(), Ok("/etc"));
/// assert!(join(r"C:\work", r"\etc", PathStyle::Windows).is_err());
/// ```
///
/// # Errors
/// `base` is not absolute, one of the two is refused as by [`normalize`], or `relative` needs a current drive.
pub fn join(base: &str, relative: &str, style: PathStyle) -> Result<String, Refusal> {
    Ok(joined(&Parsed::absolute(base, style)?, relative, style)?.render())
}

/// Returns the identity of an absolute path: paths with the same key are the same place by their
/// spelling.
///
/// POSIX keys are the normal form; Windows keys also have their ASCII letters in upper case, and of the two names of WSL's share
/// (`\\\\wsl$`, `\\\\wsl.localhost`) the second.
///
/// ```
/// use rootwise::path::{PathStyle, key};
///
/// assert_eq!(key(r"c:\Work\app", PathStyle::Windows), key("C:/WORK/App/", PathStyle::Windows));
/// assert_ne!(key("/work/app", PathStyle::Posix), key("/work/App", PathStyle::Posix));
/// ```
///
/// # Errors
/// As for [`absolute`].
pub fn key(path: &str, style: PathStyle) -> Result<String, Refusal> {
    let mut parsed = Parsed::absolute(path, style)?;
    if let Anchor::Unc(host, _) = &mut parsed.anchor {
        *host = one_host(host).to_owned().into();
    }
    let mut key = parsed.render();
    if style == PathStyle::Windows {
        key.make_ascii_uppercase();
    }
    Ok(key)
}

/// Tells whether `path` is `root` or below it, by spelling alone.
///
/// Whole names are compared after normalising, on Windows without regard to ASCII case. Anything
/// refused or not absolute is never inside. Links are not seen: see [`is_inside_real`].
///
/// ```
/// use rootwise::path::{PathStyle, is_inside};
///
/// assert!(is_inside("/work/app", "/work/app/src/..", PathStyle::Posix));
/// assert!(!is_inside("/work/app", "/work/app2", PathStyle::Posix));
/// assert!(!is_inside("/work/app", "src", PathStyle::Posix));
/// ```
pub fn is_inside(root: &str, path: &str, style: PathStyle) -> bool {
    let (Ok(root), Ok(path)) = (Parsed::absolute(root, style), Parsed::absolute(path, style)) else {
        return false;
    };
    path.below(&root).is_some()
}

/// Holds what the host's file system says two paths really are, every link followed.
///
/// Both are real paths of the *normalised* spellings. For something that does not exist yet the
/// host resolves the deepest folder that does and appends the rest.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RealPaths<'a> {
    /// The real path of the root.
    pub root: &'a str,
    /// The real path of the path in question.
    pub path: &'a str,
}

impl<'a> RealPaths<'a> {
    /// The real paths of a root and of the path in question.
    #[must_use]
    pub const fn new(root: &'a str, path: &'a str) -> Self {
        Self { root, path }
    }
}

/// Tells whether `path` is `root` or below it on disk.
///
/// The real paths alone decide the place: a link that leads out is outside although its spelling is
/// inside, and `/private/tmp/p/x` is inside `/tmp/p` where `/tmp` is a link. Both spellings must
/// still be absolute and acceptable. The answer is as old as the real paths: something may be
/// swapped between this check and its use.
///
/// ```
/// use rootwise::path::{PathStyle, RealPaths, is_inside_real};
///
/// // A link inside the project leads out of it.
/// let real = RealPaths::new("/work/app", "/etc/passwd");
/// assert!(!is_inside_real("/work/app", "/work/app/link", PathStyle::Posix, real));
/// ```
pub fn is_inside_real(root: &str, path: &str, style: PathStyle, real: RealPaths<'_>) -> bool {
    is_absolute(root, style) && is_absolute(path, style) && is_inside(real.root, real.path, style)
}

/// Returns the place a tool's path means, relative to the project or absolute, if that is the
/// project or below it.
///
/// On Windows names that Windows would not open as spelled are refused as well: streams (`x:y`),
/// devices (`NUL`), and names of only dots and blanks, which may mean the parent. Links are not
/// seen: see [`is_inside_real`].
///
/// ```
/// use rootwise::path::{PathStyle, Refusal, join_inside};
///
/// assert_eq!(join_inside("/work/app", "src/main.rs", PathStyle::Posix).as_deref(), Ok("/work/app/src/main.rs"));
/// assert_eq!(join_inside("/work/app", "../api", PathStyle::Posix), Err(Refusal::Outside));
/// assert_eq!(join_inside(r"C:\app", "NUL", PathStyle::Windows), Err(Refusal::DeviceNamespace));
/// ```
///
/// # Errors
/// The place is not inside the project ([`Refusal::Outside`]), a name is one of these, or as for [`join`].
pub fn join_inside(project: &str, path: &str, style: PathStyle) -> Result<String, Refusal> {
    let project = Parsed::absolute(project, style)?;
    let joined = joined(&project, path, style)?;
    opens_as_spelled(joined.below(&project).ok_or(Refusal::Outside)?, style)?;
    Ok(joined.render())
}

/// Refuses names that Windows would not open as spelled.
fn opens_as_spelled<N: AsRef<str>>(names: &[N], style: PathStyle) -> Result<(), Refusal> {
    if style == PathStyle::Windows {
        for name in names.iter().map(AsRef::as_ref) {
            if name.contains(':') {
                return Err(Refusal::AlternateStream);
            }
            if is_device_name(name) {
                return Err(Refusal::DeviceNamespace);
            }
            if is_dots_and_blanks(name) {
                return Err(Refusal::AmbiguousDots);
            }
        }
    }
    Ok(())
}

fn joined<'a>(base: &Parsed<'a>, path: &'a str, style: PathStyle) -> Result<Parsed<'a>, Refusal> {
    let relative = Parsed::new(path, style)?;
    match relative.anchor {
        Anchor::Posix | Anchor::Drive(_) | Anchor::Unc(..) => return Ok(relative),
        Anchor::Rooted => return Err(Refusal::NoDrive),
        Anchor::DriveRelative(_) => return Err(Refusal::DriveRelative),
        Anchor::Relative(_) => {}
    }
    let mut joined = base.clone();
    for name in relative.names {
        if name == ".." {
            push_dots(&mut joined.names, false);
        } else if style == PathStyle::Windows && is_drive_like(&name) {
            return Err(Refusal::DriveLikeComponent);
        } else {
            joined.names.push(name);
        }
    }
    Ok(joined)
}
