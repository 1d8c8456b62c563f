//! Checks that ask a database, in the short form.

use super::{ACTION_DEADLINE, PATH};
use crate::form::http::SCHEMA;
use crate::form::keys::{fields, object};
use crate::form::shape::{Field, Map, Shape, Text};
use crate::form::terms::{ANY_TEXT, COUNT, keyword, optional};

pub(super) const SQL: Field = optional("sql", "A statement that is sent to a database.", Shape::Text(STATEMENT));
pub(super) const SQL_FILE: Field = optional(
    "sqlFile",
    "A file with the statements that are sent to a database, relative to the workspace.",
    Shape::Text(PATH),
);

const STATEMENT: Text = Text { what: "a statement", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };

fields! {
    pub(super) QUERY_FIELDS: Query {
        /// URL of the database: `postgres:`, `mysql:`, `mariadb:` or `sqlite:`.
        database: optional(Shape::Text(ANY_TEXT)),
        /// How many rows are returned, or changed.
        rows: optional(COUNT),
        /// Values that must occur: a mapping in the columns of one row, any other value in a cell.
        contains: optional(ONE_OR_MORE_VALUES),
        /// A JSON Schema that each row must hold to: as it is, or the path of one.
        schema: optional(SCHEMA),
        /// What becomes of its changes. Default: read-only for a statement that reads, else rollback.
        mode: optional(keyword(&["read-only", "rollback", "commit"])),
        /// Time to connect in. Default 5s.
        connect_timeout: optional(ACTION_DEADLINE),
        /// What of it is kept as evidence.
        evidence: optional(Shape::Object(&ROW_EVIDENCE)),
    } also { sql: SQL.name, sql_file: SQL_FILE.name }
}

object! {
    /// What of the answer of a database is kept as evidence.
    ROW_EVIDENCE: RowEvidence = "rowEvidence", "a choice of evidence" {
        /// Whether the rows are kept. Default true.
        rows: optional(Shape::Boolean),
    }
}

const ONE_OR_MORE_VALUES: Shape = Shape::Either(&[
    Shape::List { item: &Shape::Any, min: 1 },
    Shape::Text(ANY_TEXT),
    Shape::Number { min: f64::MIN, max: f64::MAX },
    Shape::Boolean,
    Shape::Map(&Map { what: "columns of a row", key: ANY_TEXT, value: Shape::Any, min: 1 }),
]);
