//! Checks that ask a database, in the short form.

use super::{ACTION_DEADLINE, PATH};
use crate::form::http::SCHEMA;
use crate::form::keys::{fields, object};
use crate::form::shape::{Field, Map, Others, Shape, Text};
use crate::form::terms::{ANY_TEXT, COUNT, keyword, optional};

pub(super) const SQL: Field = optional("sql", "A statement that is sent to a database.", Shape::Text(STATEMENT));
pub(super) const SQL_FILE: Field = optional(
    "sqlFile",
    "A file with the statements that are sent to a database, relative to the workspace.",
    Shape::Text(PATH),
);

const STATEMENT: Text = Text { what: "a statement", pattern: Some(r"^[^\x00]*[^\x00\s][^\x00]*$") };

fields!(pub(super) QUERY_FIELDS: Query {
    fields: &[
        database: optional(
            "URL of the database: `postgres:`, `mysql:`, `mariadb:` or `sqlite:`.",
            Shape::Text(ANY_TEXT),
        ),
        rows: optional("How many rows are returned, or changed.", COUNT),
        contains: optional(
            "Values that must occur: a mapping in the columns of one row, any other value in a cell.",
            ONE_OR_MORE_VALUES,
        ),
        schema: optional("A JSON Schema that each row must hold to: as it is, or the path of one.", SCHEMA),
        mode: optional(
            "What becomes of its changes. Default: read-only for a statement that reads, else rollback.",
            keyword(&["read-only", "rollback", "commit"]),
        ),
        connect_timeout: optional("Time to connect in. Default 5s.", ACTION_DEADLINE),
        evidence: optional("What of it is kept as evidence.", Shape::Object(&ROW_EVIDENCE)),
    ],
    also: &[sql: SQL.name, sql_file: SQL_FILE.name],
});

object!(ROW_EVIDENCE: RowEvidence {
    name: "rowEvidence",
    what: "a choice of evidence",
    doc: "What of the answer of a database is kept as evidence.",
    fields: &[rows: optional("Whether the rows are kept. Default true.", Shape::Boolean)],
    others: Others::Refused,
});

const ONE_OR_MORE_VALUES: Shape = Shape::Either(&[
    Shape::List { item: &Shape::Any, min: 1 },
    Shape::Text(ANY_TEXT),
    Shape::Number { min: f64::MIN, max: f64::MAX },
    Shape::Boolean,
    Shape::Map(&Map { what: "columns of a row", key: ANY_TEXT, value: Shape::Any, min: 1 }),
]);
