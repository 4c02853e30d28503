//! Everything that crosses the boundary survives serde in both directions, and codes are the serialised forms.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail loudly")]

mod support {
    #[allow(dead_code, reason = "other tests read policies with it")]
    pub(crate) mod vectors;
}

use rootwise::action::LogCode;
use rootwise::policy::{PRESETS, SourceKind};
use rootwise::{Action, Event, HostFacts, PathStyle, Policy, Project, Reason};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Vector {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    #[serde(default)]
    event: Option<Box<RawValue>>,
    #[serde(default)]
    actions: Vec<Box<RawValue>>,
}

fn steps() -> Vec<Step> {
    let read = |file| std::fs::read_to_string(file).unwrap();
    let parse = |text: String| serde_json::from_str::<Vector>(&text).unwrap().steps;
    support::vectors::files().into_iter().map(read).flat_map(parse).collect()
}

#[test]
fn every_recorded_action_is_read_and_written_unchanged() {
    let actions: Vec<Box<RawValue>> = steps().into_iter().flat_map(|step| step.actions).collect();
    assert!(actions.len() > 500, "{} actions", actions.len());
    for raw in actions {
        let action: Action = serde_json::from_str(raw.get()).unwrap();
        let recorded: serde_json::Value = serde_json::from_str(raw.get()).unwrap();
        assert_eq!(serde_json::to_value(&action).unwrap(), recorded);
    }
}

#[test]
fn every_recorded_event_is_read_and_written_to_the_same_meaning() {
    let events: Vec<Box<RawValue>> = steps().into_iter().filter_map(|step| step.event).collect();
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
