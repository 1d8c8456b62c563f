//! Protocol of the program that asks databases (`referee-database`): one JSON document on its standard input, and
//! one on its standard output.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::plan::interaction::Transaction;

/// What the program writes on standard error, as a line, once it is connected.
pub const CONNECTED: &str = "connected";

/// Request to a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseRequest {
    /// URL of the database.
    pub connection: String,
    /// Directory that relative paths of SQLite files are in, and may not lead out of.
    pub workspace: PathBuf,
    /// The statements, in the language of the database.
    pub statement: String,
    /// What becomes of their changes.
    pub transaction: Transaction,
    /// Time limit for the connection, in milliseconds.
    pub connect_timeout_ms: u64,
    /// Time limit for all statements together, in milliseconds.
    pub statement_timeout_ms: u64,
    /// Maximum number of rows in the answer.
    pub rows_kept: usize,
    /// Maximum size of the rows in the answer, in bytes of JSON.
    pub bytes_kept: usize,
}

/// Answer to a [`DatabaseRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DatabaseAnswer {
    /// The statements were executed, and their changes kept or undone as asked.
    Answered(Box<DatabaseRows>),
    /// They were not.
    Failed {
        /// Why not.
        error: DatabaseFailure,
    },
}

/// Result of the last statement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseRows {
    /// Name and version of the server, or of SQLite.
    pub server: String,
    /// Columns of the rows. PostgreSQL, MySQL and MariaDB tell them with the first row.
    pub columns: Vec<DatabaseColumn>,
    /// The kept rows, with a value for each column. Numbers that JSON readers round and decimals are texts, bytes
    /// are `{"base64": "…"}`.
    pub rows: Vec<Vec<Value>>,
    /// Number of returned rows, also beyond the kept ones.
    pub row_count: u64,
    /// Number of changed rows. None: the statement returned rows.
    pub affected: Option<u64>,
    /// Whether rows were left out.
    pub truncated: bool,
    /// Time that the statements took, in milliseconds.
    pub duration_ms: u64,
    /// How the server would execute the statement, in its own words, line by line. None: it is no single `SELECT`,
    /// or the server does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<String>>,
}

/// Column of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseColumn {
    /// Name, which other columns may have as well.
    pub name: String,
    /// Type as the database calls it, in lower case; empty for a column of SQLite without a type.
    #[serde(rename = "type")]
    pub kind: String,
}

/// Reason why a request has no result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseFailure {
    /// Kind of the reason.
    pub kind: DatabaseFailureKind,
    /// What was waited for, or being done.
    pub during: DatabasePhase,
    /// The reason, for people. A password is never part of it.
    pub message: String,
    /// The database's own code for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// Kinds of reasons why a request has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabaseFailureKind {
    /// The database could not be asked.
    Unavailable,
    /// The database refused a statement.
    Refused,
    /// A time limit of the request was reached.
    Timeout,
}

/// Phases of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DatabasePhase {
    /// The connection is made.
    Connection,
    /// The statements are executed.
    Statement,
}
