//! What the connection keeps: a selection, a pin and a remembered project.

use rootwise::Reason;
use rootwise::policy::{Links, OnUnusable, Source, SourceKind, Verify};

use super::Out;
use super::decide::{Says, is_disk};
use super::history::History;
use super::record::{Ask, Win};
use super::values::{Eyes, Shown, Target, Verdict};
use super::within::MayName;

/// Why something that is kept does not count.
pub enum Lost {
    /// Its folder will not do.
    Gone(Reason),
    /// Its source may not name it for now.
    Suspended(Reason),
}

impl Lost {
    pub fn reason(&self) -> Reason {
        let (Self::Gone(reason) | Self::Suspended(reason)) = self;
        *reason
    }
}

impl History {
    /// What the pin says: it wins, or where its folder may not be used, nobody does.
    pub fn ask_pin(&self, win: &Win, ask: Option<&Ask>, eyes: Eyes<'_>) -> Says {
        self.look_again(win, ask, eyes).unwrap_or_else(|lost| {
            let status = self.found_by(win).and_then(|source| source.status);
            Says::Ends(Out::Refused(lost.reason(), win.project.source, status))
        })
    }

    /// Looks again at the folder of something that the connection keeps (rule 44): at this folder and no other.
    pub fn look_again(&self, win: &Win, ask: Option<&Ask>, eyes: Eyes<'_>) -> Result<Says, Lost> {
        let win = &Win { guess: false, ..win.clone() };
        let Some(source) = self.kept_source(win) else { return Ok(Says::Wins(win.clone().into())) };
        // A folder of the client's machine is not checked, so that nothing old can be read about it.
        let checked = (!win.project.on_client_machine).then(|| self.on_disk(&source, kept_folder(win), eyes));
        let target = match checked.unwrap_or_else(|| Verdict::Good(kept_folder(win))) {
            Verdict::Good(target) => target,
            Verdict::Pending(needs) => return Ok(Says::Pending(needs)),
            Verdict::Bad(reason) if self.is_accepted_root(win, &source, reason) => kept_folder(win),
            Verdict::Bad(reason) => return Err(Lost::Gone(reason)),
        };
        // Its source must still be allowed to name it (rule 15).
        let root = win.project.root.zip(win.root_key.clone());
        let target = Target { root, ..target };
        match self.may_name(&source, &target, ask, eyes) {
            MayName::Yes => {
                let win = Win { real: target.real, ..win.clone() };
                Ok(Says::Wins(self.identified(win, target.repository).into()))
            }
            MayName::No(reason) => Err(Lost::Suspended(reason)),
            MayName::NotYet(says) => Ok(says),
        }
    }

    /// Whether it was accepted as it is spelled, and still is.
    fn is_accepted_root(&self, win: &Win, source: &Source, reason: Reason) -> bool {
        source.from == SourceKind::Roots
            && self.policy.config().roots.on_unusable == OnUnusable::Accept
            && is_disk(reason)
            && self.is_accepted_as_is(source, &kept_folder(win))
    }

    /// The source that found something, as far as its rules still count: there is no walk up, and links are not followed.
    pub fn kept_source(&self, win: &Win) -> Option<Source> {
        win.project.path.as_ref()?;
        let mut source = self.found_by(win)?.clone();
        source.links = Links::Keep;
        if let Some(refine) = &mut source.refine {
            refine.levels = 1;
        }
        if win.project.root.is_some() && (source.verify != Verify::None || self.is_confined()) {
            // What was the folder of a root must still be one, wherever it is probed.
            source.verify = Verify::Directory;
        }
        Some(source)
    }

    /// The source that found something.
    pub fn found_by(&self, win: &Win) -> Option<&Source> {
        let via = win.project.via.as_deref().unwrap_or_default();
        let is_first = |source: &&Source| match win.project.source {
            SourceKind::Remembered => source.from.name() == via,
            kind => source.from == kind,
        };
        let reads = |source: &&Source| source.read.iter().any(|name| name == via);
        let sources = || self.policy.config().sources.iter().filter(is_first);
        sources().find(reads).or_else(|| sources().next())
    }
}

/// The folder of something that the connection keeps; if it came from a root, its parent was not meant.
fn kept_folder(win: &Win) -> Target {
    Target {
        path: win.project.path.clone(),
        key: win.folder.clone(),
        name: win.project.name.clone(),
        root: None,
        real: None,
        on_client_machine: win.project.on_client_machine,
        own_name: false,
        shown: Shown::Nothing,
        repository: None,
    }
}
