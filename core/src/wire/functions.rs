//! The functions that need no resolver, as JSON text in and out.

use alloc::string::{String, ToString};

use crate::path::{PathStyle, RealPaths, Refusal, is_inside, is_inside_real, join_inside};
use crate::read::{self, Faults, Readable, Step, read_fields};
use crate::session::recover_session;
use crate::uri::{file_uri_to_path, project_key};
use crate::wire::{failure, misused};
use crate::write::{Written, object};

struct UriOf {
    uri: String,
    style: PathStyle,
}

struct Inside {
    root: String,
    path: String,
    style: PathStyle,
    real: Option<Real>,
}

struct Real {
    root: String,
    path: String,
}

struct Join {
    project: String,
    path: String,
    style: PathStyle,
}

read_fields!(UriOf: uri, style; );
read_fields!(Inside: root, path, style; real);
read_fields!(Real: root, path; );
read_fields!(Join: project, path, style; );

/// Calls a function that needs no resolver: `{"fileUriToPath": {"uri": ..., "style": ...}}` gives `{"value": ...}`, and
/// what goes wrong `{"error": {"code", "message"}}`. The others are `projectKey`, `isInside`, `joinInside` and
/// `recoverSession`.
#[must_use]
pub fn call(arguments: &str) -> String {
    match read::parse(arguments) {
        Ok(Called(answer)) => answer,
        Err(fault) => misused(&fault.into()),
    }
}

/// The answer to a call.
struct Called(String);

impl Readable for Called {
    fn read(call: &str, faults: &mut Faults) -> Self {
        let call = read::object(call, faults);
        let (function, arguments) = read::only_member(&call).unwrap_or_default();
        Self(faults.within(Step::Key(function), |faults| answer(function, arguments, faults)))
    }
}

fn answer(function: &str, arguments: &str, faults: &mut Faults) -> String {
    match function {
        "fileUriToPath" => {
            let UriOf { uri, style } = Readable::read(arguments, faults);
            judged(file_uri_to_path(&uri, style))
        }
        "projectKey" => {
            let UriOf { uri, style } = Readable::read(arguments, faults);
            judged(project_key(&uri, style))
        }
        "isInside" => {
            let Inside { root, path, style, real } = Readable::read(arguments, faults);
            value(&real.map_or_else(
                || is_inside(&root, &path, style),
                |real| is_inside_real(&root, &path, style, RealPaths { root: &real.root, path: &real.path }),
            ))
        }
        "joinInside" => {
            let Join { project, path, style } = Readable::read(arguments, faults);
            judged(join_inside(&project, &path, style))
        }
        "recoverSession" => value(&recover_session(&Readable::read(arguments, faults))),
        _ => {
            faults.note("must name one function that there is");
            String::new()
        }
    }
}

fn judged(result: Result<String, Refusal>) -> String {
    match result {
        Ok(path) => value(&path),
        Err(refusal) => failure(refusal.code(), &refusal.to_string()),
    }
}

fn value(value: &dyn Written) -> String {
    object(|answer| answer.field("value", value))
}
