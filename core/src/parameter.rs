//! The parameter of a tool that names the project, as a server declares it to models.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::api::project::RootView;
use crate::api::style::PathStyle;
use crate::path::basename;
use crate::path::display::display;
use crate::policy::fill;
use crate::texts::parameter as texts;

/// The names that a description has at most, and the characters of each.
const MAX_NAMES: usize = 16;
const MAX_NAME_CHARS: usize = 80;

/// A property of a tool's input schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProjectParameter {
    /// The JSON type.
    pub r#type: String,
    /// What a model reads about it.
    pub description: String,
}

/// Describes the optional parameter by which a tool call names its project, for a tool's input schema. The client's roots are
/// named if they are known.
///
/// ```
/// use rootwise::parameter::project_parameter;
///
/// let parameter = project_parameter(&[]);
/// assert_eq!(parameter.r#type, "string");
/// assert!(parameter.description.contains("absolute path"));
/// ```
#[must_use]
pub fn project_parameter(roots: &[RootView]) -> ProjectParameter {
    let usable = roots.iter().filter(|view| view.problem.is_none());
    let names: Vec<String> = usable.filter_map(name).take(MAX_NAMES).collect();
    let description = match names.as_slice() {
        [] => texts::WITHOUT_ROOTS.to_string(),
        names => fill(texts::WITH_ROOTS, &[("names", &names.join(", "))]),
    };
    ProjectParameter { r#type: "string".to_string(), description }
}

/// A root as a call may name it.
fn name(view: &RootView) -> Option<String> {
    let folder = || view.root.folder().and_then(|folder| basename(folder, PathStyle::of(folder)));
    let name = view.root.name.clone().or_else(folder)?;
    Some(display(&name, MAX_NAME_CHARS)).filter(|name| !name.is_empty() && !name.contains(['/', '\\', ',']))
}
