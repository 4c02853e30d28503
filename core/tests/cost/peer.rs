//! Hostile data in every place where a peer can put some.

use serde_json::{Value, json};

use super::{Measured, plain};

/// JSON that takes the most memory for its size, one text of each kind.
fn bodies(size: usize) -> Vec<String> {
    let repeated = |part: &str| vec![part; size / (part.len() + 1)].join(",");
    let members = |value: &str| {
        let member = |at: usize| format!(r#""{at:x}":{value}"#);
        let most = size / (value.len() + 8);
        (0..most).map(member).collect::<Vec<_>>().join(",")
    };
    let nested = |open: &str, close: &str| {
        let depth = size / (open.len() + close.len());
        format!("{}0{}", open.repeat(depth), close.repeat(depth))
    };
    vec![
        format!("[{}]", repeated("0")),
        format!("[{}]", repeated("{}")),
        format!("[{}]", repeated(r#""""#)),
        format!("[{}]", repeated(r#"{"uri":""}"#)),
        format!("[{}]", repeated(r#"{"uri":"x:"}"#)),
        format!("{{{}}}", repeated(r#""":0"#)),
        format!("{{{}}}", repeated(r#""\u0061":0"#)),
        format!("{{{}}}", members("0")),
        format!("{{{}}}", members(r#""""#)),
        format!("{{{}}}", members("{}")),
        format!(r#"{{"{}":0}}"#, "\\u0061".repeat(size / 6)),
        nested("[", "]"),
        nested(r#"{"":"#, "}"),
        format!(r#""{}""#, "x".repeat(size)),
        format!(r#""{}""#, r"\n".repeat(size / 2)),
        format!(r#""x{}""#, "\\u0061".repeat(size / 6)),
        "1".repeat(size),
    ]
}

/// A small one, and one for which buffers that double have just doubled.
const SIZES_OF_A_BODY: [usize; 2] = [2_000, (1 << 17) + 16];

/// Feeds events, each with every body in place of `BODY`, to connections that wait for a list.
fn feed(events: &[&str]) {
    for size in SIZES_OF_A_BODY {
        for body in bodies(size) {
            for event in events {
                let mut measured = Measured::new("recommended", 1, plain);
                let event = event.replace("BODY", &body);
                if event.contains(r#""ask":"#) {
                    measured.call(&event)
                } else {
                    measured.text(&event)
                };
            }
        }
    }
}

#[test]
fn a_large_handshake() {
    feed(&[
        r#"{"type":"clientInitialized","capabilities":BODY}"#,
        r#"{"type":"clientInitialized","capabilities":{"roots":BODY}}"#,
        r#"{"type":"clientInitialized","clientInfo":BODY}"#,
        r#"{"type":"clientInitialized","clientInfo":{"name":BODY}}"#,
        r#"{"type":"clientInitialized","protocolVersion":BODY}"#,
    ]);
}

#[test]
fn a_large_answer_of_another_form() {
    feed(&[
        r#"{"type":"rootsListed","request":1,"result":BODY}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":BODY}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[BODY]}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":BODY}]}}"#,
        r#"{"type":"rootsListed","request":1,"result":{"roots":[{"uri":"file:///a","name":BODY}]}}"#,
        r#"{"type":"rootsListed","request":9,"result":{"roots":BODY}}"#,
    ]);
}

const PARTS_OF_A_CALL: [&str; 11] = [
    r#""meta":BODY"#,
    r#""meta":{"codex/sandbox-state-meta":BODY}"#,
    r#""meta":{"codex/sandbox-state-meta":{"sandboxCwd":BODY}}"#,
    r#""meta":{"io.modelcontextprotocol/clientCapabilities":BODY}"#,
    r#""meta":{"io.modelcontextprotocol/clientCapabilities":{"roots":BODY}}"#,
    r#""capabilities":BODY"#,
    r#""capabilities":{},"clientInfo":BODY"#,
    r#""capabilities":{},"clientInfo":{"name":BODY}"#,
    r#""capabilities":{},"inputResponses":BODY"#,
    r#""capabilities":{},"inputResponses":{"rootwise":BODY}"#,
    r#""capabilities":{},"inputResponses":{"rootwise":{"roots":BODY}}"#,
];

#[test]
fn a_large_call() {
    for part in PARTS_OF_A_CALL {
        feed(&[
            &format!(r#"{{"type":"asked","ask":9,"facts":{{{part}}}}}"#),
            &format!(r#"{{"type":"selected","ask":9,"by":{{"path":"/p"}},"facts":{{{part}}}}}"#),
        ]);
    }
}

/// The texts of a call, each with the same text in place of `TEXT`.
const TEXTS: [&str; 10] = [
    r#"{"type":"requestRefused","request":1,"kind":"error","code":-1,"message":TEXT}"#,
    r#"{"type":"asked","ask":9,"target":TEXT}"#,
    r#"{"type":"asked","ask":9,"facts":{"server":TEXT}}"#,
    r#"{"type":"asked","ask":9,"facts":{"argument":TEXT}}"#,
    r#"{"type":"asked","ask":9,"facts":{"headers":{"X-Project-Path":TEXT}}}"#,
    r#"{"type":"asked","ask":9,"facts":{"query":{"project_path":TEXT}}}"#,
    r#"{"type":"selected","ask":9,"by":{"name":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"path":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"root":TEXT}}"#,
    r#"{"type":"selected","ask":9,"by":{"value":TEXT}}"#,
];

#[test]
fn a_large_text() {
    for size in [2_000, 8_000, (1 << 17) + 16] {
        for text in ["x", "/", "%41", "\u{1}", "\u{10ffff}", "d/", "../", "a,b;"] {
            for start in ["", "/", "file:///", "C:\\"] {
                let text: Value = format!("{start}{}", text.repeat(size / text.len())).into();
                for event in TEXTS {
                    Measured::new("recommended", 1, plain).call(&event.replace("TEXT", &text.to_string()));
                }
            }
        }
    }
}

/// A spelling of a name, with capitals by the bits of a number.
fn spelling(name: &str, bits: usize) -> String {
    let mut bits = bits;
    let mut capital = || {
        let capital = bits & 1 == 1;
        bits >>= 1;
        capital
    };
    name.chars().map(|c| if c.is_alphabetic() && capital() { c.to_ascii_uppercase() } else { c }).collect()
}

#[test]
fn many_headers_and_parameters() {
    for size in [2_000, 40_000, 1_000_000] {
        let tiny: Vec<String> = (0..size / 10).map(|at| format!(r#""{at:x}":"""#)).collect();
        let same = |at| format!(r#""{}":"{at}""#, spelling("x-project-path", at));
        let same: Vec<String> = (0..4096.min(size / 20)).map(same).collect();
        for (kind, entries) in [("headers", &tiny), ("query", &tiny), ("headers", &same)] {
            let facts = format!(r#""facts":{{"{kind}":{{{}}}}}"#, entries.join(","));
            let mut measured = Measured::new("recommended", 1, plain);
            measured.call(&format!(r#"{{"type":"asked","ask":9,{facts}}}"#));
            measured.call(&format!(r#"{{"type":"selected","ask":10,"by":{{"path":"/p"}},{facts}}}"#));
            measured.call(&format!(r#"{{"type":"selectionCleared","ask":11,{facts}}}"#));
        }
    }
}

#[test]
fn a_large_message() {
    let ours = r#"{"jsonrpc":"2.0","id":"rootwise-1","result":BODY}"#;
    let messages = [
        "BODY",
        r#"{"jsonrpc":"2.0","id":BODY,"method":"tools/call"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":BODY,"params":BODY}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":BODY}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":BODY,"clientInfo":BODY}}"#,
        r#"{"jsonrpc":"2.0","id":BODY,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","error":BODY}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","error":{"code":BODY,"message":BODY}}"#,
        r#"{"jsonrpc":"2.0","id":"rootwise-1","result":{"roots":BODY}}"#,
        ours,
    ];
    for size in SIZES_OF_A_BODY {
        for body in bodies(size) {
            for message in messages {
                let message = message.replace("BODY", &body);
                // Alone, and in a batch with an answer that is for the resolver.
                let batch = format!("[{message},{}]", ours.replace("BODY", "{}"));
                for text in [message, batch] {
                    let mut measured = Measured::new("recommended", 1, plain);
                    measured.event(&json!({ "type": "message", "text": text }));
                }
            }
        }
    }
}

#[test]
fn a_large_batch() {
    for message in [
        "0",
        "{}",
        r#"{"method":0}"#,
        r#"{"id":0,"method":""}"#,
        r#"{"id":"rootwise-1","result":{}}"#,
        r#"{"id":"rootwise-1","error":{}}"#,
        r#"{"id":"rootwise-9","error":{}}"#,
        r#"{"id":0,"method":"initialize"}"#,
        r#"{"method":"notifications/initialized"}"#,
        r#"{"method":"notifications/roots/list_changed"}"#,
        r#"{"id":"rootwise-1","result":{"roots":[{"uri":"file:///a"}]}},0"#,
    ] {
        for size in [2_000, 40_000, 1_000_000] {
            let text = format!("[{}]", vec![message; size / (message.len() + 1)].join(","));
            for asks in [0, 64] {
                let mut measured = Measured::new("recommended", asks, plain);
                measured.event(&json!({ "type": "message", "text": text }));
            }
        }
    }
}
