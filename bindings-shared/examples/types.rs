//! Prints the TypeScript declarations of everything that crosses the wire.

use rootwise::{action, error, event, explain, host, limits, path, policy, project, session};
use ts_rs::{Config, TS};

fn main() {
    let config = Config::new().with_large_int("number");
    println!("// Generated from the Rust types by `npm run build -- --types`. Change those and run it again.");
    macro_rules! declare {
        ($($type:ty),* $(,)?) => { $( declare::<$type>(&config); )* };
    }
    declare!(
        event::Event,
        event::ClientInitialized,
        event::RootsListed,
        event::RootsRefused,
        event::RefusalKind,
        event::HostFactsChanged,
        event::Asked,
        event::Want,
        event::AskBy,
        event::RequestFacts,
        event::Selected,
        event::SelectBy,
        event::SelectionCleared,
        event::AskWithdrawn,
        event::Probed,
        event::ProbedPath,
        event::Found,
        event::Message,
        action::Action,
        action::Answer,
        action::Outcome,
        action::Refused,
        action::Unresolved,
        action::RootsState,
        action::Announce,
        action::Cancel,
        action::SendRequest,
        action::Probe,
        action::ProbePath,
        action::Forward,
        action::MessageKind,
        action::Log,
        action::Level,
        action::LogCode,
        project::Project,
        project::RootRef,
        project::RootView,
        explain::Explanation,
        explain::Tried,
        explain::Verdict,
        explain::RootsReport,
        explain::Era,
        host::HostFacts,
        host::Transport,
        host::ExcludedDirs,
        host::PathMap,
        path::PathStyle,
        policy::Policy,
        policy::Source,
        policy::SourceKind,
        policy::Format,
        policy::Verify,
        policy::Relative,
        policy::ExcludedDirsRule,
        policy::OnBad,
        policy::BadOutcome,
        policy::Markers,
        policy::Tier,
        policy::Unmarked,
        policy::When,
        policy::Recheck,
        policy::RootsRules,
        policy::Ask,
        policy::Pick,
        policy::OnUnusable,
        policy::NonFile,
        policy::BarePaths,
        policy::Files,
        policy::OnChange,
        policy::WhileAsking,
        policy::RequestForm,
        policy::UnsupportedErrors,
        policy::Timing,
        policy::Memory,
        policy::Pin,
        policy::Selection,
        policy::Names,
        policy::NameRule,
        policy::Traversal,
        policy::EnforceRoots,
        policy::RootMatch,
        policy::NameFrom,
        policy::Hint,
        policy::Advice,
        limits::Limits,
        session::RecoverRequest,
        session::SessionRecord,
        session::Recovery,
        session::RecoveryOutcome,
        error::Reason,
        path::Refusal,
        rootwise::Json,
    );
}

fn declare<T: TS>(config: &Config) {
    println!();
    if let Some(docs) = T::docs() {
        print!("{docs}");
    }
    println!("export {}", T::decl(config));
}
