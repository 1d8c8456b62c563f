//! Bodies, rows and files that conditions refer to, parsed once.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::condition::fields::Kind;
use referee_model::condition_inputs::{ConditionInputs, Content};
use referee_model::database::DatabaseRows;
use referee_model::id::ActionId;
use referee_model::plan::Plan;
use referee_syntax::count::count;
use serde_json::Value as Json;

/// Contents by action.
#[derive(Debug)]
pub(super) struct Contents<'a>(BTreeMap<&'a ActionId, Parsed<'a>>);

/// Content, parsed if it is JSON.
#[derive(Debug)]
pub(super) enum Parsed<'a> {
    Json {
        value: Json,
        /// Original text.
        text: &'a str,
    },
    Text(&'a str),
    /// The rows of a query, a list with an object by column for each; or why they are not known.
    Rows(Result<Json, String>),
    TooLong {
        bytes: u64,
    },
}

impl<'a> Contents<'a> {
    pub(super) fn of(plan: &Plan, materials: &'a BTreeMap<ActionId, ConditionInputs>) -> Self {
        let queries: BTreeSet<&ActionId> = plan
            .actions
            .iter()
            .filter(|action| Kind::of(&action.work) == Kind::Query)
            .map(|action| &action.id)
            .collect();
        let parsed = |id: &ActionId, material: &'a ConditionInputs| match material.content.as_ref()? {
            Content::Text(text) if queries.contains(id) => Some(Parsed::Rows(rows(text))),
            Content::Text(text) => {
                let json = |value| Parsed::Json { value, text };
                Some(serde_json::from_str(text).map_or(Parsed::Text(text), json))
            }
            Content::TooLong { bytes } => Some(Parsed::TooLong { bytes: *bytes }),
        };
        Self(materials.iter().filter_map(|(id, material)| Some((id, parsed(id, material)?))).collect())
    }

    pub(super) fn get(&self, id: &ActionId) -> Option<&Parsed<'a>> {
        self.0.get(id)
    }
}

/// Returns the rows of a stored answer. If some of them are not stored, nobody can say what holds of all.
fn rows(text: &str) -> Result<Json, String> {
    let answer: DatabaseRows =
        serde_json::from_str(text).map_err(|_| "has an answer whose rows cannot be read".to_owned())?;
    if answer.truncated {
        return Err(format!("kept {} of {}: ask for fewer", count(answer.rows.len(), "row"), answer.row_count));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = answer.columns.iter().find(|column| !names.insert(column.name.as_str())) {
        return Err(format!("has two columns of the name `{}`: give each its own (`AS`)", twice.name));
    }
    let columns = || answer.columns.iter().map(|column| column.name.clone());
    Ok(answer.rows.iter().map(|row| Json::Object(columns().zip(row.iter().cloned()).collect())).collect())
}
