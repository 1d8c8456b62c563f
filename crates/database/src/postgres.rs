//! PostgreSQL. Values arrive as the text that the server itself makes of them.

use std::path::Path;

use referee_model::database::{
    DatabaseColumn, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRequest, DatabaseRows,
};
use referee_model::plan::interaction::Transaction;
use referee_syntax::connection::Connection;
use referee_syntax::hex;
use serde_json::Value;
use sqlx_core::column::Column;
use sqlx_core::connection::ConnectOptions;
use sqlx_core::error::Error;
use sqlx_core::row::Row;
use sqlx_core::type_info::TypeInfo;
use sqlx_core::value::ValueRef;
use sqlx_postgres::{PgConnectOptions, PgQueryResult, PgRow, PgSslMode, PgValueRef, Postgres};

use crate::failure::failure;
use crate::server::{self, Dialect, UNNAMED};
use crate::value;

/// Greatest limit of a statement that the server takes, in milliseconds.
const LIMIT_MS_MAX: u64 = i32::MAX as u64;

/// Parameters for programs that keep several connections.
const IGNORED: [&str; 7] = [
    "application_name",
    "connect_timeout",
    "connection_limit",
    "pgbouncer",
    "pool_size",
    "pool_timeout",
    "serverVersion",
];

/// Asks a server.
pub(crate) async fn ask(
    connection: &Connection,
    request: &DatabaseRequest,
    connected: &dyn Fn(),
) -> Result<DatabaseRows, DatabaseFailure> {
    let options = options(connection, &request.workspace)
        .map_err(|message| failure(DatabaseFailureKind::Unavailable, DatabasePhase::Connection, message))?;
    Box::pin(server::ask::<Postgres>(options.connect(), request, connected)).await
}

fn options(connection: &Connection, workspace: &Path) -> Result<PgConnectOptions, String> {
    let user = connection.user.as_deref().ok_or("the URL of the database names no user")?;
    let mut options = PgConnectOptions::new_without_pgpass()
        .username(user)
        .password(connection.password.as_deref().unwrap_or_default())
        .application_name("referee");
    options = options.port(connection.port.unwrap_or(5432)).ssl_mode(PgSslMode::Prefer).statement_cache_capacity(0);
    options = options.database(if connection.database.is_empty() { user } else { &connection.database });
    let mut has_place = connection.host.is_some();
    if let Some(host) = &connection.host {
        options = options.host(host);
    }
    for (name, value) in &connection.parameters {
        options = match name.as_str() {
            "host" if value.starts_with('/') => {
                has_place = true;
                options.socket(value)
            }
            "sslmode" => options.ssl_mode(value.parse().map_err(|_| format!("`sslmode` cannot be `{value}`"))?),
            "sslrootcert" => options.ssl_root_cert(workspace.join(value)),
            "sslcert" => options.ssl_client_cert(workspace.join(value)),
            "sslkey" => options.ssl_client_key(workspace.join(value)),
            "schema" => options.options([("search_path", value)]),
            name if IGNORED.contains(&name) => options,
            name => return Err(format!("the URL of the database has a parameter that is not known: `{name}`")),
        };
    }
    if has_place { Ok(options) } else { Err("the URL of the database names no host".to_owned()) }
}

impl Dialect for Postgres {
    const VERSION: &'static str = "SHOW server_version";
    const CHECK: Option<&'static str> = Some("SET CONSTRAINTS ALL IMMEDIATE");
    const REMAINS: Option<(&'static str, &'static str)> = None;

    fn server(version: &str) -> String {
        format!("PostgreSQL {}", version.split(' ').next().unwrap_or_default())
    }

    fn setup(_: &str, limit_ms: u64, transaction: Transaction) -> String {
        let limit = format!("SET statement_timeout = {}; SET bytea_output = 'hex'", limit_ms.clamp(1, LIMIT_MS_MAX));
        match transaction {
            Transaction::ReadOnly => format!("{limit}; SET default_transaction_read_only = on"),
            Transaction::Rollback | Transaction::Commit => limit,
        }
    }

