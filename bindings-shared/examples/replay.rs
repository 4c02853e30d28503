//! Plays conversations through the core: one JSON line each in, one JSON line each out.
//!
//! In: `{"options": "<text>", "steps": [["<event text>", now], ...]}`. Out: `["<text>", ...]`, what opening gave, what
//! each event gave, then the explanation and the snapshot. The texts are those of the wire layer, so that other faces
//! can be compared with them byte for byte. Any other line is the call of a
//! function and gives `["<text>"]`.

use std::io::{BufRead, Write};

use serde::Deserialize;

#[derive(Deserialize)]
struct Conversation {
    options: String,
    steps: Vec<(String, f64)>,
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
        Err(failure) => return vec![failure],
    };
    let mut said = vec![rootwise_bindings::view(&resolver)];
    for (event, now) in &conversation.steps {
        said.push(rootwise_bindings::handle(&mut resolver, event, *now));
    }
    said.push(rootwise::wire::explain(&resolver));
    said.push(resolver.snapshot());
    said
}
