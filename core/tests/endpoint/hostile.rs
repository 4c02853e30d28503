//! Events as text: no text panics, a misuse changes nothing, and nothing that a peer may write is a misuse.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rootwise::policy::Policy;
use rootwise::{Endpoint, wire};
use serde_json::{Value, json};

use super::generate::{Act, POLICIES, case};

/// JSON of any shape, with the words that events are made of.
fn any_json() -> impl Strategy<Value = Value> {
    let words =
        ["type", "asked", "session", "call", "roots", "uri", "name", "rootwise", "inputResponses", "id", "method"];
    let word = prop_oneof![3 => select(words.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..4_u32).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        select(vec![2_000_usize, 70_000]).prop_map(|long| Value::from("\u{1}".repeat(long))),
    ];
    leaf.prop_recursive(4, 32, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(word.clone(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// An endpoint with small limits, or large ones, and two sessions that are ready.
fn endpoint(policy: &str) -> Endpoint {
    let host = rootwise::HostFacts::new(rootwise::PathStyle::Posix);
    let mut endpoint = Endpoint::new(Policy::from_json(policy).unwrap(), &host).unwrap();
    for (session, transport) in [(1, "http"), (2, "stdio")] {
        for event in [
            json!({ "type": "sessionOpened", "session": session, "transport": transport }),
            json!({ "type": "clientInitialized", "session": session, "capabilities": { "roots": {} } }),
            json!({ "type": "clientReady", "session": session }),
        ] {
            wire::handle_endpoint_json(&mut endpoint, &event.to_string(), 0.0);
        }
    }
    endpoint
}

/// Passes an event on; returns its code if it is a misuse, which must have changed nothing.
fn handle(endpoint: &mut Endpoint, event: &Value) -> Result<Option<String>, TestCaseError> {
    let before = endpoint.clone();
    let output: Value = serde_json::from_str(&wire::handle_endpoint_json(endpoint, &event.to_string(), 1.0)).unwrap();
    let code = output["error"]["code"].as_str().map(str::to_owned);
    if code.is_some() {
        prop_assert_eq!(format!("{before:?}"), format!("{endpoint:?}"), "{} changed something", event);
    }
    Ok(code)
}

fn config() -> ProptestConfig {
    println!("repeat with ROOTWISE_SEED={}", super::seed());
    super::config(super::number("ROOTWISE_CASES").unwrap_or(100), super::seed())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_event_with_any_member_gets_an_answer(
        case in case(12),
        changes in prop::collection::vec((any::<Index>(), any_json()), 12),
        policy in select(POLICIES.to_vec()),
    ) {
        let mut endpoint = endpoint(policy);
        for (step, (at, value)) in case.steps.iter().zip(&changes) {
            let Act::Event(event) = &step.act else { continue };
            let mut event = serde_json::to_value(event).unwrap();
            handle(&mut endpoint, &event)?;
            let members = event.as_object_mut().unwrap();
            let name = at.get(&members.keys().cloned().collect::<Vec<_>>()).clone();
            members.insert(name, value.clone());
            handle(&mut endpoint, &event)?;
            handle(&mut endpoint, value)?;
        }
    }

    #[test]
    fn whatever_a_peer_writes_is_no_misuse(
        parts in prop::collection::vec(any_json(), 6),
        text in any::<String>(),
        policy in select(POLICIES.to_vec()),
    ) {
        let mut endpoint = endpoint(policy);
        let [one, two, three, four, five, six] = <[Value; 6]>::try_from(parts).unwrap();
        let long = format!("{text}{}", "x".repeat(100_000));
        // Where the policy reads no argument, an ask that names one is the mistake of whoever wrote the handler.
        let asked = match policy.contains(r#""argument""#) {
            true => json!({ "type": "asked", "ask": 2, "call": 2, "argument": six }),
            false => json!({ "type": "asked", "ask": 2, "call": 2 }),
        };
        let raw = |id: &Value, result: &Value| json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
        for event in [
            json!({ "type": "clientInitialized", "session": 2, "capabilities": one, "clientInfo": two,
                "protocolVersion": three, "id": four, "previousId": five }),
            json!({ "type": "clientInitialized", "session": 2, "clientInfo": { "name": six }, "id": 1 }),
            json!({ "type": "requestSeen", "session": 2, "id": one, "method": long }),
            json!({ "type": "message", "session": 2, "text": raw(&two, &three) }),
            json!({ "type": "message", "session": 1, "text": long }),
            json!({ "type": "callStarted", "call": 1, "session": 1, "channel": 1, "headers": { "X-Project": long },
                "query": { "project": text }, "meta": four, "argument": five, "method": text }),
            json!({ "type": "asked", "ask": 1, "call": 1, "target": long, "server": long }),
            json!({ "type": "callStarted", "call": 2, "protocolVersion": "2026-07-28", "capabilities": one,
                "clientInfo": { "name": two }, "meta": { "project": three, "deep": { "er": long } },
                "inputResponses": { "rootwise": four }, "requestState": long, "argument": long }),
            asked,
            json!({ "type": "selected", "ask": 3, "call": 1, "by": { "value": long } }),
            json!({ "type": "requestAnswered", "request": 1, "result": { "roots": [five, { "uri": six, "name": long }] } }),
            json!({ "type": "requestRefused", "request": 1, "kind": "error", "code": -32_601, "message": long }),
            json!({ "type": "callReturned", "call": 2, "inputRequired": true }),
        ] {
            let code = handle(&mut endpoint, &event)?;
            prop_assert_eq!(code, None, "{:.200} is a misuse", event.to_string());
        }
    }
}
