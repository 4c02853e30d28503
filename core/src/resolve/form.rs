//! The form in which the client's user names the project.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::AskContext;
use super::cause::cause;
use super::evaluate::Evaluation;
use crate::api::event::SelectBy;
use crate::api::reason::Reason;
use crate::path::display::display;
use crate::peer::form::PROJECT_FIELD;
use crate::peer::root_list::{ANSWER_ROOTS, ANSWER_ROOTS_BYTES};
use crate::policy::{Templates, Values, to_usize};

/// A form, and how its answer is read.
pub(crate) struct Form {
    /// The parameters of `elicitation/create`.
    pub(crate) params: Value,
    pub(crate) choice: FormChoice,
}

/// What a form offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FormChoice {
    /// One of the client's roots.
    Roots,
    /// A field for any path.
    Path,
}

impl FormChoice {
    /// The selection that an answer is.
    pub(crate) const fn selection(self, answer: String) -> SelectBy {
        match self {
            Self::Roots => SelectBy::Root(answer),
            Self::Path => SelectBy::Value(answer),
        }
    }
}

impl AskContext<'_> {
    /// The form for an ask without a project, or with one that is a guess; none if a selection would not count.
    pub(crate) fn form(&self, reason: Reason, evaluation: Option<&Evaluation>) -> Option<Form> {
        if !self.evaluation_context().lets_select() || self.connection.memory.is_immutable(self.policy) {
            return None;
        }
        let several = evaluation.filter(|_| reason == Reason::Ambiguous).map_or(&[][..], Evaluation::several);
        let (choice, choices) = match several {
            [] => {
                let list = self.visible_roots().filter(|_| reason == Reason::Ambiguous);
                (FormChoice::Roots, list.and_then(|list| list.choices(self.policy, self.host)))
            }
            several => (FormChoice::Path, self.choices_of(several)),
        };
        let (names, folders) = self.folders_to_name(reason, several);
        let findings = evaluation.map_or(&[][..], |evaluation| &evaluation.findings);
        let cause = cause(findings, self.visible_roots(), self.host.is_local());
        let values = Values::new().with("cause", &cause).with("list", &names).with("folders", &folders);
        let templates = Templates(self.policy);
        let text = |keys: &[&str]| templates.message(keys, &values);
        let message = match reason {
            Reason::Ambiguous => text(&["elicit.ambiguous", "elicit"]),
            _ => text(&["elicit"]),
        };
        let title = text(&["elicit.title"]);
        // In alphabetical order: a map of serde_json keeps another one only with a feature that any crate may switch on.
        let (choice, field) = match choices {
            Some(choices) => {
                let description = text(&["elicit.root"]);
                let field = json!({ "description": description, "enum": choices, "title": title, "type": "string" });
                (choice, field)
            }
            None => {
                let description = text(&["elicit.path"]);
                (FormChoice::Path, json!({ "description": description, "title": title, "type": "string" }))
            }
        };
        let schema = json!({ "properties": { PROJECT_FIELD: field }, "required": [PROJECT_FIELD], "type": "object" });
        Some(Form { params: json!({ "message": message, "requestedSchema": schema }), choice })
    }

    /// The folders of the request as choices, if they can be shown as they are spelled and are not too many.
    fn choices_of(&self, folders: &[String]) -> Option<Vec<String>> {
        let most = to_usize(self.policy.config.limits.value_chars);
        let bytes = folders.iter().map(String::len).fold(0, usize::saturating_add);
        let fits = folders.len() <= ANSWER_ROOTS && bytes <= ANSWER_ROOTS_BYTES;
        let is_shown = |folder: &String| display(folder, most) == *folder;
        (fits && folders.iter().all(is_shown)).then(|| folders.to_vec())
    }
}
