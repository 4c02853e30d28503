//! Plays conversations through the core: one JSON line each in, one JSON line each out.
//!
//! In: `{"machine": "<name>", "options": "<text>", "steps": [[event, now, argument], ...]}`; without a name the machine is a
//! resolver. The event is a text; `null` saves a resolver and restores it with the argument as its id prefix, or saves the
//! session of an endpoint that the argument names. Out: `["<text>", ...]`, what opening gave, what each step gave, then the
//! explanation and the snapshot. The texts are those of the wire layer, so that other backends can be compared with them byte
//! for byte. Any other line is the call of a function and gives `["<text>"]`.

use std::io::{BufRead, Write};

use rootwise::wire::{Failure, Machine};
use serde::Deserialize;

/// The session of an endpoint that is explained and saved at the end.
const SESSION: u32 = 1;

#[derive(Deserialize)]
struct Conversation {
    machine: Option<String>,
    options: String,
    steps: Vec<(Option<String>, f64, Option<String>)>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let said = play(&line?);
        writeln!(out, "{}", serde_json::to_string(&said)?)?;
    }
    out.flush()?;
    Ok(())
}

fn play(line: &str) -> Vec<String> {
    let Ok(conversation) = serde_json::from_str::<Conversation>(line) else {
        return vec![rootwise_bindings::call(line)];
    };
    let mut said = Vec::new();
    if let Err(failure) = converse(&conversation, &mut said) {
        said.push(failure.to_json());
    }
    said
}

fn converse(Conversation { machine, options, steps }: &Conversation, said: &mut Vec<String>) -> Result<(), Failure> {
    let is_endpoint = machine.as_deref() == Some("endpoint");
    let mut machine = rootwise_bindings::open(options)?;
    said.push(machine.view_json());
    for (event, now, argument) in steps {
        said.push(match event {
            Some(event) => rootwise_bindings::handle_json(&mut machine, event, *now),
            None if is_endpoint => saved(&machine, argument.as_deref()),
            None => {
                machine =
                    rootwise_bindings::restore(&machine.snapshot_json(SESSION), options, *now, argument.as_deref())?;
                machine.view_json()
            }
        });
    }
    said.extend([machine.explain_json(SESSION), machine.snapshot_json(SESSION)]);
    Ok(())
}

fn saved(machine: &Machine, session: Option<&str>) -> String {
    let session = session.and_then(|session| session.parse().ok()).unwrap_or_default();
    serde_json::json!({ "saved": machine.snapshot_json(session) }).to_string()
}
