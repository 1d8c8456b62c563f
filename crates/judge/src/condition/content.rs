//! Bodies and files that conditions refer to, parsed once.

use std::collections::BTreeMap;

use referee_model::condition_inputs::{ConditionInputs, Content};
use referee_model::id::ActionId;
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
    TooLong {
        bytes: u64,
    },
}

impl<'a> Contents<'a> {
    pub(super) fn of(materials: &'a BTreeMap<ActionId, ConditionInputs>) -> Self {
        let parsed = |material: &'a ConditionInputs| match material.content.as_ref()? {
            Content::Text(text) => {
                let json = |value| Parsed::Json { value, text };
                Some(serde_json::from_str(text).map_or(Parsed::Text(text), json))
            }
            Content::TooLong { bytes } => Some(Parsed::TooLong { bytes: *bytes }),
        };
        Self(materials.iter().filter_map(|(id, material)| Some((id, parsed(material)?))).collect())
    }

    pub(super) fn get(&self, id: &ActionId) -> Option<&Parsed<'a>> {
        self.0.get(id)
    }
}
