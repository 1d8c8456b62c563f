//! SQLite. A file of a relative path is in the workspace, whatever links say, and is only made where changes stay.

use std::ffi::c_int;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use referee_model::database::{
    DatabaseColumn, DatabaseFailure, DatabaseFailureKind as Kind, DatabasePhase as Phase, DatabaseRequest, DatabaseRows,
};
use referee_model::plan::interaction::Transaction;
use referee_syntax::connection::{Connection, IN_MEMORY};
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::types::ValueRef;
use rusqlite::{Batch, OpenFlags, Statement};
use serde_json::Value;

use crate::failure::{failure, of_sqlite, timeout, transaction_ended};
use crate::result_buffer::ResultBuffer;
use crate::server::bounded;
use crate::statement::{is_empty, is_select};
use crate::time_limit::milliseconds;
use crate::value;

/// Number of SQLite's own instructions between two looks at the clock.
const INSTRUCTIONS: c_int = 10_000;

/// Greatest time that is waited for another program that uses the file, in milliseconds.
const BUSY_MS_MAX: u64 = 1_000_000_000;

/// Name of the savepoint by which the end of the transaction is noticed.
const SAVEPOINT: &str = "referee_begin";

/// Executes the statements on a file, or in memory.
pub(crate) fn ask(
    connection: &Connection,
    request: &DatabaseRequest,
    connected: &dyn Fn(),
) -> Result<DatabaseRows, DatabaseFailure> {
    let mut database = open(connection, request)?;
    connected();
    let began = Instant::now();
    let limit = Duration::from_millis(request.statement_timeout_ms);
    let prepared = database
        .progress_handler(INSTRUCTIONS, Some(move || began.elapsed() >= limit))
        .and_then(|()| database.busy_timeout(Duration::from_millis(request.statement_timeout_ms.min(BUSY_MS_MAX))));
    prepared.map_err(|error| of_sqlite(&error, Phase::Connection))?;
    let executed = execute(&database, request).map_err(|error| match error.kind {
        Kind::Timeout => timeout(Phase::Statement, request.statement_timeout_ms),
        // What waited for another program until the limit did not fail at once.
        Kind::Unavailable if began.elapsed() >= limit => timeout(Phase::Statement, request.statement_timeout_ms),
        _ => error,
    });
    let (kept, duration_ms) = executed?;
    let plan = if kept.statements == 1 && is_select(&request.statement) { plan(&database, request) } else { None };
    Ok(kept.result(format!("SQLite {}", rusqlite::version()), duration_ms, plan))
}

fn open(connection: &Connection, request: &DatabaseRequest) -> Result<rusqlite::Connection, DatabaseFailure> {
    let unusable = |message: String| failure(Kind::Unavailable, Phase::Connection, message);
    if let Some((name, _)) = connection.parameters.first() {
        return Err(unusable(format!("the URL of a SQLite file takes no parameters, and there is `{name}`")));
    }
    let of_error = |error: rusqlite::Error| of_sqlite(&error, Phase::Connection);
    let mut flags = OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    if connection.database == IN_MEMORY {
        flags |= OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_MEMORY;
        let database = rusqlite::Connection::open_with_flags(IN_MEMORY, flags).map_err(of_error)?;
        if request.transaction == Transaction::ReadOnly {
            database.execute_batch("PRAGMA query_only = ON").map_err(of_error)?;
        }
        return Ok(database);
    }
    let path = path(&connection.database, request).map_err(unusable)?;
    flags |= match request.transaction {
        Transaction::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Transaction::Rollback => OpenFlags::SQLITE_OPEN_READ_WRITE,
        Transaction::Commit => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    let database = rusqlite::Connection::open_with_flags(&path, flags).map_err(of_error)?;
    // Opening reads nothing, and whether it is a database shows here.
    database.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(())).map_err(of_error)?;
    Ok(database)
}

/// Returns the path of a file without links, of a file that exists or may be made.
fn path(name: &str, request: &DatabaseRequest) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("the URL names no file: write sqlite:path".to_owned());
    }
    let unusable = |error: std::io::Error| format!("the file {name} cannot be used: {error}");
    let workspace = std::fs::canonicalize(&request.workspace).map_err(unusable)?;
    let wanted = workspace.join(name);
    let real = match std::fs::canonicalize(&wanted) {
        Ok(real) => real,
        Err(error) if error.kind() == ErrorKind::NotFound && request.transaction == Transaction::Commit => {
            let (Some(directory), Some(file)) = (wanted.parent(), wanted.file_name()) else {
                return Err(unusable(error));
            };
            std::fs::canonicalize(directory).map_err(unusable)?.join(file)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let message = format!(
                "the file {} does not exist, and is only made if changes are to stay (`commit`)",
                wanted.display()
            );
            let hint = Path::new(name).is_absolute() && !Path::new(name).starts_with(&workspace);
            let hint = if hint { "; a path in the workspace has no `/` at its beginning: sqlite:path" } else { "" };
            return Err(message + hint);
        }
        Err(error) => return Err(unusable(error)),
    };
    if Path::new(name).is_relative() && !real.starts_with(&workspace) {
        return Err(format!("the file {name} leads outside the workspace, to {}", real.display()));
    }
    Ok(real)
}

