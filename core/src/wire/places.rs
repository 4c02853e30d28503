//! The places of errors, compared with those that `serde_path_to_error` tracks around the readers themselves.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test may fail loudly")]

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Value, json};

use crate::HostFacts;
use crate::api::event::{Asked, ClientInitialized, Probed, RequestRefused, RootsListed, Selected};
use crate::endpoint::event::SessionOpened;
use crate::error::{place, refusal};
use crate::policy::PolicyConfig;

/// What every kind of value, list and object can contain.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "only its reader is used")]
struct Everything {
    #[serde(default)]
    small: u8,
    #[serde(default)]
    negative: Option<i8>,
    #[serde(default)]
    yes: bool,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    letter: Option<char>,
    #[serde(default)]
    raw: Option<Box<RawValue>>,
    #[serde(default)]
    pair: Option<(u8, String)>,
    #[serde(default)]
    list: Vec<Self>,
    #[serde(default)]
    lists: Vec<Vec<u8>>,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    kinds: Vec<Kind>,
    #[serde(default)]
    by_name: BTreeMap<String, Needed>,
    #[serde(default, deserialize_with = "crate::api::unique_keys")]
    unique: BTreeMap<String, Needed>,
    #[serde(default)]
    inner: Option<Inner>,
    #[serde(default)]
    either: Option<Either>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only its reader is used")]
enum Kind {
    Plain,
    With(u8),
    Struct { field: bool },
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "only its reader is used")]
struct Needed {
    needed: u8,
}

#[derive(Deserialize)]
#[serde(tag = "tag", rename_all = "camelCase")]
#[expect(dead_code, reason = "only its reader is used")]
enum Inner {
    One { field: u8 },
}

#[derive(Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its reader is used")]
enum Either {
    Number(u8),
    Object { field: u8 },
}

/// Asserts that both name the same place, if there is an error; returns whether there is one.
fn agree<T: DeserializeOwned>(text: &str) -> bool {
    let Err(expected) = serde_path_to_error::deserialize::<_, T>(&mut Deserializer::from_str(text)) else {
        return false;
    };
    let error = refusal::<T>(text).unwrap();
    assert_eq!(error.to_string(), expected.inner().to_string());
    assert_eq!(place(text, &error, &refusal::<T>), expected.path().to_string(), "{text}: {error}");
    true
}

/// Every text with one value of the text replaced, removed, repeated, or with a member added.
fn spoiled(text: &str) -> Vec<String> {
    let value: Value = serde_json::from_str(text).unwrap();
    let mut places = vec![];
    collect(&value, String::new(), &mut places);
    let wrong = [
        "null",
        "true",
        "-1",
        "7",
        "300",
        "1.5",
        "99999999999999999999",
        "\"\"",
        "\"x \\ud83d\\ude00\"",
        "\"\\ud800y\"",
        "[]",
        "[[]]",
        "[0]",
        "{}",
        "{ \"x\" : 1 }",
        "{\"plain\":1}",
        "{\"needed\":1,\"needed\":2}",
        "{\"a\":{},\"a\":{}}",
        "[ \"x\" , 1 ]",
    ];
    let mut texts = vec![];
    for pointer in &places {
        for wrong in wrong {
            let mut value = value.clone();
            *value.pointer_mut(pointer).unwrap() = json!("<here>");
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                texts.push(text.replace("\"<here>\"", wrong));
            }
        }
        let Some(members) = value.pointer(pointer).unwrap().as_object() else { continue };
        for key in members.keys() {
            let mut value = value.clone();
            let object = value.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
            object.remove(key);
            texts.push(value.to_string());
            let object = value.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
            object.insert("<here>".into(), json!(7));
            texts.push(value.to_string().replace("<here>", "added \\u00e9"));
            texts.push(value.to_string().replace("<here>", key));
            texts.push(value.to_string().replace("\"<here>\":7", &["\"", key, "\":1,\"", key, "\":2"].concat()));
        }
    }
    texts
}

fn collect(value: &Value, pointer: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(at, item)| collect(item, [&pointer, "/", &at.to_string()].concat(), places));
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            collect(member, [&pointer, "/", &key].concat(), places);
        }),
        _ => {}
    }
    places.push(pointer);
}

fn all_agree<T: DeserializeOwned>(text: &str) {
    some_agree::<T>(text, 1);
}

/// The same of every text in so many.
fn some_agree<T: DeserializeOwned>(text: &str, every: usize) {
    assert!(!agree::<T>(text), "{text}");
    let errors = spoiled(text).iter().step_by(every).filter(|text| agree::<T>(text)).count();
    assert!(errors > 3, "{errors} errors in {text}");
}

#[test]
fn every_kind_of_error_has_the_place_that_a_tracked_reader_names() {
    all_agree::<Everything>(
        &json!({
            "small": 255, "negative": -100, "yes": true, "text": "a \"text\" } ]", "letter": "x", "raw": { "a": [1, "\u{1f600}"] },
            "pair": [1, "b"], "list": [{ "small": 1 }, { "list": [{ "text": "x", "small": 12 }] }], "lists": [[1], [], [2, 33]],
            "kind": "plain", "kinds": ["plain", { "with": 1 }, { "struct": { "field": true } }],
            "byName": { "plain": { "needed": 1 } }, "unique": { "a é": { "needed": 1 }, "b.c": { "needed": 2 } },
            "inner": { "tag": "one", "field": 1 }, "either": { "field": 1 }
        })
        .to_string(),
    );
}

#[test]
fn policies_and_events_have_the_places_that_tracked_readers_name() {
    let policy = serde_json::to_string(crate::Policy::recommended().config()).unwrap();
    some_agree::<PolicyConfig>(&policy, 17);
    let facts = json!({ "headers": { "a": "b" }, "query": {}, "meta": { "x": "\u{1f600}" } });
    all_agree::<Asked>(&json!({ "ask": 1, "want": "project", "facts": facts, "target": "t" }).to_string());
    all_agree::<Selected>(&json!({ "ask": 1, "by": { "path": "/p" }, "facts": facts }).to_string());
    all_agree::<ClientInitialized>(
        &json!({ "protocolVersion": "1", "capabilities": { "roots": {} }, "clientInfo": { "name": "n" } }).to_string(),
    );
    all_agree::<RootsListed>(&json!({ "request": 1, "result": { "roots": [{ "uri": "file:///p" }] } }).to_string());
    all_agree::<RequestRefused>(&json!({ "request": 1, "kind": "error", "code": -32601, "message": "m" }).to_string());
    all_agree::<Probed>(
        &json!({ "probe": 1, "paths": [{ "path": "/p", "found": "directory", "markers": [".git"], "files": { "a": "b" } }] })
            .to_string(),
    );
    all_agree::<SessionOpened>(&json!({ "session": 1, "transport": "stdio" }).to_string());
    all_agree::<HostFacts>(&json!({ "style": "posix", "env": { "A": "b" }, "allowedDirs": ["/p"] }).to_string());
}
