//! A policy in words.

use rootwise::Policy;
use rootwise::policy::{EnforceRoots, Identity, Pick, Pin, RequestWhen, Source, SourceKind};

/// What a policy does: its sources in order, then the rules around them.
pub(super) fn summary(policy: &Policy) -> Vec<String> {
    let config = policy.config();
    let mut said = vec![format!("The policy `{}` takes the first of these that names a usable folder:", config.name)];
    for (number, source) in (1..).zip(&config.sources) {
        said.push(format!("{number:>3}. {}", words_of(source)));
    }
    let seconds = f64::from(config.timing.caller_timeout_ms) / 1_000.0;
    said.push(format!("A call waits at most {seconds} s for its project."));
    if config.sources.iter().any(|source| source.from == SourceKind::Roots) {
        let asked = match config.roots.ask {
            RequestWhen::Eager => "The client is asked for its roots as soon as it is ready",
            RequestWhen::Lazy => "The client is asked for its roots when a call needs them",
            RequestWhen::EachRequest => "The client is asked for its roots by every call that needs them",
            _ => "The client is never asked for its roots",
        };
        let picked = match config.roots.pick {
            Pick::Only => "of several, none is picked",
            _ => "of several, the first that can be used is picked",
        };
        said.push(format!("{asked}; {picked}."));
    }
    if config.selection.enforce_roots != EnforceRoots::default() {
        said.push("A project that a tool selects must be one of the client's roots.".into());
    }
    said.extend(match config.memory.pin {
        Pin::Sticky => Some("The first project stays until a tool selects another.".into()),
        Pin::Immutable => Some("The first project stays for good.".into()),
        _ => None,
    });
    said.extend(match config.identity {
        Identity::Repository => Some("All worktrees of a repository count as one project.".to_owned()),
        Identity::Remote => Some("All clones with the same remote count as one project.".to_owned()),
        _ => None,
    });
    if !config.require_path {
        said.push("A name, or a folder on the client's machine, is a project too.".into());
    }
    said
}

fn words_of(source: &Source) -> String {
    let names = source.read.join(", ");
    let mut words = match source.from {
        SourceKind::Server => "what the server itself knows about the caller".into(),
        SourceKind::Argument => "the project argument of the call".into(),
        SourceKind::Header => format!("the HTTP header {names}"),
        SourceKind::Query => format!("the HTTP query parameter {names}"),
        SourceKind::Meta => format!("`_meta` of the request: {names}"),
        SourceKind::Selected => "the project that a tool selected".into(),
        SourceKind::Configured => format!("the server's own configuration: {}", configured(source)),
        SourceKind::Roots => "the roots of the client".into(),
        SourceKind::Remembered => "the last project of the connection".into(),
        SourceKind::Env => format!("variables that the client sets: {names}"),
        SourceKind::Cwd => "the working directory of the server".into(),
        _ => source.from.to_string(),
    };
    if let Some(markers) = &source.refine {
        let names: Vec<&str> = markers.tiers.iter().flat_map(|tier| &tier.names).map(String::as_str).collect();
        let shown = names.get(..MAX_MARKERS).map_or_else(
            || names.join(", "),
            |first| format!("{} and {} more", first.join(", "), names.len().saturating_sub(MAX_MARKERS)),
        );
        words.push_str(&format!(", or the folder above it that contains {shown}"));
    }
    words
}

/// Markers that a sentence names.
const MAX_MARKERS: usize = 6;

fn configured(source: &Source) -> String {
    let named = |name: &String| if name.starts_with('$') { name.clone() } else { format!("--{name}") };
    source.read.iter().map(named).collect::<Vec<_>>().join(", ")
}
