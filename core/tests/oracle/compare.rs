//! Brings what the machine did into the form the model predicts.

use std::collections::{BTreeMap, BTreeSet};

use rootwise::action::{Action, InputRequest, LogCode, Outcome, RequestMethod, SendRequest};
use rootwise::path::PathStyle;
use rootwise::project::{Project, Repository};
use rootwise::{AskId, Resolver};

use super::repositories::Repo;
use super::values::{FILES, NEAREST};
use super::{Effects, Out, PREDICTED, Proj, Views};

fn proj(project: &Project) -> Proj {
    Proj {
        key: project.key.clone(),
        name: project.name.clone(),
        path: project.path.clone().or_else(|| project.client_path.clone()),
        client_path: project.client_path.clone().filter(|_| project.path.is_some()),
        on_client_machine: project.path.is_none() && project.client_path.is_some(),
        repository: project.repository.as_deref().map(repo),
        is_windows: project.style.map(|style| style == PathStyle::Windows),
        source: project.source,
        via: project.via.clone(),
        root: project.root.as_ref().map(|root| root.index),
        package: project.package.as_ref().map(|package| {
            assert_eq!(package.inside.rsplit('/').next(), Some(package.name.as_str()));
            (package.path.clone(), package.inside.clone(), package.marker.clone())
        }),
        stale: project.stale,
    }
}

fn repo(repository: &Repository) -> Repo {
    let worktree = repository.worktree.as_ref().map(|worktree| (worktree.name.clone(), worktree.main.clone()));
    Repo {
        top: repository.path.clone(),
        inside: repository.inside.clone(),
        folder: repository.key.strip_prefix("bare:").unwrap_or(&repository.key).to_owned(),
        worktree,
        broken: repository.broken,
        kind: repository.kind,
        remote: repository.remote.clone(),
    }
}

fn out(outcome: &Outcome) -> Out {
    match outcome {
        Outcome::Resolved { project } => Out::Resolved(proj(project)),
        Outcome::Selected { project, .. } => Out::Selected(proj(project)),
        Outcome::Listed { roots, state, .. } => {
            let views = roots
                .iter()
                .map(|view| (view.root.uri.clone(), view.problem, view.real_path.clone(), view.exists, view.usable));
            Out::Listed(views.collect(), *state)
        }
        Outcome::NeedsInput { input_requests } => {
            let requests = input_requests.iter();
            let shown = |(key, request): (&_, &InputRequest)| match &request.params {
                Some(params) => (String::clone(key), form(params)),
                None => (String::clone(key), serde_json::to_string(request).unwrap()),
            };
            Out::NeedsInput(requests.map(shown).collect())
        }
        Outcome::Refused(refused) => Out::Refused(refused.code, refused.source, refused.status),
        Outcome::Unresolved(unresolved) => Out::Unresolved(unresolved.code),
        Outcome::Cleared { project: Some(project), code: None, message: None } => Out::Cleared(Ok(proj(project))),
        Outcome::Cleared { project: None, code: Some(code), message: Some(_) } => Out::Cleared(Err(*code)),
        other => panic!("no rule for {other:?}"),
    }
}

/// What a form offers.
fn form(params: &serde_json::Value) -> String {
    let schema = &params["requestedSchema"];
    assert_eq!(schema["required"], serde_json::json!(["project"]), "{params}");
    let field = &schema["properties"]["project"];
    assert_eq!(field["type"], "string", "{params}");
    let texts = field.get("enum").map(|texts| serde_json::from_value(texts.clone()).unwrap());
    super::user::shown(&texts)
}

/// The machine's actions as effects.
pub fn effects(actions: &[Action]) -> Effects {
    let mut effects = Effects::default();
    for action in actions {
        match action {
            Action::Answer(answer) => {
                let ends = |ask: &AskId| (ask.0, out(&answer.outcome), answer.hints.clone());
                effects.answers.extend(answer.asks.iter().map(ends));
            }
            Action::Announce(announce) => {
                let key =
                    |project: &Option<std::sync::Arc<Project>>| project.as_ref().map(|project| project.key.clone());
                effects.announce.push((key(&announce.from), key(&announce.to), announce.shared));
            }
            Action::Cancel(cancel) => effects.cancel.push((cancel.request.0, cancel.message.clone())),
            Action::SendRequest(SendRequest {
                request, params: Some(params), relates_to: Some(ask), method, ..
            }) if *method == RequestMethod::ElicitationCreate => {
                effects.forms.push((request.0, ask.0, form(params)));
            }
            Action::SendRequest(send) => {
                effects.send.push((send.request.0, send.relates_to.map(|ask| ask.0), send.message.clone()));
            }
            Action::Probe(probe) => {
                let mut paths: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
                for path in &probe.paths {
                    let nearest = path.nearest.as_ref().map(|_| NEAREST.to_owned());
                    let files = path.files.iter().flat_map(|files| &files.names);
                    let files = files.filter_map(|name| {
                        let asks = |(_, files): &&(&str, &[&str])| files.last() == Some(&name.as_str());
                        FILES.iter().find(asks).map(|(question, _)| (*question).to_owned())
                    });
                    let asked = path.markers.iter().cloned().chain(nearest).chain(files).collect();
                    let twice = paths.insert(path.path.clone(), asked);
                    assert!(twice.is_none(), "a probe names {} twice", path.path);
                }
                effects.probe.push((probe.probe.0, paths));
            }
            Action::Forward(back) => effects.forward.push((back.kind, back.text.clone())),
            Action::Log(notice) => {
                if PREDICTED.contains(&notice.code) {
                    *effects.notices.entry(notice.code).or_default() += 1;
                }
            }
            _ => unreachable!("every action is known"),
        }
    }
    // Asks that end alike share one answer, so their order is not that of the model.
    effects.answers.sort_by_key(|(ask, ..)| *ask);
    effects
}

/// Whether notices were left out, so that a predicted one may be missing.
pub fn left_out_notices(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::Log(notice) if notice.code == LogCode::LogsDropped))
}

/// The place of an action in the fixed order.
pub fn rank(action: &Action) -> u8 {
    match action {
        Action::Answer(_) => 0,
        Action::Announce(_) => 1,
        Action::Cancel(_) => 2,
        Action::SendRequest(_) => 3,
        Action::Probe(_) => 4,
        Action::Forward(_) => 5,
        _ => 6,
    }
}

/// What can be seen of the machine.
pub fn views(resolver: &Resolver) -> Views {
    Views {
        deadline: resolver.deadline().map(|at| at.0),
        project: resolver.project().map(|project| project.key.clone()),
        roots: resolver.roots().state,
        era: resolver.era(),
    }
}
