//! The parts of a request, the environment and the command line that a policy reads.

use std::collections::BTreeSet;

use rootwise::Policy;
use rootwise::policy::SourceKind;

/// The inputs that a policy reads, so that a host collects nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PolicyInputs {
    /// HTTP headers, in lower case.
    pub headers: BTreeSet<String>,
    /// HTTP query parameters.
    pub query: BTreeSet<String>,
    /// Top-level keys of `_meta`.
    pub meta: BTreeSet<String>,
    /// Environment variables.
    pub env: BTreeSet<String>,
    /// Command line options, without dashes.
    pub options: BTreeSet<String>,
}

impl PolicyInputs {
    /// Lists what a policy reads.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        let mut inputs = Self::default();
        for source in &policy.sources {
            for name in &source.read {
                inputs.add(source.from, name);
            }
            inputs.options.extend(source.when.argument.clone());
        }
        inputs
    }

    fn add(&mut self, from: SourceKind, name: &str) {
        match from {
            SourceKind::Header => self.headers.insert(name.to_ascii_lowercase()),
            SourceKind::Query => self.query.insert(name.into()),
            SourceKind::Meta => self.meta.insert(top_key(name)),
            SourceKind::Env => self.env.insert(name.into()),
            SourceKind::Configured => match name.strip_prefix('$') {
                Some(variable) => self.env.insert(variable.into()),
                None => self.options.insert(name.into()),
            },
            _ => false,
        };
    }
}

/// The first part of a JSON pointer.
fn top_key(pointer: &str) -> String {
    pointer.split('/').nth(1).unwrap_or_default().replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_the_recommended_policy_reads() {
        let inputs = PolicyInputs::of(&Policy::recommended());
        assert!(inputs.headers.contains("x-project-path"));
        assert!(inputs.query.contains("project_path"));
        assert!(inputs.meta.contains("codex/sandbox-state-meta"), "{:?}", inputs.meta);
        assert!(inputs.env.contains("ROOTWISE_PROJECT") && inputs.env.contains("CLAUDE_PROJECT_DIR"));
        assert_eq!(inputs.options, BTreeSet::from(["project".to_owned()]));
    }
}
