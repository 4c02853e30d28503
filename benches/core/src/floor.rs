//! The floor: what reading the same messages costs without any rule.

use std::hint::black_box;

use serde_json::Value;
use url::Url;

/// Parses each message, and the URI of the folder that is the project.
pub(crate) fn floor(messages: &'static [&'static str], uri: &'static str) -> Box<dyn FnMut()> {
    Box::new(move || {
        for message in messages {
            black_box(serde_json::from_str::<Value>(black_box(message)).unwrap());
        }
        black_box(Url::parse(black_box(uri)).unwrap());
    })
}
