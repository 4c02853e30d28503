//! What a host would know while a case runs, which is what turns its steps into events.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::RequestToken;
use rootwise::event::{
    AskWithdrawn, Asked, ClientInitialized, EntryKind, Event, HostFactsChanged, Message, Probed, ProbedPath,
    RequestRefused, RootsChanged, RootsListed, Selected, SelectionCleared, UserAnswered,
};

use super::Effects;
use super::generate::{Act, Case, Step, Time, Which, raw};
use super::values::{FILES, NEAREST};

/// What a host would know while it runs a case.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub now: u64,
    pub deadline: Option<u64>,
    /// The newest request for roots, and the newest form.
    pub tokens: u32,
    pub form: u32,
    pub probes: Vec<(u32, BTreeMap<String, BTreeSet<String>>)>,
    pub given_out: u32,
    /// Whether the handshake is over: no stream is open before.
    pub ready: bool,
}

impl World {
    /// Turns a step into an event and its time.
    pub fn event(&self, case: &Case, step: &Step) -> (Event, u64) {
        let now = match step.time {
            Time::By(more) => self.now + more,
            Time::ToDeadline(off) => {
                self.deadline.map_or(self.now, |deadline| deadline.saturating_add_signed(off).max(self.now))
            }
            Time::Back => self.now.saturating_sub(70),
        };
        (self.act(case, &step.act), now)
    }

    fn token(&self, which: Which) -> u32 {
        match which {
            Which::Newest => self.tokens,
            Which::Oldest => 1,
            Which::Unknown => 77,
        }
    }

    fn form_token(&self, which: Which) -> u32 {
        match which {
            Which::Newest => self.form,
            other => self.token(other),
        }
    }

    fn id(&self, case: &Case, token: u32, as_minted: bool) -> String {
        let prefix = &case.policy.config().roots.request.id_prefix;
        // A bare number as a string, or a prefixed one as a number, is somebody else's.
        match (prefix.is_empty(), as_minted) {
            (true, true) | (false, false) => token.to_string(),
            _ => format!("\"{prefix}{token}\""),
        }
    }

