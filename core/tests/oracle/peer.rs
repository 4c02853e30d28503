//! Reading what a peer wrote, part by part: a bad part spoils nothing but itself (rule 29).

use std::fmt;

use rootwise::action::MessageKind;
use rootwise::policy::{NonObjects, PolicyConfig};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// One root as the client wrote it; a part that cannot be read is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRoot {
    /// Its position in the client's list.
    pub index: u32,
    pub uri: String,
    pub name: Option<String>,
}

/// The members of an object, each with its raw text; a key that is there twice has none.
pub fn members(text: &str) -> Option<Vec<(String, Option<String>)>> {
    struct Pairs(Vec<(String, Option<String>)>);
    impl<'de> Deserialize<'de> for Pairs {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Reader;
            impl<'de> Visitor<'de> for Reader {
                type Value = Pairs;
                fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                    formatter.write_str("an object")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                    let mut pairs: Vec<(String, Option<String>)> = Vec::new();
                    while let Some(key) = map.next_key::<&'de RawValue>()? {
                        let value = map.next_value::<&'de RawValue>()?;
                        let Ok(key) = serde_json::from_str::<String>(key.get()) else {
                            continue;
                        };
                        match pairs.iter_mut().find(|(known, _)| *known == key) {
                            Some(twice) => twice.1 = None,
                            None => pairs.push((key, Some(value.get().to_owned()))),
                        }
                    }
                    Ok(Pairs(pairs))
                }
            }
            deserializer.deserialize_map(Reader)
        }
    }
    serde_json::from_str::<Pairs>(text).ok().map(|pairs| pairs.0)
}

pub fn has(text: &str, key: &str) -> bool {
    members(text).is_some_and(|members| members.iter().any(|(known, _)| known == key))
}

pub fn member(text: &str, key: &str) -> Option<String> {
    let found = members(text)?.into_iter().find(|(known, _)| known == key)?;
    found.1
}

pub fn elements(text: &str) -> Option<Vec<String>> {
    let parts: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(parts.into_iter().map(|part| part.get().to_owned()).collect())
}

pub fn string(text: &str) -> Option<String> {
    serde_json::from_str(text).ok()
}

pub fn is_object(text: &str) -> bool {
    members(text).is_some()
}

/// Follows a JSON pointer through objects.
pub fn pointer(text: &str, pointer: &str) -> Option<String> {
    let mut here = text.to_owned();
    for step in pointer.strip_prefix('/')?.split('/') {
        here = member(&here, &step.replace("~1", "/").replace("~0", "~"))?;
    }
    Some(here)
}

/// The list in a result of `roots/list`, as far as it can be read; an entry without a URI is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawList {
    roots: Vec<RawRoot>,
    /// Whether the client said that it has no roots.
    pub says_none: bool,
    /// How much of it cannot be read at all.
    unreadable: usize,
    /// How many roots were not kept.
    dropped: usize,
}

impl RawList {
    pub fn read(result: &str, policy: &PolicyConfig) -> Self {
        let limits = &policy.limits;
        let list = member(result, "roots").and_then(|list| elements(&list));
        // A list with anything but objects may say as little as no list.
        let strict = policy.roots.non_objects == NonObjects::EmptyList;
        let list = list.filter(|list| !strict || list.iter().all(|part| is_object(part)));
        let says_none = list.as_ref().is_some_and(Vec::is_empty);
        let entries = list.as_ref().map(Vec::len);
        let read = |part: &str, key: &str| member(part, key).and_then(|text| string(&text));
        let mut roots = Vec::new();
        for (index, part) in (0..).zip(list.unwrap_or_default()) {
            if let Some(uri) = read(&part, "uri") {
                roots.push(RawRoot { index, uri, name: read(&part, "name") });
            }
        }
        let unreadable = entries.map_or(1, |entries| entries - roots.len());
        let to_usize = |limit: u32| usize::try_from(limit).unwrap();
        // A URI that is too long and a name that is too long are not kept as they were sent.
        let kept = |root: &RawRoot| {
            let too_long = root.uri.len() > to_usize(limits.value_bytes);
            let shown = || root.uri.chars().take(to_usize(limits.value_chars)).map(char::len_utf8).sum();
            let name = root.name.as_ref().map_or(0, String::len);
            let uri: usize = if too_long { shown() } else { root.uri.len() };
            uri + if name > to_usize(limits.name_bytes) { 0 } else { name }
        };
        let bytes = (1..=roots.len()).map(|first| roots[..first].iter().map(kept).sum::<usize>());
        let fitting = bytes.take_while(|bytes| *bytes <= to_usize(limits.roots_bytes)).count();
        let dropped = roots.len();
        roots.truncate(fitting.min(to_usize(limits.roots)));
        let dropped = dropped - roots.len();
        Self { roots, says_none, unreadable, dropped }
    }
}

impl RawList {
    /// Whether roots were not kept.
    pub fn is_cut(&self) -> bool {
        self.dropped > 0
    }
}

impl std::ops::Deref for RawList {
    type Target = [RawRoot];
    fn deref(&self) -> &[RawRoot] {
        &self.roots
    }
}

/// What kind of message a text is (rule 28).
pub fn kind(text: &str) -> MessageKind {
    if text.trim().is_empty() {
        return MessageKind::Blank;
    }
    if elements(text).is_some() {
        return MessageKind::Batch;
    }
    if !is_object(text) {
        return MessageKind::Broken;
    }
    match (has(text, "method"), has(text, "id")) {
        (true, true) => MessageKind::Request,
        (true, false) => MessageKind::Notification,
        (false, _) if has(text, "result") || has(text, "error") => MessageKind::Response,
        (false, _) => MessageKind::Broken,
    }
}
