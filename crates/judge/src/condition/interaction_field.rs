//! The fields of queries and browser actions.
//!
//! | field           | of      | value                                                                          |
//! |-----------------|---------|--------------------------------------------------------------------------------|
//! | rowCount, count | query   | rows that were returned or, where the statement returns none, changed          |
//! | rows, result    | query   | the rows, each an object by column, as they are stored; only if all are stored |
//! | initialized     | browser | whether there was a browser to use                                             |
//! | action          | browser | its last command                                                               |
//! | count           | browser | how many commands it has                                                       |
//! | result          | browser | the last value that was evaluated or read                                      |

use std::borrow::Cow;

use referee_model::plan::{Interaction, Work};
use referee_model::record::{InteractionEnding, InteractionFacts};
use serde_json::Value as Json;

use super::query::Query;
use super::value::{Known, Value};

pub(super) fn of_interaction<'e>(query: Query<'e>, name: &str, facts: &'e InteractionFacts) -> Value<'e> {
    let Work::Interaction(interaction) = &query.action.work else { return query.no_field(name, "no interaction") };
    match (interaction.as_ref(), name) {
        (Interaction::Query(_), "rowCount" | "count") => match facts.row_count {
            Some(rows) => Value::number(rows),
            None => query.unknown("got no rows"),
        },
        (Interaction::Query(_), "rows" | "result") if facts.row_count.is_none() => query.unknown("got no rows"),
        (Interaction::Query(_), "rows" | "result") => query.content("the rows of its answer", "exchange"),
        (Interaction::Browser(_), "initialized") => {
            Value::boolean(!matches!(facts.ending, InteractionEnding::Unavailable { .. }))
        }
        (Interaction::Browser(_), "action") => match facts.requests.last() {
            Some(command) => Value::text(command),
            None => query.unknown("gave the browser no command"),
        },
        (Interaction::Browser(_), "count") => Value::number(facts.requests.len() as u64),
        (Interaction::Browser(_), "result") => match &facts.value {
            Some(json) => of_page(json),
            None => query.unknown("read no value from the page"),
        },
        (Interaction::Query(_), _) => query.no_field(name, "a database query"),
        (Interaction::Browser(_), _) => query.no_field(name, "a browser action"),
    }
}

/// Returns a value of a page; what is neither a text, a number nor a truth value is its JSON text.
fn of_page(json: &str) -> Value<'_> {
    match serde_json::from_str(json) {
        Ok(Json::Bool(value)) => Value::boolean(value),
        Ok(Json::Number(value)) => {
            value.as_f64().map_or_else(|| Value::text(json), |value| Value::Known(Known::Number(value)))
        }
        Ok(Json::String(text)) => Value::Known(Known::Text(Cow::Owned(text))),
        _ => Value::text(json),
    }
}
