//! The client's roots as a source, and as an answer (rules 26, 36 and 57).

use rootwise::Reason;
use rootwise::action::RootsState;
use rootwise::event::AskVia;
use rootwise::path;
use rootwise::path::display::display;
use rootwise::policy::{BadOutcome, Links, NonFile, OnUnusable, Pick, Relative, Source, SourceKind, Verify};

use super::decide::{Decision, End, RootsNow, Says, Waiting, brings_roots, declares_roots, is_disk, needs_input};
use super::history::{History, state_of};
use super::peer::RawRoot;
use super::record::{Ask, Win};
use super::values::{Eyes, Lexed, Need, Patience, Target, Verdict};
use super::{Out, Shown};

impl History {
    pub fn ask_roots(&self, source: &Source, ask: Option<&Ask>, eyes: Eyes<'_>) -> Says {
        let patience = match eyes {
            Eyes::Ask { patience, .. } => patience,
            Eyes::Connection => Patience::Over,
        };
        match self.roots_now(ask, patience) {
            RootsNow::Use(None) => Says::Nothing,
            RootsNow::Use(Some(roots)) => {
                let about = ask.and_then(|ask| ask.target.as_deref());
                self.pick(source, &roots, about, eyes)
            }
            other => self.says_roots(&other, ask),
        }
    }

    /// Rule 26.
    pub fn pick(&self, source: &Source, roots: &[RawRoot], target: Option<&str>, eyes: Eyes<'_>) -> Says {
        let rules = &self.policy.config().roots;
        if roots.is_empty() {
            return Says::Nothing;
        }
        let mut candidates: Vec<(&RawRoot, Lexed)> = Vec::new();
        for raw in roots.iter() {
            let lexed = self.lex_root(raw);
            let skipped = match &lexed {
                Lexed::Place(_) => false,
                Lexed::NonFile(_) => rules.non_file == NonFile::Skip,
                Lexed::Bad(_) => matches!(rules.on_unusable, OnUnusable::NextRoot | OnUnusable::Accept),
            };
            if !skipped {
                candidates.push((raw, lexed));
            }
        }
        let about = match target.map(|about| self.place(about, Relative::Refuse, true)) {
            Some(Err(reason)) if self.different(roots) > 1 => {
                return Says::Ends(Out::Refused(reason, SourceKind::Roots, source.status));
            }
            about => about.and_then(Result::ok),
        };
        let containing = about.and_then(|about| {
            let mut best: Option<(usize, usize)> = None;
            for (at, (_, lexed)) in candidates.iter().enumerate() {
                if let Lexed::Place(Target { path: Some(root), .. }) = lexed
                    && path::is_inside(root, &about, self.client_style(root))
                    && best.is_none_or(|(depth, _)| root.len() > depth)
                {
                    best = Some((root.len(), at));
                }
            }
            best.map(|(_, at)| at)
        });
        if rules.pick == Pick::Only && containing.is_none() && self.different(roots) > 1 {
            return match rules.ambiguity {
                BadOutcome::Error => Says::Ends(Out::Unresolved(Reason::Ambiguous)),
                BadOutcome::Next => Says::GivesWay(Some(Reason::Ambiguous)),
                other => panic!("no rule for {other:?}"),
            };
        }
        let guess = containing.is_none() && self.different(roots) > 1;
        if let Some(at) = containing {
            let best = candidates.remove(at);
            candidates.insert(0, best);
        }
        let mut needs: Vec<Need> = Vec::new();
        let mut why = None;
        for (raw, lexed) in candidates {
            let end = match lexed {
                Lexed::Place(target) => match self.on_disk(source, target.clone(), eyes) {
                    Verdict::Good(good) => Says::Wins(self.win(SourceKind::Roots, good, None).into()),
                    Verdict::Pending(more) => {
                        needs.extend(more);
                        if rules.on_unusable == OnUnusable::NextRoot {
                            continue;
                        }
                        break;
                    }
                    Verdict::Bad(reason) => match rules.on_unusable {
                        OnUnusable::Accept | OnUnusable::NextRoot | OnUnusable::NextSource
                            if reason == Reason::OtherMachine =>
                        {
                            why = Some(reason);
                            if rules.on_unusable == OnUnusable::NextSource {
                                break;
                            }
                            continue;
                        }
                        OnUnusable::Accept if is_disk(reason) && self.is_accepted_as_is(source, &target) => {
                            Says::Wins(self.win(SourceKind::Roots, target, None).into())
                        }
                        OnUnusable::Accept | OnUnusable::NextRoot => continue,
                        OnUnusable::NextSource => Says::GivesWay(None),
                        OnUnusable::Error => Says::Ends(Out::Refused(reason, SourceKind::Roots, source.status)),
                        other => panic!("no rule for {other:?}"),
                    },
                },
                Lexed::NonFile(_) => match rules.non_file {
                    NonFile::Skip => continue,
                    NonFile::NextSource => Says::GivesWay(why),
                    NonFile::NameOnly if self.policy.config().require_path => match rules.on_unusable {
                        OnUnusable::Accept | OnUnusable::NextRoot => continue,
                        OnUnusable::NextSource | OnUnusable::Error => Says::GivesWay(why),
                        other => panic!("no rule for {other:?}"),
                    },
                    NonFile::Error => Says::Ends(Out::Refused(Reason::NotFileUri, SourceKind::Roots, source.status)),
                    NonFile::NameOnly => Says::Wins(self.win(SourceKind::Roots, self.name_only(raw), None).into()),
                    other => panic!("no rule for {other:?}"),
                },
                Lexed::Bad(reason) => match rules.on_unusable {
                    OnUnusable::Accept | OnUnusable::NextRoot => continue,
                    OnUnusable::NextSource => Says::GivesWay(None),
                    OnUnusable::Error => Says::Ends(Out::Refused(reason, SourceKind::Roots, source.status)),
                    other => panic!("no rule for {other:?}"),
                },
            };
            let end = match end {
                Says::Wins(win) => Says::Wins(Win { guess, ..*win }.into()),
                end => end,
            };
            return if needs.is_empty() { end } else { Says::Pending(needs) };
        }
        if needs.is_empty() { Says::GivesWay(why) } else { Says::Pending(needs) }
    }

