//! Statements for databases: PostgreSQL, MySQL, MariaDB and SQLite. A [`DatabaseRequest`] becomes a
//! [`DatabaseAnswer`]: the statements run in a transaction that is read-only, undone or kept, and the rows of the last
//! one become JSON without loss. All rows are counted, few are kept, and the rest takes no memory.

mod failure;

mod value;

mod result_buffer;

mod statement;

mod time_limit;

mod server;

mod postgres;

mod mysql;

mod sqlite;

mod answer;

use std::io::{Read, Write};
use std::process::ExitCode;

use referee_model::database::{CONNECTED, DatabaseAnswer, DatabaseRequest};

pub use crate::answer::answer;

/// Maximum size of a request, in bytes.
const REQUEST_BYTES: u64 = 64 * 1024 * 1024;

/// Reads a request from standard input, and writes its answer to standard output.
pub fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            // If standard error is closed, the error cannot be reported.
            let _ = writeln!(std::io::stderr(), "error: {problem}");
            ExitCode::from(2)
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ServeError {
    /// The error of a value may repeat it, and the connection holds a password, so only its place is told.
    #[error("cannot read the request: line {line}, column {column}")]
    Request { line: usize, column: usize },
    #[error("cannot write the answer: {0}")]
    Answer(#[source] serde_json::Error),
    #[error("cannot use the standard streams: {0}")]
    Streams(#[from] std::io::Error),
}

fn serve() -> Result<(), ServeError> {
    let mut text = Vec::new();
    std::io::stdin().lock().take(REQUEST_BYTES).read_to_end(&mut text)?;
    let request: DatabaseRequest = serde_json::from_slice(&text)
        .map_err(|error| ServeError::Request { line: error.line(), column: error.column() })?;
    let answer: DatabaseAnswer = answer(&request, &|| {
        // Whoever does not listen does not need it.
        let _ = writeln!(std::io::stderr(), "{CONNECTED}");
    });
    let text = serde_json::to_vec(&answer).map_err(ServeError::Answer)?;
    let mut output = std::io::stdout().lock();
    output.write_all(&text)?;
    Ok(output.flush()?)
}
