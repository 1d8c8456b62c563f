//! The course of a request to a server, whichever its dialect.

use std::future::poll_fn;
use std::time::Instant;

use referee_model::database::{
    DatabaseColumn, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRequest, DatabaseRows,
};
use referee_model::limit;
use referee_model::plan::interaction::Transaction;
use serde_json::Value;
use sqlx_core::Either;
use sqlx_core::connection::Connection as _;
use sqlx_core::database::Database;
use sqlx_core::error::Error;
use sqlx_core::executor::Executor;
use sqlx_core::raw_sql::raw_sql;
use sqlx_core::sql_str::AssertSqlSafe;

use crate::failure::{failure, of_driver, transaction_ended};
use crate::result_buffer::ResultBuffer;
use crate::statement::{is_empty, is_select};
use crate::time_limit::{milliseconds, within};

/// Time in which a server must say how it would execute a statement, and end a connection, in milliseconds.
const ASIDE_MS: u64 = 1_000;

/// Name of the savepoint by which the end of a transaction is noticed.
const SAVEPOINT: &str = "referee_begin";

/// A kind of server.
pub(crate) trait Dialect: Database {
    /// Statement that returns the version, as text.
    const VERSION: &'static str;

    /// Returns name and version, of the text that the server tells.
    fn server(version: &str) -> String;

    /// Returns the statements that limit each statement to this time and, if asked, all transactions to reading, and
    /// what else the values rely on.
    fn setup(version: &str, limit_ms: u64, transaction: Transaction) -> String;

    /// Returns the statement that begins a transaction. None: the server itself makes one of all statements.
    fn begin(transaction: Transaction) -> Option<&'static str>;

    /// Statement that finds what only the end of a transaction would, before changes are undone.
    const CHECK: Option<&'static str>;

    /// Statement after the end that returns a row with `remains` in its second column if changes could not be undone.
    const REMAINS: Option<(&'static str, &'static str)>;

    /// Returns a statement that names the types of columns whose `kind` begins with [`UNNAMED`], one row each.
    fn types(columns: &[DatabaseColumn]) -> Option<String>;

    /// Returns the number of changed rows.
    fn affected(result: &Self::QueryResult) -> u64;

    /// Returns the columns of a row.
    fn columns(row: &Self::Row) -> Vec<DatabaseColumn>;

    /// Returns the values of a row.
    fn values(row: &Self::Row) -> Result<Vec<Value>, Error>;
}

/// Beginning of the type of a column that has no name yet.
pub(crate) const UNNAMED: &str = "type ";

/// Asks a server.
pub(crate) async fn ask<D>(
    connect: impl Future<Output = Result<D::Connection, Error>>,
    request: &DatabaseRequest,
    connected: &dyn Fn(),
) -> Result<DatabaseRows, DatabaseFailure>
where
    D: Dialect,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let (during, began) = (DatabasePhase::Connection, Instant::now());
    let (mut connection, version) = within(during, request.connect_timeout_ms, began, async {
        let refused = |error: Error| of_driver(&error, during);
        let mut connection = connect.await.map_err(refused)?;
        let version = texts::<D>(&mut connection, D::VERSION, request).await.map_err(refused)?;
        let version = version.into_iter().next().unwrap_or_default();
        let setup = D::setup(&version, request.statement_timeout_ms, request.transaction);
        texts::<D>(&mut connection, &setup, request).await.map_err(refused)?;
        Ok((connection, version))
    })
    .await?;
    connected();
    let (during, began) = (DatabasePhase::Statement, Instant::now());
    let (kept, duration_ms) =
        within(during, request.statement_timeout_ms, began, execute::<D>(&mut connection, request)).await?;
    let is_single_select = kept.statements == 1 && is_select(&request.statement);
    let plan = if is_single_select { plan::<D>(&mut connection, request).await } else { None };
    let close = async { connection.close().await.map_err(|error| of_driver(&error, during)) };
    // The answer is there; the server notices the end of the connection in any case.
    let _ = within(during, ASIDE_MS, Instant::now(), close).await;
    Ok(kept.result(D::server(&version), duration_ms, plan))
}

