//! The parts of an HTTP request that a policy reads.

use std::collections::BTreeMap;

use http::{HeaderMap, Uri};
use rootwise::endpoint::inputs::PolicyInputs;

/// The headers that the policy reads; several different values are one that no policy accepts. Each byte is the character with its
/// number: the endpoint decodes them.
#[must_use]
pub fn headers_of(headers: &HeaderMap, inputs: &PolicyInputs) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    for name in &inputs.headers {
        let mut values: Vec<String> = Vec::new();
        for value in headers.get_all(name.as_str()) {
            let value = value.as_bytes().iter().copied().map(char::from).collect();
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if !values.is_empty() {
            read.insert(name.clone(), values.join(", "));
        }
    }
    read
}

/// The query parameters that the policy reads; the first of several counts.
#[must_use]
pub fn query_of(uri: &Uri, inputs: &PolicyInputs) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()) {
        if inputs.query.contains(&*name) {
            read.entry(name.into_owned()).or_insert_with(|| value.into_owned());
        }
    }
    read
}