    fn begin(transaction: Transaction) -> Option<&'static str> {
        match transaction {
            Transaction::ReadOnly => Some("BEGIN READ ONLY"),
            Transaction::Rollback => Some("BEGIN"),
            // Statements that are sent together are one transaction, and VACUUM needs to be alone.
            Transaction::Commit => None,
        }
    }

    fn types(columns: &[DatabaseColumn]) -> Option<String> {
        let unnamed: Vec<&str> = columns.iter().filter_map(|column| column.kind.strip_prefix(UNNAMED)).collect();
        let query = || format!("SELECT unnest(ARRAY[{}]::oid[])::regtype::text", unnamed.join(","));
        (!unnamed.is_empty()).then(query)
    }

    fn affected(result: &PgQueryResult) -> u64 {
        result.rows_affected()
    }

    fn columns(row: &PgRow) -> Vec<DatabaseColumn> {
        let kind = |info: &sqlx_postgres::PgTypeInfo| match (info.name(), info.oid()) {
            ("?", Some(oid)) => format!("{UNNAMED}{}", oid.0),
            (name, _) => name.trim_matches('"').to_ascii_lowercase(),
        };
        let columns = row.columns().iter();
        columns.map(|one| DatabaseColumn { name: one.name().to_owned(), kind: kind(one.type_info()) }).collect()
    }

    fn values(row: &PgRow) -> Result<Vec<Value>, Error> {
        (0..row.columns().len()).map(|index| cell(&row.try_get_raw(index)?)).collect()
    }
}

fn cell(raw: &PgValueRef<'_>) -> Result<Value, Error> {
    if raw.is_null() {
        return Ok(Value::Null);
    }
    let bytes = raw.as_bytes().map_err(Error::Decode)?;
    Ok(match std::str::from_utf8(bytes) {
        Ok(text) => of_text(raw.type_info().name(), text),
        // A database of the encoding SQL_ASCII holds anything.
        Err(_) => value::bytes(bytes),
    })
}

/// Returns a value of a type, which the server writes so.
fn of_text(kind: &str, text: &str) -> Value {
    match kind {
        "BOOL" => match text {
            "t" => true.into(),
            "f" => false.into(),
            other => other.into(),
        },
        "INT2" | "INT4" | "INT8" | "OID" => value::whole(text),
        "FLOAT4" | "FLOAT8" => value::floating(text),
        "JSON" | "JSONB" => value::embedded(text),
        "TIMESTAMPTZ" => value::timestamp(text, true),
        "TIMESTAMP" => value::timestamp(text, false),
        "BYTEA" => match text.strip_prefix("\\x").and_then(hex::decode) {
            Some(bytes) => value::bytes(&bytes),
            None => text.into(),
        },
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_type_becomes_json_without_loss() {
        for (kind, text, expected) in [
            ("BOOL", "t", json!(true)),
            ("BOOL", "f", json!(false)),
            ("INT2", "-3", json!(-3)),
            ("INT8", "9223372036854775807", json!("9223372036854775807")),
            ("FLOAT4", "0.1", json!(0.1)),
            ("FLOAT8", "NaN", json!("NaN")),
            ("NUMERIC", "1.10", json!("1.10")),
            ("NUMERIC", "123456789012345678901234567890.5", json!("123456789012345678901234567890.5")),
            ("JSONB", "{\"a\": [1]}", json!({"a": [1]})),
            ("TIMESTAMPTZ", "2024-02-29 12:00:00.5+00", json!("2024-02-29T12:00:00.5Z")),
            ("TIMESTAMP", "2024-02-29 12:00:00", json!("2024-02-29T12:00:00")),
            ("DATE", "2024-02-29", json!("2024-02-29")),
            ("TIMETZ", "12:00:00+02", json!("12:00:00+02")),
            ("BYTEA", "\\x00ff", json!({"base64": "AP8="})),
            ("BYTEA", "\\x", json!({"base64": ""})),
            ("UUID", "0b0e", json!("0b0e")),
            ("INT4[]", "{1,2}", json!("{1,2}")),
            ("?", "happy", json!("happy")),
        ] {
            assert_eq!(of_text(kind, text), expected, "{kind} {text}");
        }
    }

    #[test]
    fn urls_name_user_and_host_and_parameters_that_are_known() {
        for (url, problem) in [
            ("postgres://u:p@h/d?sslmode=require&connection_limit=5&schema=public", None),
            ("postgres://u:p@/d?host=/run/postgresql", None),
            ("postgres://h/d", Some("names no user")),
            ("postgres://u@/d", Some("names no host")),
            ("postgres://u@h/d?sslmod=require", Some("`sslmod`")),
            ("postgres://u@h/d?sslmode=always", Some("`always`")),
            ("postgres://u@h/d?host=elsewhere", Some("`host`")),
        ] {
            let options = options(&Connection::parse(url).unwrap(), Path::new("/"));
            match problem {
                None => assert!(options.is_ok(), "{url}"),
                Some(problem) => assert!(options.unwrap_err().contains(problem), "{url}"),
            }
        }
    }
}