    /// How many different roots there are; every root counts, also one that cannot be used.
    pub fn different(&self, roots: &[RawRoot]) -> usize {
        let key = |raw: &RawRoot| match self.lex_root(raw) {
            Lexed::Place(target) => target.key,
            Lexed::NonFile(_) | Lexed::Bad(_) => format!("uri:{}", raw.uri),
        };
        let keys: std::collections::BTreeSet<String> = roots.iter().map(key).collect();
        keys.len()
    }

    pub fn decide_roots(&self, ask: &Ask, patience: Patience) -> Decision {
        let mut waiting = Waiting { roots: true, ..Waiting::default() };
        match self.roots_now(Some(ask), patience) {
            RootsNow::Use(roots) => {
                // The age of the list shows in its state; that of a report makes it stale.
                self.read_old.set(false);
                let readable = |raw: &RawRoot| self.problem(raw).is_none();
                let from_connection = roots.is_some() && !brings_roots(ask);
                let state = if !ask.modern || from_connection {
                    self.roots_state(readable)
                } else if let Some(roots) = &roots {
                    state_of(roots, readable)
                } else if ask.by != AskVia::None && !declares_roots(ask) {
                    RootsState::Undeclared
                } else {
                    RootsState::NotAsked
                };
                return match self.view(&roots.unwrap_or_default(), Eyes::Ask { ask, patience }) {
                    Ok(view) => {
                        let state = if self.read_old.get() { RootsState::Stale } else { state };
                        Decision::Done(End::Other(Out::Listed(view, state)))
                    }
                    Err(needs) => Decision::Wait(Waiting { needs, ..Waiting::default() }),
                };
            }
            RootsNow::NeedsInput => return Decision::Done(End::Other(needs_input())),
            other => {
                if let Says::Roots { send, request, refresh } = self.says_roots(&other, Some(ask)) {
                    waiting.wait_for_roots(send, request, refresh);
                }
            }
        }
        Decision::Wait(waiting)
    }

    /// Roots as a list shows them, each with the result of its check (rule 36), or the paths that depends on.
    pub fn view(&self, roots: &[RawRoot], eyes: Eyes<'_>) -> Result<Vec<Shown>, Vec<Need>> {
        let most = usize::try_from(self.policy.config().limits.value_chars).unwrap();
        let usual = Source::new(SourceKind::Roots);
        let mut source = self.source(SourceKind::Roots).unwrap_or(&usual).clone();
        source.refine = None;
        source.links = Links::Keep;
        source.verify = Verify::Directory;
        let (mut views, mut needs) = (Vec::new(), Vec::new());
        for raw in roots {
            let (problem, real, is_here) = match self.lex_strictly(raw) {
                Lexed::Place(target) => match self.on_disk(&source, target, eyes) {
                    Verdict::Good(target) => (None, target.real, !target.on_client_machine),
                    Verdict::Bad(reason) => (Some(reason), None, false),
                    Verdict::Pending(more) => {
                        needs.extend(more);
                        continue;
                    }
                },
                Lexed::NonFile(_) => (Some(Reason::NotFileUri), None, false),
                Lexed::Bad(reason) => (Some(reason), None, false),
            };
            let exists = match problem {
                Some(Reason::Missing | Reason::OtherSystem) => Some(false),
                _ => is_here.then_some(true),
            };
            let usable = is_here && real.is_some();
            views.push((display(&raw.uri, most), problem, real, exists, usable));
        }
        if needs.is_empty() { Ok(views) } else { Err(needs) }
    }

    /// The keys of the roots in a list.
    pub fn keys(&self, roots: &[RawRoot]) -> Vec<String> {
        let keys = roots.iter().filter_map(|raw| match self.lex_root(raw) {
            Lexed::Place(target) => Some(target.key),
            Lexed::NonFile(uri) => Some(format!("uri:{uri}")),
            Lexed::Bad(_) => None,
        });
        keys.collect()
    }
}
