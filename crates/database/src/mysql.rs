//! MySQL and MariaDB. Values arrive as the text that the server itself makes of them, so FLOAT has six digits.

use std::path::Path;

use referee_model::database::{
    DatabaseColumn, DatabaseFailure, DatabaseFailureKind, DatabasePhase, DatabaseRequest, DatabaseRows,
};
use referee_model::plan::interaction::Transaction;
use referee_syntax::connection::Connection;
use serde_json::Value;
use sqlx_core::column::Column;
use sqlx_core::connection::ConnectOptions;
use sqlx_core::error::Error;
use sqlx_core::row::Row;
use sqlx_core::type_info::TypeInfo;
use sqlx_core::types::Type;
use sqlx_mysql::{MySql, MySqlConnectOptions, MySqlQueryResult, MySqlRow};

use crate::failure::failure;
use crate::server::{self, Dialect};
use crate::value;

/// Greatest limit of a statement, in milliseconds.
const LIMIT_MS_MAX: u64 = i32::MAX as u64;

/// Parameters for programs that keep several connections.
const IGNORED: [&str; 6] =
    ["charset", "connect_timeout", "connection_limit", "pool_size", "pool_timeout", "serverVersion"];

/// Asks a server.
pub(crate) async fn ask(
    connection: &Connection,
    request: &DatabaseRequest,
    connected: &dyn Fn(),
) -> Result<DatabaseRows, DatabaseFailure> {
    let options = options(connection, &request.workspace)
        .map_err(|message| failure(DatabaseFailureKind::Unavailable, DatabasePhase::Connection, message))?;
    Box::pin(server::ask::<MySql>(options.connect(), request, connected)).await
}

fn options(connection: &Connection, workspace: &Path) -> Result<MySqlConnectOptions, String> {
    let user = connection.user.as_deref().ok_or("the URL of the database names no user")?;
    // Statements mean what they mean to other clients of the server.
    let mut options = MySqlConnectOptions::new()
        .username(user)
        .port(connection.port.unwrap_or(3306))
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .statement_cache_capacity(0);
    if let Some(password) = &connection.password {
        options = options.password(password);
    }
    if !connection.database.is_empty() {
        options = options.database(&connection.database);
    }
    let mut has_place = connection.host.is_some();
    if let Some(host) = &connection.host {
        options = options.host(host);
    }
    for (name, value) in &connection.parameters {
        options = match name.as_str() {
            "socket" => {
                has_place = true;
                options.socket(value)
            }
            "ssl-mode" | "sslmode" => {
                options.ssl_mode(value.parse().map_err(|_| format!("`{name}` cannot be `{value}`"))?)
            }
            "ssl-ca" => options.ssl_ca(workspace.join(value)),
            "ssl-cert" => options.ssl_client_cert(workspace.join(value)),
            "ssl-key" => options.ssl_client_key(workspace.join(value)),
            name if IGNORED.contains(&name) => options,
            name => return Err(format!("the URL of the database has a parameter that is not known: `{name}`")),
        };
    }
    if has_place { Ok(options) } else { Err("the URL of the database names no host".to_owned()) }
}

impl Dialect for MySql {
    const VERSION: &'static str = "SELECT VERSION()";
    const CHECK: Option<&'static str> = None;
    const REMAINS: Option<(&'static str, &'static str)> = Some(("SHOW WARNINGS", "1196"));

    fn server(version: &str) -> String {
        let name = if is_mariadb(version) { "MariaDB" } else { "MySQL" };
        format!("{name} {}", version.split('-').next().unwrap_or_default())
    }

    fn setup(version: &str, limit_ms: u64, transaction: Transaction) -> String {
        let limit_ms = limit_ms.clamp(1, LIMIT_MS_MAX);
        let limit = if is_mariadb(version) {
            format!("SET SESSION max_statement_time = {}.{:03}", limit_ms / 1_000, limit_ms % 1_000)
        } else {
            format!("SET SESSION max_execution_time = {limit_ms}")
        };
        match transaction {
            // Statements that commit by themselves are only refused by the session.
            Transaction::ReadOnly => format!("{limit}; SET SESSION TRANSACTION READ ONLY"),
            Transaction::Rollback | Transaction::Commit => limit,
        }
    }

    fn begin(transaction: Transaction) -> Option<&'static str> {
        Some(match transaction {
            Transaction::ReadOnly => "START TRANSACTION READ ONLY",
            Transaction::Rollback | Transaction::Commit => "START TRANSACTION",
        })
    }

    fn types(_: &[DatabaseColumn]) -> Option<String> {
        None
    }

    fn affected(result: &MySqlQueryResult) -> u64 {
        result.rows_affected()
    }

    fn columns(row: &MySqlRow) -> Vec<DatabaseColumn> {
        let kind = |info: &sqlx_mysql::MySqlTypeInfo| match (kind_of(info), info.name()) {
            // The driver takes collations that tell case apart for bytes.
            (Kind::Text, "BINARY") => "char".to_owned(),
            (Kind::Text, "VARBINARY") => "varchar".to_owned(),
            (Kind::Text, name) if name.ends_with("BLOB") => name.replace("BLOB", "TEXT").to_ascii_lowercase(),
            (_, "BOOLEAN") => "tinyint".to_owned(),
            (_, name) => name.to_ascii_lowercase(),
        };
        let columns = row.columns().iter();
        columns.map(|one| DatabaseColumn { name: one.name().to_owned(), kind: kind(one.type_info()) }).collect()
    }

    fn values(row: &MySqlRow) -> Result<Vec<Value>, Error> {
        row.columns()
            .iter()
            .enumerate()
            .map(|(index, column)| {
                let bytes = row.try_get_unchecked::<Option<&[u8]>, _>(index)?;
                Ok(bytes.map_or(Value::Null, |bytes| of_bytes(kind_of(column.type_info()), bytes)))
            })
            .collect()
    }
}

