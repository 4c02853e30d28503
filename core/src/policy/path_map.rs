//! The path map as an operator writes it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::api::host::{HostFacts, PathMap};
use crate::error::ConfigError;
use crate::path::map::{Place, is_remote};
use crate::path::uri::path_to_file_uri;
use crate::path::{PathStyle, Refusal, absolute};

/// The variable that holds a path map.
pub(crate) const VARIABLE: &str = "ROOTWISE_PATH_MAP";

/// The command line option that holds one, without dashes.
pub(crate) const OPTION: &str = "path-map";

/// What an entry for WSL starts with; the name of the distribution follows.
const WSL: &str = "wsl:";

/// What an entry for dev containers starts with; the folder in the container follows, unless it is the one of this machine.
const DEV_CONTAINER: &str = "dev-container:";

const EXPECTED: &str = "expected <folder of the client>=<folder of this machine>, wsl:<distribution>, \
    or dev-container:<folder in the container>=<folder of this machine>";

impl PathMap {
    /// Reads a path map as an operator writes it: `<folder of the client>=<folder of this machine>`, several entries with `;`
    /// between them.
    ///
    /// The spelling of the client's folder says its style. It may also be the start of a URI with another scheme, such as
    /// `vscode-remote://ssh-remote+box/home/me`. `wsl:Ubuntu` stands for all folders that Windows and this distribution of WSL
    /// share, whichever of the two this machine is. `dev-container:/workspaces=/srv` stands for this folder of any dev container as
    /// an editor names it, and `dev-container:=/workspaces` for the same folder inside the container. A folder with `=` or `;` in its name has to be given in code.
    ///
    /// ```
    /// use rootwise::PathStyle;
    /// use rootwise::host::PathMap;
    ///
    /// let map = PathMap::parse(r"C:\code=/workspace; /home/me=/srv/me", PathStyle::Posix, "--path-map")?;
    /// assert_eq!(map[0], PathMap::new(r"C:\code", PathStyle::Windows, "/workspace"));
    /// assert_eq!(map[1], PathMap::new("/home/me", PathStyle::Posix, "/srv/me"));
    ///
    /// let error = PathMap::parse("/a=/b;code", PathStyle::Posix, "--path-map").unwrap_err();
    /// assert_eq!(error.place, "--path-map[1]");
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// An entry has another form, or a folder is no absolute path; the error names the place, after `place`.
    pub fn parse(text: &str, style: PathStyle, place: &str) -> Result<Vec<Self>, ConfigError> {
        let mut maps = Vec::new();
        let entries = text.split(';').map(str::trim).filter(|entry| !entry.is_empty());
        for (index, entry) in entries.enumerate() {
            let at = format!("{place}[{index}]");
            if let Some(distribution) = entry.strip_prefix(WSL) {
                maps.extend(wsl(distribution, style).ok_or_else(|| {
                    ConfigError::new(at, format!("`{entry}` names no distribution of WSL, as `wsl:Ubuntu` does"))
                })?);
                continue;
            }
            let mut sides = entry.split('=').map(str::trim);
            let (Some(from), Some(to), None) = (sides.next(), sides.next(), sides.next()) else {
                return Err(ConfigError::new(at, format!("`{entry}` is no entry: {EXPECTED}")));
            };
            let map = match from.strip_prefix(DEV_CONTAINER) {
                Some(folder) => Self::new(dev_container(folder, to, &at)?, PathStyle::Posix, to),
                None => Self::new(from, PathStyle::of(from), to),
            };
            map.check(style, &at)?;
            maps.push(map);
        }
        Ok(maps)
    }

    /// Finds what is wrong with an entry.
    pub(crate) fn check(&self, style: PathStyle, place: &str) -> Result<(), ConfigError> {
        let fault = |side: &str, folder: &str, problem: &dyn core::fmt::Display| {
            ConfigError::new(format!("{place}.{side}"), format!("`{folder}` is not an absolute path: {problem}"))
        };
        if is_remote(&self.from) {
            if Place::of(&self.from, PathStyle::Posix).is_none() || self.from_style != PathStyle::Posix {
                return Err(fault("from", &self.from, &"nor a URI with a posix path"));
            }
        } else {
            absolute(&self.from, self.from_style).map_err(|refusal| fault("from", &self.from, &refusal))?;
        }
        absolute(&self.to, style).map_err(|refusal| fault("to", &self.to, &refusal))?;
        Ok(())
    }
}

/// A folder of any dev container as an editor names it: the part behind `+` encodes the folder on the editor's machine.
fn dev_container(folder: &str, to: &str, at: &str) -> Result<String, ConfigError> {
    let folder = if folder.is_empty() { to } else { folder };
    let uri = absolute(folder, PathStyle::Posix).and_then(|folder| {
        let uri = path_to_file_uri(&folder, PathStyle::Posix).ok_or(Refusal::Relative)?;
        Ok(uri.replacen("file://", "vscode-remote://dev-container+*", 1))
    });
    uri.map_err(|refusal| {
        ConfigError::new(
            format!("{at}.from"),
            format!("`{folder}` is not an absolute path in a dev container: {refusal}"),
        )
    })
}

/// The folders that Windows and a distribution of WSL share, as entries for either of them; none without a plain name.
fn wsl(distribution: &str, style: PathStyle) -> Option<Vec<PathMap>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if !distribution.starts_with(|c: char| c.is_ascii_alphanumeric()) || !distribution.chars().all(is_plain) {
        return None;
    }
    let drives = ('a'..='z').map(|letter| {
        let (windows, posix) = (format!("{}:\\", letter.to_ascii_uppercase()), format!("/mnt/{letter}"));
        match style {
            PathStyle::Posix => PathMap::new(windows, PathStyle::Windows, posix),
            PathStyle::Windows => PathMap::new(posix, PathStyle::Posix, windows),
        }
    });
    let share = format!(r"\\wsl.localhost\{distribution}");
    let remote = format!("vscode-remote://wsl+{distribution}/");
    let rest = match style {
        PathStyle::Posix => {
            Vec::from([PathMap::new(share, PathStyle::Windows, "/"), PathMap::new(remote, PathStyle::Posix, "/")])
        }
        PathStyle::Windows => Vec::from([
            PathMap::new("/", PathStyle::Posix, share.clone()),
            PathMap::new(remote.replace("wsl+", "wsl%2B"), PathStyle::Posix, share.clone()),
            PathMap::new(remote, PathStyle::Posix, share),
        ]),
    };
    Some(drives.chain(rest).collect())
}

impl HostFacts {
    /// Whether the command line or the environment holds a path map.
    pub(crate) fn has_path_maps(&self) -> bool {
        self.arguments.contains_key(OPTION) || self.env.contains_key(VARIABLE)
    }

    /// These facts with the path maps of the command line and of the environment in front of those given in code. They count for
    /// what is checked; the option and the variable are then done with.
    pub(crate) fn with_path_maps(mut self) -> Result<Self, ConfigError> {
        let option = self.arguments.remove(OPTION);
        let variable = self.env.remove(VARIABLE);
        let places = [(option, "--path-map"), (variable, VARIABLE)];
        let mut maps = Vec::new();
        for (text, place) in places.into_iter().filter_map(|(text, place)| Some((text?, place))) {
            maps.extend(PathMap::parse(&text, self.style, place)?);
        }
        maps.append(&mut self.path_map);
        self.path_map = maps;
        self.check()?;
        Ok(self)
    }
}
