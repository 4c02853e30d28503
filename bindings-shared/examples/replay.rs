//! Plays conversations through the core: one JSON line each in, one JSON line each out.
//!
//! In: `{"options": "<text>", "steps": [[event, now, prefix], ...]}`; the event is a text, or `null` to save the
//! connection and restore it with that id prefix. Out: `["<text>", ...]`, what opening gave, what each step gave, then
//! the explanation and the snapshot. The texts are those of the wire layer, so that other faces can be compared with
//! them byte for byte. Any other line is the call of a function and gives `["<text>"]`.

use std::io::{BufRead, Write};

use serde::Deserialize;

#[derive(Deserialize)]
struct Conversation {
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
    let mut resolver = match rootwise_bindings::open(&conversation.options) {
        Ok(resolver) => resolver,
        Err(failure) => return vec![failure.to_json()],
    };
    let mut said = vec![rootwise_bindings::view(&resolver)];
    for (event, now, prefix) in &conversation.steps {
        let Some(event) = event else {
            let saved = resolver.snapshot();
            match rootwise_bindings::restore(&saved, &conversation.options, *now, prefix.as_deref()) {
                Ok(restored) => resolver = restored,
                Err(failure) => return [said, vec![failure.to_json()]].concat(),
            }
            said.push(rootwise_bindings::view(&resolver));
            continue;
        };
        said.push(rootwise_bindings::handle_json(&mut resolver, event, *now));
    }
    said.push(rootwise_bindings::explain(&resolver));
    said.push(resolver.snapshot());
    said
}
