//! Free values, as documents hold them.

use std::collections::BTreeMap;

use referee_model::build_error::ContextValue;
use schemars::JsonSchema;
use serde::Serialize;

use crate::canonical::INTEGER_MAX;
use crate::number::Count;

/// Any value.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ContextDocument {
    Null(()),
    Flag(bool),
    Number(Count),
    Negative(i64),
    Decimal(f64),
    Text(String),
    List(Vec<ContextDocument>),
    Map(BTreeMap<String, ContextDocument>),
}

impl From<&ContextValue> for ContextDocument {
    fn from(value: &ContextValue) -> Self {
        match value {
            ContextValue::Null => Self::Null(()),
            ContextValue::Flag(flag) => Self::Flag(*flag),
            ContextValue::Number(number) => Self::Number((*number).into()),
            // As large as every reader of JSON holds exactly, below 0 too.
            ContextValue::Negative(number) => Self::Negative((*number).max(-INTEGER_MAX.cast_signed())),
            ContextValue::Decimal(number) => Self::Decimal(*number),
            ContextValue::Text(text) => Self::Text(text.clone()),
            ContextValue::List(values) => Self::List(values.iter().map(Self::from).collect()),
            ContextValue::Map(values) => {
                Self::Map(values.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
        }
    }
}
