//! One question to a resolver, answered on this thread.

use rootwise::action::Answer;
use rootwise::event::{Event, Probed};
use rootwise::{Action, AskId, Millis, Misuse, Resolver};

use crate::disk::{look, patience};

/// Passes an event to a resolver and performs the probes it asks for; returns the answer. For asks that no client can be asked
/// for.
pub(crate) fn settle(resolver: &mut Resolver, event: impl Into<Event>) -> Result<Answer, Misuse> {
    let (now, patience) = (Millis(0), patience(resolver.policy()));
    let mut actions = resolver.handle(event, now)?;
    let mut answer = None;
    while !actions.is_empty() {
        let mut next = Vec::new();
        for action in actions {
            match action {
                Action::Answer(given) => answer = Some(*given),
                Action::Probe(wanted) => {
                    let paths = look(wanted.paths, patience);
                    next.extend(resolver.handle(Probed::new(wanted.probe, paths), now)?);
                }
                _ => {}
            }
        }
        actions = next;
    }
    // An ask that no client is asked for always ends with its probes.
    answer.ok_or_else(|| Misuse::Closed(AskId::default()))
}
