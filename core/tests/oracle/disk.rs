//! The disk: which paths are checked, who waits for that, and what is learnt.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::event::{Probed, ProbedPath};

use super::model::{Oracle, Turn};
use super::record::{Known, Record};
use super::values::{FILES, NEAREST, Need};

impl Oracle {
    pub fn open_probe(&mut self, now: u64, turn: &mut Turn) {
        let open = self.history.open_probes();
        let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let needs = std::mem::take(&mut turn.needs);
        let covers = |asked: &BTreeMap<String, BTreeSet<String>>, need: &Need| {
            asked.get(&need.path).is_some_and(|markers| need.markers.is_subset(markers))
        };
        for (_, need) in &needs {
            if !open.iter().any(|(_, _, asked)| covers(asked, need)) {
                paths.entry(need.path.clone()).or_default().extend(need.markers.iter().cloned());
            }
        }
        let until = now.saturating_add(self.history.policy.config().timing.caller_timeout_ms.into());
        if !paths.is_empty() {
            let id = self.history.probes_given_out() + 1;
            self.history.note(Record::ProbeOpened { id, until, paths: paths.clone() });
            turn.effects.probe.push((id, paths));
        }
        // Whoever needs what an open probe will tell, waits for it.
        let waiting = self.history.waiting();
        for (who, need) in needs {
            for (probe, _, asked) in self.history.open_probes() {
                let depends = match waiting.iter().find(|ask| Some(ask.id) == who) {
                    Some(ask) => self.history.ask_depends(ask, probe),
                    None => self.history.connection_depends(probe),
                };
                let connection = need.connection;
                if covers(&asked, &need) && depends.contains(&need.path) && connection {
                    // Another source may need the same path for the connection.
                    let path = need.path.clone();
                    self.history.note(Record::Depends { who, probe, path, connection, until: 0 });
                } else if covers(&asked, &need) && !depends.contains(&need.path) {
                    let path = need.path.clone();
                    self.history.note(Record::Depends { who, probe, path, connection, until });
                }
            }
        }
    }

    /// Notes where the connection knows all that it waited for.
    pub fn end_connections_wait(&mut self) {
        for (probe, _, paths) in self.history.open_probes() {
            let depends = self.history.connection_depends(probe);
            let is_known = |path: &String| {
                let known = self.history.known(path, None);
                known.is_some_and(|known| paths.get(path).is_some_and(|markers| markers.is_subset(&known.asked)))
            };
            if !depends.is_empty() && depends.iter().all(is_known) {
                self.history.note(Record::ConnectionHasAll { probe });
            }
        }
    }

    /// Ends the probes that nobody waits for any more.
    pub fn drop_unwanted_probes(&mut self) {
        let waiting = self.history.waiting();
        for (id, ..) in self.history.open_probes() {
            let by_asks = waiting.iter().any(|ask| !self.history.ask_depends(ask, id).is_empty());
            // One that was waited for in vain may still tell something new.
            let late = self.history.is_overdue(id);
            if !by_asks && !late && self.history.connection_depends(id).is_empty() {
                self.history.note(Record::ProbeOver { id });
            }
        }
    }

    pub fn probed(&mut self, probed: &Probed) {
        let open = self.history.open_probes();
        let Some((id, _, asked)) = open.into_iter().find(|(id, ..)| *id == probed.probe.0) else {
            return;
        };
        let waiting = self.history.waiting();
        let mut news = vec![Record::ProbeOver { id }];
        for (path, markers) in asked {
            let connection = self.history.is_for_connection(id, &path);
            let depend = waiting.iter().filter(|ask| self.history.ask_depends(ask, id).contains(&path));
            let asks: Vec<u32> = depend.map(|ask| ask.id).collect();
            let Some(said) = probed.paths.iter().find(|said| said.path == path) else {
                news.push(Record::Unconfirmed { path, asked: markers, asks });
                continue;
            };
            let there = said.markers.iter().filter(|marker| markers.contains(*marker));
            let known = Known {
                at: self.history.now(),
                found: said.found,
                real: said.real_path.clone(),
                there: there.cloned().collect(),
                nearest: said.nearest.clone().filter(|_| markers.contains(NEAREST)),
                texts: texts(&markers, said),
                asked: markers,
            };
            news.push(Record::Learnt { path, known, asks, connection });
        }
        self.history.records.extend(news);
    }
}

/// The texts that answer the questions among the markers.
fn texts(markers: &BTreeSet<String>, said: &ProbedPath) -> BTreeMap<&'static str, BTreeMap<String, String>> {
    let asked = FILES.iter().filter(|(question, _)| markers.contains(*question));
    let texts = asked.map(|(question, names)| {
        let texts = said.files.iter().filter(|(name, _)| names.contains(&name.as_str()));
        (*question, texts.map(|(name, text)| (name.clone(), text.clone())).collect())
    });
    texts.collect()
}
