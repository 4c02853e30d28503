//! Everything that crosses the boundary survives serde in both directions, and codes are the serialised forms.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

#[path = "support/vectors.rs"]
mod support;

use std::path::Path;

use rootwise::action::LogCode;
use rootwise::policy::{PRESETS, SourceKind};
use rootwise::{Action, Event, HostFacts, PathStyle, Policy, Project, Reason};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use support::{files_for, recording};

#[derive(Deserialize)]
struct Vector {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    event: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    actions: Vec<Box<RawValue>>,
}

fn parsed<T: DeserializeOwned>(file: &Path) -> T {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

#[test]
fn every_recorded_action_is_read_and_written_unchanged() {
    let replies = files_for("resolver").into_iter().flat_map(|vector| parsed::<Vec<Reply>>(&recording(&vector)));
    let actions: Vec<Box<RawValue>> = replies.flat_map(|reply| reply.actions).collect();
    assert!(actions.len() > 500, "{} actions", actions.len());
    for raw in actions {
        let action: Action = serde_json::from_str(raw.get()).unwrap();
        let recorded: serde_json::Value = serde_json::from_str(raw.get()).unwrap();
        assert_eq!(serde_json::to_value(&action).unwrap(), recorded);
    }
}

#[test]
fn every_event_of_a_vector_is_read_and_written_to_the_same_meaning() {
    let steps = files_for("resolver").into_iter().flat_map(|vector| parsed::<Vector>(&vector).steps);
    let events: Vec<Box<RawValue>> = steps.filter_map(|step| step.event).collect();
    assert!(events.len() > 500, "{} events", events.len());
    for raw in events {
        let event: Event = serde_json::from_str(raw.get()).unwrap();
        let again: Event = serde_json::from_str(&serde_json::to_string(&event).unwrap()).unwrap();
        assert_eq!(format!("{again:?}"), format!("{event:?}"));
    }
}

#[test]
fn policies_and_facts_come_from_any_format_of_serde() {
    for (name, text) in PRESETS {
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(Policy::deserialize(value).unwrap(), Policy::from_json(text).unwrap(), "{name}");
    }
    let refused = Policy::deserialize(serde_json::json!({"name": "", "sources": []})).unwrap_err();
    assert!(refused.to_string().contains("bad options at name"), "a policy is checked whatever its format: {refused}");
    let facts = HostFacts::new(PathStyle::Windows);
    assert_eq!(HostFacts::deserialize(serde_json::to_value(&facts).unwrap()).unwrap(), facts);
}

#[test]
fn a_project_fits_into_a_payload_of_the_user() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Payload {
        project: Project,
        branch: String,
    }
    let text = r#"{"project":{"key":"/p","id":"1","slug":"p-1","name":"p","displayName":"p","path":"/p","source":"roots"},"branch":"main"}"#;
    let payload: Payload = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&payload).unwrap(), text);
}

#[test]
fn codes_are_the_serialised_forms() {
    for code in variants::<Reason>() {
        assert_eq!(Reason::from_code(&code).unwrap().code(), code);
    }
    for code in variants::<LogCode>() {
        assert_eq!(serde_json::from_value::<LogCode>(code.as_str().into()).unwrap().code(), code);
    }
    for name in variants::<SourceKind>() {
        assert_eq!(serde_json::from_value::<SourceKind>(name.as_str().into()).unwrap().name(), name);
    }
}

/// The names of all variants, which serde lists when it meets another one.
fn variants<T: DeserializeOwned + std::fmt::Debug>() -> Vec<String> {
    let error = serde_json::from_str::<T>("\"-\"").unwrap_err().to_string();
    let (_, listed) = error.split_once("expected one of").unwrap_or_else(|| panic!("{error}"));
    let names: Vec<String> = listed.split('`').skip(1).step_by(2).map(ToOwned::to_owned).collect();
    assert!(names.len() > 5, "{error}");
    names
}
