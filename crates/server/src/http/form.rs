//! Forms of what stands in queries, as the description of the API says them.

use schemars::{Schema, SchemaGenerator, json_schema};

/// A text of some length.
pub(super) fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "maxLength": super::reading::SEARCH })
}

/// True or false.
pub(super) fn boolean(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "boolean" })
}

/// A number of rows.
pub(super) fn rows(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": referee_model::limit::INCIDENTS_LISTED_MAX })
}

/// A number of an event.
pub(super) fn sequence(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 0, "maximum": i64::MAX })
}

/// Seconds to wait.
pub(super) fn seconds(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 0, "maximum": super::going::WAIT_AT_MOST })
}

/// Words of `status.txt`, with commas between them.
pub(super) fn statuses(_: &mut SchemaGenerator) -> Schema {
    let word = "new|plan_proposed|planned|approved|handed_off|running|resolved|escalated";
    json_schema!({ "type": "string", "pattern": format!("^({word})(,({word}))*$") })
}

/// What a list said under `next`.
pub(super) fn cursor(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": super::reading::CURSOR })
}
