//! What the host facts imply, and the check of them.

use alloc::format;
use alloc::string::String;

use crate::api::host::{ExcludedDirs, HostFacts, Transport};
use crate::error::{ConfigError, parse_json};
use crate::path::{self, PathStyle};

impl HostFacts {
    /// Parses facts; the error names the field.
    ///
    /// ```
    /// use rootwise::HostFacts;
    ///
    /// let host = HostFacts::from_json(r#"{ "style": "posix", "cwd": "/work/app", "allowedDirs": ["/work"] }"#)?;
    /// assert_eq!(host.cwd.as_deref(), Some("/work/app"));
    /// let error = HostFacts::from_json(r#"{ "style": "dos" }"#).unwrap_err();
    /// assert!(error.place.contains("style"));
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// The text is not JSON, or a field is unknown, missing or of the wrong type.
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        parse_json(text)
    }

    /// Finds the first invalid fact.
    ///
    /// [`with_path_maps`](Self::with_path_maps) does it for facts that a host gives.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        let absolute = |place: String, text: &str, style: PathStyle| match path::absolute(text, style) {
            Ok(_) => Ok(()),
            Err(refusal) => Err(ConfigError::new(place, format!("not an absolute path: {refusal}"))),
        };
        let ExcludedDirs { home, temporary, install } = &self.excluded_dirs;
        if let Some(cwd) = &self.cwd {
            absolute("host.cwd".into(), cwd, self.style)?;
        }
        let lists = [("home", home), ("temporary", temporary), ("install", install)];
        for (name, index, dir) in lists
            .into_iter()
            .flat_map(|(name, dirs)| dirs.iter().enumerate().map(move |(index, dir)| (name, index, dir)))
        {
            absolute(format!("host.excludedDirs.{name}[{index}]"), dir, self.style)?;
        }
        self.check_dirs("host.allowedDirs", self.allowed_dirs.as_deref().unwrap_or_default())?;
        for (index, map) in self.path_map.iter().enumerate() {
            map.check(self.style, &format!("host.pathMap[{index}]"))?;
        }
        Ok(())
    }

    /// Finds the first of these folders that is no absolute path.
    pub(crate) fn check_dirs(&self, place: &str, dirs: &[String]) -> Result<(), ConfigError> {
        for (index, dir) in dirs.iter().enumerate() {
            if let Err(refusal) = path::absolute(dir, self.style) {
                return Err(ConfigError::new(format!("{place}[{index}]"), format!("not an absolute path: {refusal}")));
            }
        }
        Ok(())
    }

    /// The facts for a caller who is confined to these folders. Those of the operator bound them: what one caller may do is
    /// never more than what all callers together may do.
    pub(crate) fn confined_to(&self, dirs: &[String]) -> Self {
        let is_in = |outer: &[String], dir: &str| outer.iter().any(|outer| path::is_inside(outer, dir, self.style));
        let allowed_dirs = match &self.allowed_dirs {
            None => dirs.to_vec(),
            Some(all) => {
                let own = dirs.iter().filter(|dir| is_in(all, dir));
                let all = all.iter().filter(|dir| is_in(dirs, dir) && !dirs.contains(dir));
                own.chain(all).cloned().collect()
            }
        };
        Self { allowed_dirs: Some(allowed_dirs), ..self.clone() }
    }

    /// Whether the working directory and the variables say where the client works.
    pub(crate) fn is_dedicated(&self) -> bool {
        self.dedicated.unwrap_or_else(|| self.transport == Transport::Stdio && self.is_local())
    }

    /// Whether everything on this connection comes from one client, as far as the transport says: a request over HTTP may come
    /// from anybody, and so may one on the pipe of a process that serves several clients.
    pub(crate) fn is_one_client(&self) -> bool {
        match self.transport {
            Transport::Stdio => self.dedicated != Some(false),
            Transport::Http => false,
            Transport::Other => true,
        }
    }

    pub(crate) fn may_push(&self) -> bool {
        self.push.unwrap_or(self.transport == Transport::Stdio)
    }
}