    fn act(&self, case: &Case, act: &Act) -> Event {
        match act.clone() {
            Act::Init(capabilities) => Event::ClientInitialized(
                ClientInitialized::default().protocol_version(raw("\"2025-11-25\"")).capabilities(raw(capabilities)),
            ),
            Act::Ready => Event::ClientReady,
            Act::Changed(push) => Event::RootsChanged(RootsChanged::new(push && self.ready)),
            Act::Listed(which, list) => {
                Event::RootsListed(RootsListed::new(raw(&list)).request(RequestToken(self.token(which))))
            }
            Act::HostListed(list) => Event::RootsListed(RootsListed::new(raw(&list))),
            Act::Refused(which, kind, code, message) => Event::RequestRefused(
                RequestRefused::new(self.token(which), kind).code(code).message(message.to_owned()),
            ),
            Act::Ask { id, want, by, facts, target: about, quiet } => Event::Asked(
                Asked::new(id)
                    .want(want)
                    .ask_via(by)
                    .facts(facts)
                    .target(about.map(str::to_owned))
                    .explain(id % 2 == 0)
                    .hints(id % 3 != 0)
                    .quiet(quiet),
            ),
            Act::Select { id, by, ask_via, facts } => {
                Event::Selected(Selected::new(id, by).ask_via(ask_via).facts(facts))
            }
            Act::Clear { id, ask_via, facts } => {
                Event::SelectionCleared(SelectionCleared::new(id).ask_via(ask_via).facts(facts))
            }
            Act::Withdraw(ask) => Event::AskWithdrawn(AskWithdrawn::new(ask)),
            Act::Probed(which, left_out, other) => self.probed(case, which, left_out, other),
            Act::Deadline => Event::DeadlineReached,
            Act::UserAnswered(which, answer) => {
                Event::UserAnswered(UserAnswered::new(self.form_token(which), raw(&answer)))
            }
            Act::FormRefused(which, kind) => Event::RequestRefused(RequestRefused::new(self.form_token(which), kind)),
            Act::UserMessage(answer) => {
                let id = self.id(case, self.form, true);
                Event::Message(Message::new(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{answer}}}")))
            }
            Act::Answer(which, as_minted, list) => {
                let id = self.id(case, self.token(which), as_minted);
                Event::Message(Message::new(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{list}}}")))
            }
            Act::Text(text) => Event::Message(Message::new(text)),
            Act::Batch(which, texts, list) => {
                let id = self.id(case, self.token(which), true);
                let mut parts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
                parts.insert(parts.len() / 2, format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{list}}}"));
                Event::Message(Message::new(format!("[{}]", parts.join(","))))
            }
            Act::Host(mut facts) => {
                // Whether a list is read again when the map changes is left open by the rules.
                facts.path_map.clone_from(&case.host.path_map);
                Event::HostFactsChanged(HostFactsChanged::new(facts))
            }
            Act::Closed => Event::Closed,
        }
    }

    fn probed(&self, case: &Case, which: Which, left_out: u8, other: u8) -> Event {
        let open = match which {
            Which::Newest => self.probes.last(),
            Which::Oldest => self.probes.first(),
            Which::Unknown => None,
        };
        let Some((probe, asked)) = open else {
            // One that is over, or one that never was.
            let probe = if matches!(which, Which::Unknown) { self.given_out + 1 } else { self.given_out };
            return Event::Probed(Probed::new(probe, Vec::new()));
        };
        let bit = |bits: u8, index: usize| bits >> (index % 8) & 1 == 1;
        let said = asked.iter().enumerate().filter(|(index, _)| !bit(left_out, *index));
        let paths = said.map(|(index, (path, markers))| {
            let asked = FILES.iter().filter(|(question, _)| markers.contains(*question));
            let names: BTreeSet<&str> = asked.flat_map(|(_, names)| names.iter().copied()).collect();
            let is_data = !names.is_empty();
            // Below a project there are folders, as far as a package is looked for.
            let is_found = is_data || markers.contains("package.json");
            let unlisted = if is_found { EntryKind::Directory } else { EntryKind::Missing };
            let usual = case.disk.get(path).copied().filter(|_| !is_data).unwrap_or(unlisted);
            let found = match (bit(other, index), usual) {
                (true, EntryKind::Directory) if other.is_multiple_of(3) => EntryKind::File,
                (true, EntryKind::Directory) if other % 3 == 1 => EntryKind::Missing,
                (true, _) => EntryKind::Directory,
                (false, usual) => usual,
            };
            let marked = found == EntryKind::Directory && (path.ends_with('a') || path == "/tmp");
            // Now and then a link, and a path of which the host does not tell the real one.
            let real_path = match (bit(other, index), path.as_str()) {
                (true, "/p/b") => Some("/elsewhere".to_owned()),
                (true, "/p/a") => Some("/home/u".to_owned()),
                (true, "/p") => None,
                (true, path) if path.ends_with("/sub") => Some("/elsewhere/sub".to_owned()),
                (true, "/p/a/sub/x") => None,
                (true, path) if path.ends_with("/.git") => Some("/elsewhere/.git".to_owned()),
                _ => Some(path.clone()),
            };
            let nearest = case.checkouts.nearest(path).filter(|_| markers.contains(NEAREST));
            let file = |name: &str| Some((name.to_owned(), case.checkouts.text(path, name)?));
            let files: BTreeMap<String, String> = names.into_iter().filter_map(file).collect();
            // Some folders are a package, and some of them by two markers.
            let is_package = |marker: &str| match path.rsplit('/').next() {
                Some("sub" | "y") => marker == "package.json",
                Some("x" | "z") => ["package.json", "Cargo.toml"].contains(&marker),
                _ => false,
            };
            let is_there = |marker: &&String| {
                (marked && marker.ends_with("git")) || (found == EntryKind::Directory && is_package(marker))
            };
            let markers = markers.iter().filter(is_there).cloned().collect();
            ProbedPath::new(path, found).real_path(real_path).markers(markers).nearest(nearest).files(files)
        });
        Event::Probed(Probed::new(*probe, paths.collect()))
    }

    /// Takes note of what an accepted event caused.
    pub fn observe(&mut self, event: &Event, now: u64, effects: &Effects, deadline: Option<u64>) {
        self.now = self.now.max(now);
        self.deadline = deadline;
        match event {
            Event::ClientReady => self.ready = true,
            Event::ClientInitialized(_) | Event::Message(_) => self.ready = false,
            _ => {}
        }
        if let Event::Probed(probed) = event {
            self.probes.retain(|(probe, _)| *probe != probed.probe.0);
        }
        for (token, ..) in &effects.send {
            self.tokens = *token;
        }
        for (token, ..) in &effects.forms {
            self.form = *token;
        }
        for (probe, paths) in &effects.probe {
            self.given_out = *probe;
            self.probes.push((*probe, paths.clone()));
        }
    }
}
