//! The roots that a client lists for its folders.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::error::ConfigError;
use crate::path::uri::{file_uri_to_path, is_file_uri, path_to_file_uri};
use crate::path::{PathStyle, Refusal, absolute, basename, key};

/// A folder that a client provides to its servers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Folder {
    /// An absolute path or a `file:` URI; the root has the name of the folder.
    Place(String),
    /// A folder with a name of its own.
    Named(NamedFolder),
}

/// A folder and the name of its root.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct NamedFolder {
    /// An absolute path or a `file:` URI.
    pub uri: String,
    /// The name; without one, that of the folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Folder {
    /// A folder whose root has this name.
    pub fn named(place: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Named(NamedFolder { uri: place.into(), name: Some(name.into()) })
    }

    fn parts(&self) -> (&str, Option<&str>) {
        match self {
            Self::Place(place) => (place, None),
            Self::Named(NamedFolder { uri, name }) => (uri, name.as_deref()),
        }
    }
}

impl<T: Into<String>> From<T> for Folder {
    fn from(place: T) -> Self {
        Self::Place(place.into())
    }
}

/// An entry of the list that a client answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProvidedRoot {
    /// The canonical `file:` URI.
    pub uri: String,
    /// The name; there is none for `/`, a drive or a share without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Returns the roots that a client lists for these folders, in their order. A folder that is there twice is listed once.
///
/// ```
/// use rootwise::PathStyle;
/// use rootwise::provide::{Folder, provided_roots};
///
/// let folders = [r"C:\code\my shop".into(), Folder::named(r"\\server\share", "Designs")];
/// let roots = provided_roots(&folders, PathStyle::Windows)?;
/// assert_eq!(roots[0].uri, "file:///C:/code/my%20shop");
/// assert_eq!(roots[0].name.as_deref(), Some("my shop"));
/// assert_eq!((roots[1].uri.as_str(), roots[1].name.as_deref()), ("file://server/share", Some("Designs")));
/// assert!(provided_roots(&["shop".into()], PathStyle::Posix).is_err());
/// # Ok::<(), rootwise::ConfigError>(())
/// ```
///
/// # Errors
/// A folder is neither an absolute path of this style nor a `file:` URI; the error names its place in the list.
pub fn provided_roots(folders: &[Folder], style: PathStyle) -> Result<Vec<ProvidedRoot>, ConfigError> {
    let mut roots = Vec::new();
    let mut keys: Vec<String> = Vec::new();
    for (index, folder) in folders.iter().enumerate() {
        let (place, name) = folder.parts();
        let refused = |problem: String| ConfigError::new(format!("folders[{index}]"), problem);
        // A gateway passes on the URIs of a client on another system: their spelling says how it spells paths.
        let (path, style) = if is_file_uri(place) {
            let style = PathStyle::of(place);
            match file_uri_to_path(place, style) {
                Err(Refusal::RemoteHost) => (file_uri_to_path(place, PathStyle::Windows), PathStyle::Windows),
                path => (path, style),
            }
        } else {
            (absolute(place, style), style)
        };
        let path = path.map_err(|refusal| refused(format!("{refusal}; name an absolute folder")))?;
        let uri = path_to_file_uri(&path, style).ok_or_else(|| refused("the folder has no file URI".to_string()))?;
        let key = key(&path, style).map_err(|refusal| refused(refusal.to_string()))?;
        if !keys.contains(&key) {
            keys.push(key);
            roots.push(ProvidedRoot { uri, name: name.map(Into::into).or_else(|| basename(&path, style)) });
        }
    }
    Ok(roots)
}
