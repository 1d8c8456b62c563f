//! Schemas of query parameters, for the OpenAPI description.

use crate::route::{Shape, shape};

pub(super) const TEXT: Shape = shape!({ "type": "string", "maxLength": super::reading::SEARCH });

pub(super) const BOOLEAN: Shape = shape!({ "type": "boolean" });

pub(super) const ROWS: Shape =
    shape!({ "type": "integer", "minimum": 1, "maximum": referee_model::limit::INCIDENTS_LISTED_MAX });

pub(super) const SEQUENCE: Shape = shape!({ "type": "integer", "minimum": 0, "maximum": i64::MAX });

/// Seconds to wait.
pub(super) const SECONDS: Shape =
    shape!({ "type": "integer", "minimum": 0, "maximum": super::loop_routes::WAIT_AT_MOST });

/// Values of `status.txt`, separated by commas.
pub(super) const STATUSES: Shape = shape!({ "type": "string", "pattern": "^(new|plan_proposed|planned|approved|handed_off|running|resolved|escalated)(,(new|plan_proposed|planned|approved|handed_off|running|resolved|escalated))*$" });

/// Cursor: the `next` value of the previous page.
pub(super) const CURSOR: Shape = shape!({ "type": "string", "pattern": super::reading::CURSOR });
