//! The form in which the client's user names the project.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::ask::AskContext;
use super::cause::cause;
use super::evaluate::Finding;
use crate::api::event::SelectBy;
use crate::api::reason::Reason;
use crate::peer::form::PROJECT_FIELD;
use crate::policy::{Templates, Values};

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
    pub(crate) fn form(&self, reason: Reason, findings: &[Finding]) -> Option<Form> {
        if !self.evaluation_context().lets_select() || self.connection.memory.is_immutable(self.policy) {
            return None;
        }
        let list = self.visible_roots().filter(|_| reason == Reason::Ambiguous);
        let choices = list.and_then(|list| list.choices(self.policy, self.host));
        let (names, folders) = self.listings(reason, "");
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
                (FormChoice::Roots, field)
            }
            None => {
                let description = text(&["elicit.path"]);
                (FormChoice::Path, json!({ "description": description, "title": title, "type": "string" }))
            }
        };
        let schema = json!({ "properties": { PROJECT_FIELD: field }, "required": [PROJECT_FIELD], "type": "object" });
        Some(Form { params: json!({ "message": message, "requestedSchema": schema }), choice })
    }
}