/// Executes the statements in their transaction, and returns the result and the milliseconds that it took.
async fn execute<D>(
    connection: &mut D::Connection,
    request: &DatabaseRequest,
) -> Result<(ResultBuffer, u64), DatabaseFailure>
where
    D: Dialect,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let refused = |error: Error| of_driver(&error, DatabasePhase::Statement);
    let is_kept = request.transaction == Transaction::Commit;
    let begin = D::begin(request.transaction);
    if let Some(begin) = begin {
        texts::<D>(connection, begin, request).await.map_err(refused)?;
    }
    if !is_kept {
        texts::<D>(connection, &format!("SAVEPOINT {SAVEPOINT}"), request).await.map_err(refused)?;
    }
    let began = Instant::now();
    let mut kept = ResultBuffer::new(request);
    collect::<D>(connection, &request.statement, &mut kept).await.map_err(refused)?;
    let duration_ms = milliseconds(began);
    if kept.statements == 0 || is_empty(&request.statement) {
        return Err(failure(DatabaseFailureKind::Refused, DatabasePhase::Statement, "there is no statement"));
    }
    if let Some(types) = D::types(&kept.columns) {
        let mut names = texts::<D>(connection, &types, request).await.map_err(refused)?.into_iter();
        for column in kept.columns.iter_mut().filter(|column| column.kind.starts_with(UNNAMED)) {
            column.kind = names.next().unwrap_or_default();
        }
    }
    if is_kept {
        if begin.is_some() {
            texts::<D>(connection, "COMMIT", request).await.map_err(refused)?;
        }
        return Ok((kept, duration_ms));
    }
    if let (Transaction::Rollback, Some(check)) = (request.transaction, D::CHECK) {
        texts::<D>(connection, check, request).await.map_err(refused)?;
    }
    texts::<D>(connection, &format!("RELEASE SAVEPOINT {SAVEPOINT}"), request).await.map_err(ended)?;
    texts::<D>(connection, "ROLLBACK", request).await.map_err(refused)?;
    if let Some((statement, remains)) = D::REMAINS {
        let mut warnings = ResultBuffer::new(request);
        collect::<D>(connection, statement, &mut warnings).await.map_err(refused)?;
        let warnings = warnings.result(String::new(), 0, None).rows;
        if warnings.iter().any(|row| row.get(1).is_some_and(|code| text(code) == remains)) {
            let message = "the changes could not be undone: a table is of an engine without transactions";
            return Err(failure(DatabaseFailureKind::Refused, DatabasePhase::Statement, message));
        }
    }
    Ok((kept, duration_ms))
}

/// Returns the meaning of an error about the savepoint: it is gone with its transaction.
fn ended(error: Error) -> DatabaseFailure {
    match error {
        Error::Database(_) => transaction_ended(),
        error => of_driver(&error, DatabasePhase::Statement),
    }
}

/// Executes statements, and collects the result of the last one.
async fn collect<D>(connection: &mut D::Connection, statement: &str, kept: &mut ResultBuffer) -> Result<(), Error>
where
    D: Dialect,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut results = raw_sql(AssertSqlSafe(statement)).fetch_many(connection);
    while let Some(result) = poll_fn(|context| results.as_mut().poll_next(context)).await {
        match result? {
            Either::Left(result) => kept.end(D::affected(&result)),
            Either::Right(row) => {
                kept.begin(|| D::columns(&row));
                kept.row(|| D::values(&row))?;
            }
        }
    }
    Ok(())
}

/// Executes a statement of this program, and returns the first value of each row as text.
async fn texts<D>(
    connection: &mut D::Connection,
    statement: &str,
    request: &DatabaseRequest,
) -> Result<Vec<String>, Error>
where
    D: Dialect,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut kept = ResultBuffer::new(request);
    collect::<D>(connection, statement, &mut kept).await?;
    let rows = kept.result(String::new(), 0, None).rows;
    Ok(rows.iter().filter_map(|row| row.first().map(text)).collect())
}

/// Asks how the server would execute the statement, which it executed as a single one.
async fn plan<D>(connection: &mut D::Connection, request: &DatabaseRequest) -> Option<Vec<String>>
where
    D: Dialect,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut kept = ResultBuffer::new(request);
    let statement = format!("EXPLAIN {}", request.statement);
    let collected = async {
        let collected = collect::<D>(connection, &statement, &mut kept).await;
        collected.map_err(|error| of_driver(&error, DatabasePhase::Statement))
    };
    within(DatabasePhase::Statement, ASIDE_MS, Instant::now(), collected).await.ok()?;
    let result = kept.result(String::new(), 0, None);
    let line = |row: &Vec<Value>| match row.as_slice() {
        [value] => text(value),
        values => {
            let named = result.columns.iter().zip(values).filter(|(_, value)| !value.is_null());
            named.map(|(column, value)| format!("{}: {}", column.name, text(value))).collect::<Vec<_>>().join(", ")
        }
    };
    Some(bounded(result.rows.iter().map(line))).filter(|plan| !plan.is_empty())
}

/// Returns the first lines, up to the limit of a plan.
pub(crate) fn bounded(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut left = limit::QUERY_PLAN_BYTES;
    lines
        .take_while(|line| {
            let fits = line.len() < left;
            left = left.saturating_sub(line.len() + 1);
            fits
        })
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
