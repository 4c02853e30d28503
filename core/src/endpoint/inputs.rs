//! The parts of a request, the environment and the command line that a policy reads, and the path map of the operator: a host
//! collects nothing else.

use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::action::{FORM_KEY, INPUT_KEY};
use crate::collect::inserted;
use crate::peer::client::CONVERSATION_KEYS;
use crate::policy::{Policy, SourceKind, path_map};

/// The inputs that a policy reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PolicyInputs {
    /// HTTP headers, in lower case.
    pub headers: BTreeSet<String>,
    /// HTTP query parameters.
    pub query: BTreeSet<String>,
    /// Places in `_meta`, each as the names that lead to it.
    pub meta: BTreeSet<Vec<String>>,
    /// Keys of `_meta` by which clients name a conversation. A host passes them on with calls without a session and with those of
    /// revision 2026-07-28.
    pub conversation: BTreeSet<String>,
    /// Environment variables.
    pub env: BTreeSet<String>,
    /// Command line options, without dashes.
    pub options: BTreeSet<String>,
    /// Whether it reads the project that a call names in an argument.
    pub argument: bool,
    /// The keys of the endpoint's questions in `inputRequests` and `inputResponses`.
    pub input_keys: BTreeSet<String>,
    /// Bytes of the longest value that counts.
    pub value_bytes: u32,
}

impl PolicyInputs {
    /// Lists what a policy reads.
    ///
    /// ```
    /// use rootwise::Policy;
    /// use rootwise::endpoint::inputs::PolicyInputs;
    ///
    /// let inputs = PolicyInputs::of(&Policy::recommended());
    /// assert!(inputs.headers.contains("x-project-path") && inputs.env.contains("ROOTWISE_PROJECT") && inputs.argument);
    /// ```
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        let mut inputs = Self {
            conversation: CONVERSATION_KEYS.map(Into::into).into(),
            input_keys: [INPUT_KEY, FORM_KEY].map(Into::into).into(),
            value_bytes: policy.config.limits.value_bytes,
            env: inserted([path_map::VARIABLE.into()]),
            options: inserted([path_map::OPTION.into()]),
            ..Self::default()
        };
        for source in &policy.config.sources {
            inputs.argument |= source.from == SourceKind::Argument;
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
            SourceKind::Meta => self.meta.insert(names(name)),
            SourceKind::Env => self.env.insert(name.into()),
            SourceKind::Configured => match name.strip_prefix('$') {
                Some(variable) => self.env.insert(variable.into()),
                None => self.options.insert(name.into()),
            },
            _ => false,
        };
    }

    /// Finds the options that the policy reads on a command line without the program's own name: `--name=value`,
    /// `--name value` and `--name`. The first of several counts, and `--` ends the options.
    ///
    /// ```
    /// use rootwise::Policy;
    /// use rootwise::endpoint::inputs::PolicyInputs;
    ///
    /// let inputs = PolicyInputs::of(&Policy::recommended());
    /// let found = inputs.arguments(["--verbose", "--project", "/work/app", "--", "--project=/etc"]);
    /// assert_eq!(found.get("project").map(String::as_str), Some("/work/app"));
    /// assert_eq!(found.len(), 1);
    /// ```
    #[must_use]
    pub fn arguments<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut words = words.into_iter().take_while(|word| *word != "--").peekable();
        while let Some(word) = words.next() {
            let Some(option) = word.strip_prefix("--") else { continue };
            let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
            if !self.options.contains(name) || found.contains_key(name) {
                continue;
            }
            let next = || words.peek().copied().filter(|next| !next.starts_with('-'));
            found.insert(name.to_owned(), value.or_else(next).unwrap_or_default().to_owned());
        }
        found
    }
}

/// The names in a JSON pointer.
fn names(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|name| name.replace("~1", "/").replace("~0", "~")).collect()
}
