//! The presets: policies as JSON files.

use super::Policy;
use crate::error::ConfigError;

/// The JSON text of the recommended policy.
pub const RECOMMENDED: &str = include_str!("../../presets/recommended.json");

/// The name and the JSON text of every preset.
pub const PRESETS: [(&str, &str); 10] = [
    ("recommended", RECOMMENDED),
    ("cocosearch", include_str!("../../presets/cocosearch.json")),
    ("cocosearch-shipped", include_str!("../../presets/cocosearch-shipped.json")),
    ("conport", include_str!("../../presets/conport.json")),
    ("conport-shipped", include_str!("../../presets/conport-shipped.json")),
    ("mcp-guide", include_str!("../../presets/mcp-guide.json")),
    ("mcp-guide-shipped", include_str!("../../presets/mcp-guide-shipped.json")),
    ("thoughtbox", include_str!("../../presets/thoughtbox.json")),
    ("thoughtbox-shipped", include_str!("../../presets/thoughtbox-shipped.json")),
    ("wolfram", include_str!("../../presets/wolfram.json")),
];

impl Policy {
    /// The policy for a new server: explicit values first, then the client's roots, then the client's variables, then a
    /// working directory with a project marker.
    ///
    /// ```
    /// use rootwise::Policy;
    /// use rootwise::policy::SourceKind;
    ///
    /// let policy = Policy::recommended();
    /// assert!(policy.config().sources.iter().any(|source| source.from == SourceKind::Roots));
    /// ```
    ///
    /// # Panics
    /// Never: the preset is part of the crate, and a test parses it.
    #[must_use]
    #[expect(clippy::panic, reason = "the input is a constant; a silent fallback would resolve nothing, everywhere")]
    pub fn recommended() -> Self {
        match Self::from_json(RECOMMENDED) {
            Ok(policy) => policy,
            Err(error) => panic!("the recommended policy is broken: {error}"),
        }
    }

    /// The preset with this name; [`PRESETS`] lists them.
    ///
    /// ```
    /// use rootwise::Policy;
    /// use rootwise::policy::PRESETS;
    ///
    /// for (name, _) in PRESETS {
    ///     assert_eq!(Policy::preset(name)?.config().name, name);
    /// }
    /// assert!(Policy::preset("unknown").is_err());
    /// # Ok::<(), rootwise::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// There is no such preset; the error names all presets.
    pub fn preset(name: &str) -> Result<Self, ConfigError> {
        match PRESETS.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::from_json(text),
            None => {
                let names = PRESETS.map(|(known, _)| known).join(", ");
                Err(ConfigError::new("preset", alloc::format!("unknown preset `{name}`, expected one of {names}")))
            }
        }
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::recommended()
    }
}
