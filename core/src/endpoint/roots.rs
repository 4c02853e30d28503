//! Lists of roots that are announced: each is verified first.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::action::{AnnounceRoots, EndpointAction};
use super::calls::Purpose;
use super::turn::Turn;
use super::{Endpoint, Scope};
use crate::api::action::Outcome;
use crate::api::event::{AskVia, Asked, Want};
use crate::api::project::RootView;
use crate::id::SessionId;

/// The lists of one session.
#[derive(Clone, Debug, Default)]
pub(super) struct RootsWatch {
    /// The last list that was verified, or that nobody wanted to hear about, by its number.
    seen: u32,
    is_verifying: bool,
    announced: Option<Arc<Vec<RootView>>>,
}

impl Endpoint {
    /// Begins to verify a new list, unless another one is being verified.
    pub(super) fn watch_roots(&mut self, scope: Scope, turn: &mut Turn) {
        let Some((id, session)) = scope.session().zip(self.scopes.get_mut(&scope)) else { return };
        let number = session.resolver.lists();
        if !self.roots_watched {
            session.roots.seen = number;
        } else if session.roots.seen != number && !session.roots.is_verifying {
            session.roots.seen = number;
            session.roots.is_verifying = true;
            turn.unverified.push_back(id);
        }
    }

    pub(super) fn verify_roots(&mut self, session: SessionId, turn: &mut Turn) {
        let asked = Asked { want: Want::Roots, ask_via: Some(AskVia::None), ..Asked::default() };
        self.put_own(Purpose::Roots, Scope::Session(session), None, asked, turn);
    }

    pub(super) fn roots_verified(&mut self, scope: Scope, outcome: &Outcome, turn: &mut Turn) {
        let Some((id, session)) = scope.session().zip(self.scopes.get_mut(&scope)) else { return };
        session.roots.is_verifying = false;
        let Outcome::Listed { roots, state, current, text, unusable, .. } = outcome else { return };
        if !self.roots_watched {
            return;
        }
        // What the client listed, without what the disk says about it.
        let listed = |roots: &[RootView]| {
            roots.iter().map(|view| (view.root.uri.clone(), view.root.name.clone())).collect::<Vec<_>>()
        };
        if session.roots.announced.as_ref().is_some_and(|known| listed(known) == listed(roots)) {
            return;
        }
        let previous = session.roots.announced.replace(roots.clone());
        turn.push(EndpointAction::AnnounceRoots(AnnounceRoots {
            session: id,
            roots: roots.clone(),
            state: *state,
            current: *current,
            text: text.clone(),
            unusable: unusable.clone(),
            previous,
        }));
    }
}