fn execute(database: &rusqlite::Connection, request: &DatabaseRequest) -> Result<(ResultBuffer, u64), DatabaseFailure> {
    let refused = |error: rusqlite::Error| of_sqlite(&error, Phase::Statement);
    let command = |statement: &str| database.execute_batch(statement);
    let is_kept = request.transaction == Transaction::Commit;
    command("BEGIN").map_err(refused)?;
    command(&format!("SAVEPOINT {SAVEPOINT}")).map_err(refused)?;
    let began = Instant::now();
    let mut kept = ResultBuffer::new(request);
    let mut statements = Batch::new(database, &request.statement);
    while let Some(mut statement) = statements.next().map_err(refused)? {
        run(database, &mut statement, &mut kept)?;
    }
    let duration_ms = milliseconds(began);
    if kept.statements == 0 || is_empty(&request.statement) {
        return Err(failure(Kind::Refused, Phase::Statement, "there is no statement"));
    }
    if is_kept {
        if !database.is_autocommit() {
            command("COMMIT").map_err(refused)?;
        }
        return Ok((kept, duration_ms));
    }
    command(&format!("RELEASE {SAVEPOINT}")).map_err(|_| transaction_ended())?;
    command("ROLLBACK").map_err(refused)?;
    Ok((kept, duration_ms))
}

fn run(
    database: &rusqlite::Connection,
    statement: &mut Statement<'_>,
    kept: &mut ResultBuffer,
) -> Result<(), DatabaseFailure> {
    let refused = |error: rusqlite::Error| of_sqlite(&error, Phase::Statement);
    if statement.parameter_count() > 0 {
        let message = "a statement has parameters, and there are no values for them";
        return Err(failure(Kind::Refused, Phase::Statement, message));
    }
    let changes_before = database.total_changes();
    let columns = statement.columns().map(|column| DatabaseColumn {
        name: column.name().to_owned(),
        kind: column.decl_type().unwrap_or_default().to_ascii_lowercase(),
    });
    let columns: Vec<DatabaseColumn> = columns.collect();
    let width = columns.len();
    kept.begin(|| columns);
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(refused)? {
        kept.row(|| (0..width).map(|index| row.get_ref(index).map(cell)).collect()).map_err(refused)?;
    }
    // The number of changes is that of the last statement that changed something.
    let has_changed = database.total_changes() != changes_before;
    kept.end(if has_changed { database.changes() } else { 0 });
    Ok(())
}

fn cell(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => value::whole(&number.to_string()),
        ValueRef::Real(number) => value::floating(&number.to_string()),
        ValueRef::Text(text) => value::text(text),
        ValueRef::Blob(bytes) => value::bytes(bytes),
    }
}

/// Asks how the statement would be executed, which was executed as a single one.
fn plan(database: &rusqlite::Connection, request: &DatabaseRequest) -> Option<Vec<String>> {
    let mut statement = database.prepare(&format!("EXPLAIN QUERY PLAN {}", request.statement)).ok()?;
    let lines = statement.query_map((), |row| row.get::<_, String>(3)).ok()?;
    let lines: Vec<String> = lines.collect::<Result<_, _>>().ok()?;
    Some(bounded(lines.into_iter())).filter(|plan| !plan.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_storage_class_becomes_json_without_loss() {
        for (value, expected) in [
            (ValueRef::Null, json!(null)),
            (ValueRef::Integer(-3), json!(-3)),
            (ValueRef::Integer(i64::MAX), json!("9223372036854775807")),
            (ValueRef::Real(0.1), json!(0.1)),
            (ValueRef::Real(f64::INFINITY), json!("inf")),
            (ValueRef::Text(b"x"), json!("x")),
            (ValueRef::Text(b"\xff"), json!({"base64": "/w=="})),
            (ValueRef::Blob(b"x"), json!({"base64": "eA=="})),
        ] {
            assert_eq!(cell(value), expected);
        }
    }
}