fn is_mariadb(version: &str) -> bool {
    version.contains("MariaDB")
}

/// What the bytes of a value mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Whole,
    Floating,
    Bit,
    Json,
    Timestamp,
    DateTime,
    Bytes,
    Text,
}

fn kind_of(info: &sqlx_mysql::MySqlTypeInfo) -> Kind {
    if <str as Type<MySql>>::compatible(info) {
        return Kind::Text;
    }
    match info.name() {
        "BIT" => Kind::Bit,
        "FLOAT" | "DOUBLE" => Kind::Floating,
        "JSON" => Kind::Json,
        // The session's time zone is UTC.
        "TIMESTAMP" => Kind::Timestamp,
        "DATETIME" => Kind::DateTime,
        "BOOLEAN" | "YEAR" => Kind::Whole,
        name if name.contains("INT") => Kind::Whole,
        name if name.contains("BLOB") || name.contains("BINARY") || name == "GEOMETRY" => Kind::Bytes,
        _ => Kind::Text,
    }
}

fn of_bytes(kind: Kind, bytes: &[u8]) -> Value {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return if kind == Kind::Bit { bits(bytes) } else { value::bytes(bytes) };
    };
    match kind {
        Kind::Whole => value::whole(text),
        Kind::Floating => value::floating(text),
        Kind::Bit => bits(bytes),
        Kind::Json => value::embedded(text),
        Kind::Timestamp => value::timestamp(text, false).as_str().map_or(Value::Null, with_zone),
        Kind::DateTime => value::timestamp(text, false),
        Kind::Bytes => value::bytes(bytes),
        Kind::Text => text.into(),
    }
}

/// Adds the zone to a time that has one.
fn with_zone(time: &str) -> Value {
    if time.contains('T') { format!("{time}Z").into() } else { time.into() }
}

/// Returns the number that bits are.
fn bits(bytes: &[u8]) -> Value {
    let number = bytes.iter().try_fold(0_u64, |number, byte| Some(number.checked_mul(256)? | u64::from(*byte)));
    number.map_or_else(|| value::bytes(bytes), |number| value::whole(&number.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_type_becomes_json_without_loss() {
        for (kind, bytes, expected) in [
            (Kind::Whole, &b"-3"[..], json!(-3)),
            (Kind::Whole, b"18446744073709551615", json!("18446744073709551615")),
            (Kind::Floating, b"0.1", json!(0.1)),
            (Kind::Bit, b"\x05", json!(5)),
            (Kind::Bit, b"\xff\xff\xff\xff\xff\xff\xff\xff", json!("18446744073709551615")),
            (Kind::Json, b"{\"a\": 1}", json!({"a": 1})),
            (Kind::Timestamp, b"2024-02-29 12:00:00.500", json!("2024-02-29T12:00:00.500Z")),
            (Kind::Timestamp, b"0000-00-00", json!("0000-00-00")),
            (Kind::DateTime, b"2024-02-29 12:00:00", json!("2024-02-29T12:00:00")),
            (Kind::Bytes, b"hi", json!({"base64": "aGk="})),
            (Kind::Text, b"1.10", json!("1.10")),
            (Kind::Text, b"\xff", json!({"base64": "/w=="})),
        ] {
            assert_eq!(of_bytes(kind, bytes), expected, "{kind:?} {bytes:?}");
        }
    }

    #[test]
    fn each_server_has_its_own_limit_of_a_statement() {
        let maria = "10.11.14-MariaDB-0+deb12u2";
        assert_eq!(MySql::server(maria), "MariaDB 10.11.14");
        let limit = "SET SESSION max_statement_time = 1.500";
        assert_eq!(MySql::setup(maria, 1_500, Transaction::Rollback), limit);
        let read_only = MySql::setup(maria, 1_500, Transaction::ReadOnly);
        assert_eq!(read_only, format!("{limit}; SET SESSION TRANSACTION READ ONLY"));
        assert_eq!(MySql::server("8.0.36-0ubuntu0"), "MySQL 8.0.36");
        assert_eq!(MySql::setup("8.0.36", 1_500, Transaction::Commit), "SET SESSION max_execution_time = 1500");
    }

    #[test]
    fn urls_name_user_and_host_and_parameters_that_are_known() {
        for (url, problem) in [
            ("mysql://u:p@h/d?ssl-mode=REQUIRED&connection_limit=5", None),
            ("mariadb://u@/d?socket=/run/mysqld.sock", None),
            ("mysql://h/d", Some("names no user")),
            ("mysql://u@/d", Some("names no host")),
            ("mysql://u@h/d?tls=true", Some("`tls`")),
        ] {
            let options = options(&Connection::parse(url).unwrap(), Path::new("/"));
            match problem {
                None => assert!(options.is_ok(), "{url}"),
                Some(problem) => assert!(options.unwrap_err().contains(problem), "{url}"),
            }
        }
    }
}
