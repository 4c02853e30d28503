//! The functions that need no resolver, in JSON.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Failure;
use crate::api::host::PathMap;
use crate::api::project::RootView;
use crate::api::to_json;
use crate::clients::ClientLike;
use crate::endpoint::inputs::PolicyInputs;
use crate::error::{ConfigError, parse_json};
use crate::gate::{GateReads, Verdict, gate_policy};
use crate::host_problem::HostProblem;
use crate::parameter::project_parameter;
use crate::path::name::{NameForm, project_slug, sanitize_name};
use crate::path::uri::{file_uri_to_path, path_to_file_uri, project_id, project_key};
use crate::path::{
    PathProblem, PathStyle, ProjectFolder, RealPaths, Refusal, basename, is_inside, is_inside_real, join_inside,
    not_inside, tool_path,
};
use crate::policy::Policy;
use crate::provide::{Folder, provided_roots};
use crate::session::{RecoverRequest, recover_session};
use crate::tools::ready_tools;

/// A function and its arguments.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Call<'a> {
    FileUriToPath(UriArguments),
    ProjectKey(RootArguments),
    IsInside(InsideArguments),
    JoinInside(JoinArguments),
    RecoverSession(RecoverRequest),
    Basename(PathArguments),
    PathToFileUri(PathArguments),
    ProjectId(KeyArguments),
    ProjectSlug(SlugArguments),
    SanitizeName(NameArguments),
    PathProblem(PathProblem),
    HostProblem(HostProblem),
    NotInside(NoArguments),
    GatePolicy(GateArguments),
    #[serde(borrow)]
    GateRefusal(Verdict<'a>),
    PolicyInputs(PolicyArguments),
    CommandLine(CommandLineArguments),
    ProjectParameter(ParameterArguments),
    ReadyTools(NoArguments),
    ProvidedRoots(FolderArguments),
    SimulateClient(ClientLike),
    FileInside(#[serde(borrow)] FileArguments<'a>),
    ToolPath(#[serde(borrow)] ToolPathArguments<'a>),
    ClientFile(#[serde(borrow)] FileArguments<'a>),
    ParsePathMap(PathMapArguments),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UriArguments {
    uri: String,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RootArguments {
    uri: String,
    #[serde(default)]
    style: Option<PathStyle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct InsideArguments {
    root: String,
    path: String,
    style: PathStyle,
    #[serde(default)]
    real: Option<RealArguments>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RealArguments {
    root: String,
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinArguments {
    project: String,
    path: String,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathArguments {
    path: String,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyArguments {
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SlugArguments {
    name: String,
    key: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameArguments {
    name: String,
    form: NameForm,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyArguments {
    #[serde(default)]
    policy: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct GateArguments {
    #[serde(default)]
    policy: Option<Box<RawValue>>,
    #[serde(default)]
    reads: GateReads,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandLineArguments {
    words: Vec<String>,
    #[serde(default)]
    policy: Option<Box<RawValue>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParameterArguments {
    #[serde(default)]
    roots: Vec<RootView>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoArguments {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FolderArguments {
    folders: Vec<Folder>,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileArguments<'a> {
    #[serde(borrow)]
    project: ProjectFolder<'a>,
    #[serde(borrow)]
    file: Cow<'a, str>,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolPathArguments<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
    #[serde(borrow, default)]
    base: Option<Cow<'a, str>>,
    style: PathStyle,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PathMapArguments {
    text: String,
    style: PathStyle,
    #[serde(default)]
    place: Option<String>,
}

/// A stable code and a text.
#[derive(Serialize)]
struct Told {
    code: &'static str,
    message: String,
}

#[derive(Serialize)]
struct Returned<T> {
    value: T,
}

/// Calls a function that needs no resolver: `{"fileUriToPath": {"uri": ..., "style": ...}}` returns `{"value": ...}` or
/// `{"error": {"code", "message"}}`. The others are `projectKey`, `isInside`, `joinInside`, `recoverSession`,
/// `basename`, `pathToFileUri`, `projectId`, `projectSlug`, `sanitizeName`; for hosts that collect facts for a policy
/// `policyInputs`, `commandLine` and `parsePathMap`; for tools `projectParameter`, `readyTools` and `clientFile`; for those that check
/// paths on disk `fileInside`, `toolPath`, `notInside` and `pathProblem`, with `{ "code", "message" }`; for hosts `hostProblem`, and
/// for gates `gatePolicy` and `gateRefusal`; for clients `providedRoots`, and for tests `simulateClient`.
///
/// ```
/// use rootwise::wire;
///
/// let value = wire::call(r#"{ "basename": { "path": "/work/app", "style": "posix" } }"#);
/// assert_eq!(value, r#"{"value":"app"}"#);
/// ```
#[must_use]
pub fn call(arguments: &str) -> String {
    let call = match parse_json(arguments) {
        Ok(call) => call,
        Err(error) => return Failure::from(error).to_json(),
    };
    match call {
        Call::FileUriToPath(UriArguments { uri, style }) => returned(file_uri_to_path(&uri, style)),
        Call::ProjectKey(RootArguments { uri, style }) => {
            returned(project_key(&uri, style.unwrap_or_else(|| PathStyle::of(&uri))))
        }
        Call::IsInside(InsideArguments { root, path, style, real: None }) => {
            to_json(&Returned { value: is_inside(&root, &path, style) })
        }
        Call::IsInside(InsideArguments { root, path, style, real: Some(real) }) => {
            let real = RealPaths::new(&real.root, &real.path);
            to_json(&Returned { value: is_inside_real(&root, &path, style, real) })
        }
        Call::JoinInside(JoinArguments { project, path, style }) => returned(join_inside(&project, &path, style)),
        Call::RecoverSession(request) => match recover_session(&request) {
            Ok(value) => to_json(&Returned { value }),
            Err(error) => Failure::from(error).to_json(),
        },
        Call::Basename(PathArguments { path, style }) => to_json(&Returned { value: basename(&path, style) }),
        Call::PathToFileUri(PathArguments { path, style }) => {
            to_json(&Returned { value: path_to_file_uri(&path, style) })
        }
        Call::ProjectId(KeyArguments { key }) => to_json(&Returned { value: project_id(&key) }),
        Call::ProjectSlug(SlugArguments { name, key }) => to_json(&Returned { value: project_slug(&name, &key) }),
        Call::SanitizeName(NameArguments { name, form }) => to_json(&Returned { value: sanitize_name(&name, form) }),
        Call::PathProblem(problem) => {
            let told = Told { code: problem.reason().code(), message: problem.to_string() };
            to_json(&Returned { value: told })
        }
        Call::HostProblem(problem) => to_json(&Returned { value: problem.told() }),
        Call::NotInside(NoArguments {}) => to_json(&Returned { value: not_inside() }),
        Call::GatePolicy(GateArguments { policy, reads }) => match checked_policy(policy.as_deref()) {
            Ok(policy) => checked(gate_policy(&policy, &reads)),
            Err(error) => Failure::from(error).to_json(),
        },
        Call::GateRefusal(verdict) => to_json(&Returned { value: verdict.refusal() }),
        Call::PolicyInputs(PolicyArguments { policy }) => match inputs(policy.as_deref()) {
            Ok(value) => to_json(&Returned { value }),
            Err(failure) => failure.to_json(),
        },
        Call::CommandLine(CommandLineArguments { words, policy }) => match inputs(policy.as_deref()) {
            Ok(inputs) => to_json(&Returned { value: inputs.arguments(words.iter().map(String::as_str)) }),
            Err(failure) => failure.to_json(),
        },
        Call::ProjectParameter(ParameterArguments { roots }) => to_json(&Returned { value: project_parameter(&roots) }),
        Call::ReadyTools(NoArguments {}) => to_json(&Returned { value: ready_tools() }),
        Call::ProvidedRoots(FolderArguments { folders, style }) => checked(provided_roots(&folders, style)),
        Call::SimulateClient(like) => checked(like.simulate()),
        Call::FileInside(FileArguments { project, file, style }) => named(project.file(&file, style)),
        Call::ToolPath(ToolPathArguments { path, base, style }) => named(tool_path(&path, base.as_deref(), style)),
        Call::ClientFile(FileArguments { project, file, style }) => {
            to_json(&Returned { value: project.client_file(&file, style) })
        }
        Call::ParsePathMap(PathMapArguments { text, style, place }) => {
            match PathMap::parse(&text, style, place.as_deref().unwrap_or("pathMap")) {
                Ok(value) => to_json(&Returned { value }),
                Err(error) => Failure::from(error).to_json(),
            }
        }
    }
}

fn inputs(policy: Option<&RawValue>) -> Result<PolicyInputs, Failure> {
    Ok(PolicyInputs::of(&checked_policy(policy)?))
}

fn checked_policy(policy: Option<&RawValue>) -> Result<Policy, ConfigError> {
    policy.map_or_else(|| Ok(Policy::recommended()), |policy| Policy::from_json(policy.get()))
}

fn checked<T: Serialize>(result: Result<T, ConfigError>) -> String {
    match result {
        Ok(value) => to_json(&Returned { value }),
        Err(error) => Failure::from(error).to_json(),
    }
}

fn named(result: Result<String, PathProblem>) -> String {
    match result {
        Ok(value) => to_json(&Returned { value }),
        Err(problem) => Failure::new(problem.reason().code(), &problem.to_string()).to_json(),
    }
}

fn returned(result: Result<String, Refusal>) -> String {
    match result {
        Ok(value) => to_json(&Returned { value }),
        Err(refusal) => Failure::new(refusal.code(), &refusal.to_string()).to_json(),
    }
}
