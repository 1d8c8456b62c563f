//! Reasons why a request has no result.

use referee_model::database::{DatabaseFailure, DatabaseFailureKind as Kind, DatabasePhase as Phase};
use sqlx_core::error::{DatabaseError, Error};
use sqlx_mysql::MySqlDatabaseError;
use sqlx_postgres::PgDatabaseError;

/// Advice for a statement that a read-only transaction refuses.
pub(crate) const READ_ONLY: &str =
    "the transaction is read-only: say `rollback` or `commit` if the statement may change something";

/// Creates a failure without a code of the database.
pub(crate) fn failure(kind: Kind, during: Phase, message: impl Into<String>) -> DatabaseFailure {
    DatabaseFailure { kind, during, message: message.into(), code: None }
}

/// Creates the failure of a time limit.
pub(crate) fn timeout(during: Phase, limit_ms: u64) -> DatabaseFailure {
    let what = match during {
        Phase::Connection => "the database was not connected",
        Phase::Statement => "the statements were not executed",
    };
    failure(Kind::Timeout, during, format!("{what} within {limit_ms} ms"))
}

/// Creates the failure of statements after which their transaction no longer exists.
pub(crate) fn transaction_ended() -> DatabaseFailure {
    failure(
        Kind::Refused,
        Phase::Statement,
        "the statements ended their transaction, so their changes could not be undone: leave out `COMMIT` and \
         `ROLLBACK`, or say `commit` (MySQL and MariaDB commit by themselves at statements such as CREATE TABLE)",
    )
}

/// Returns the meaning of a driver's error. None of these errors repeats the password: the drivers get the parts of
/// the URL, and servers do not send it back.
pub(crate) fn of_driver(error: &Error, during: Phase) -> DatabaseFailure {
    match error {
        Error::Database(error) => of_server(error.as_ref(), during),
        Error::Io(error) => failure(Kind::Unavailable, during, io_message(error, during)),
        Error::Tls(error) => failure(Kind::Unavailable, during, format!("TLS could not be agreed on: {error}")),
        Error::Configuration(error) => {
            failure(Kind::Unavailable, during, format!("the connection cannot be used: {error}"))
        }
        error => failure(Kind::Unavailable, during, format!("the server cannot be understood: {error}")),
    }
}

fn io_message(error: &std::io::Error, during: Phase) -> String {
    match during {
        Phase::Connection => format!("the server cannot be reached: {error}"),
        Phase::Statement => format!("the connection was lost: {error}"),
    }
}

fn of_server(error: &(dyn DatabaseError + 'static), during: Phase) -> DatabaseFailure {
    let (kind, code, message) = if let Some(error) = error.try_downcast_ref::<PgDatabaseError>() {
        (of_state(error.code()), error.code().to_owned(), postgres_message(error))
    } else if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        let state = error.code().unwrap_or_default();
        (of_number(error.number()), format!("{} ({state})", error.number()), mysql_message(error))
    } else {
        (Kind::Refused, String::new(), error.message().to_owned())
    };
    // Before there is a connection, nothing was asked.
    let kind = if during == Phase::Connection { Kind::Unavailable } else { kind };
    DatabaseFailure { kind, during, message, code: Some(code).filter(|code| !code.is_empty()) }
}

/// Returns the kind of a SQLSTATE of PostgreSQL.
fn of_state(state: &str) -> Kind {
    match state {
        // The statement timeout, which is set for each request.
        "57014" => Kind::Timeout,
        // The server shuts down, or has no room.
        "57P01" | "57P02" | "57P03" | "57P05" | "53300" | "25P03" => Kind::Unavailable,
        state if state.starts_with("08") || state.starts_with("28") => Kind::Unavailable,
        _ => Kind::Refused,
    }
}

fn postgres_message(error: &PgDatabaseError) -> String {
    let mut message = error.message().to_owned();
    for (name, more) in [("detail", error.detail()), ("hint", error.hint())] {
        if let Some(more) = more {
            message = format!("{message}; {name}: {more}");
        }
    }
    if error.code() == "25006" { format!("{message}; {READ_ONLY}") } else { message }
}

/// Returns the kind of an error number of MySQL or MariaDB.
fn of_number(number: u16) -> Kind {
    match number {
        // The limits of MariaDB and of MySQL.
        1969 | 3024 => Kind::Timeout,
        // The server shuts down, ends the connection or has no room.
        1040 | 1053 | 1077 | 1079 | 1152 | 1184 | 1203 | 1927 | 3169 | 4031 => Kind::Unavailable,
        _ => Kind::Refused,
    }
}

fn mysql_message(error: &MySqlDatabaseError) -> String {
    let message = error.message().to_owned();
    if error.number() == 1792 { format!("{message}; {READ_ONLY}") } else { message }
}

/// Returns the meaning of an error of SQLite.
pub(crate) fn of_sqlite(error: &rusqlite::Error, during: Phase) -> DatabaseFailure {
    use rusqlite::ErrorCode;
    let rusqlite::Error::SqliteFailure(code, message) = error else {
        return match error {
            rusqlite::Error::SqlInputError { error, msg, .. } => DatabaseFailure {
                kind: Kind::Refused,
                during,
                message: msg.clone(),
                code: Some(error.extended_code.to_string()),
            },
            error => failure(Kind::Refused, during, error.to_string()),
        };
    };
    let kind = match code.code {
        ErrorCode::OperationInterrupted => Kind::Timeout,
        ErrorCode::DatabaseBusy
        | ErrorCode::DatabaseLocked
        | ErrorCode::SystemIoFailure
        | ErrorCode::DatabaseCorrupt
        | ErrorCode::DiskFull
        | ErrorCode::CannotOpen
        | ErrorCode::NotADatabase
        | ErrorCode::OutOfMemory => Kind::Unavailable,
        _ => Kind::Refused,
    };
    let message = message.clone().unwrap_or_else(|| code.to_string());
    let message = match code.code {
        ErrorCode::ReadOnly => format!("{message}; {READ_ONLY}"),
        ErrorCode::NotADatabase => "the file is not a SQLite database, or it is encrypted".to_owned(),
        _ => message,
    };
    DatabaseFailure { kind, during, message, code: Some(code.extended_code.to_string()) }
}
