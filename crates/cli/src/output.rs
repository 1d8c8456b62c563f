//! Writes answers. A reader that closes the pipe early is not an error: the exit code still tells the result.

use std::io::{self, ErrorKind, Write};

use referee_engine::error::EngineError;

use crate::args::PlainFormat;

/// Writes to standard output, all at once.
pub(crate) fn answer(bytes: &[u8]) -> io::Result<()> {
    forgive_closed_pipe(write_all(&mut io::stdout().lock(), bytes))
}

/// Writes a document: as JSON for programs, or as text for people.
pub(crate) fn document<J: Into<EngineError>, T: Into<EngineError>>(
    format: PlainFormat,
    json: impl FnOnce() -> Result<Vec<u8>, J>,
    text: impl FnOnce(&mut Vec<u8>) -> Result<(), T>,
) -> Result<(), EngineError> {
    let mut bytes = Vec::new();
    match format {
        PlainFormat::Json => bytes = json().map_err(Into::into)?,
        PlainFormat::Human => text(&mut bytes).map_err(Into::into)?,
    }
    Ok(answer(&bytes)?)
}

/// Writes to standard error, all at once.
pub(crate) fn aside(bytes: &[u8]) -> io::Result<()> {
    forgive_closed_pipe(write_all(&mut io::stderr().lock(), bytes))
}

/// Writes notes beside the answer, one line each.
pub(crate) fn notes(notes: impl IntoIterator<Item = impl std::fmt::Display>) -> io::Result<()> {
    notes.into_iter().try_for_each(|note| aside(format!("note: {note}\n").as_bytes()))
}

fn write_all(output: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    output.write_all(bytes)?;
    output.flush()
}

/// Ignores errors of a pipe whose reader is gone, or a terminal that was closed.
fn forgive_closed_pipe(result: io::Result<()>) -> io::Result<()> {
    let terminal_closed = rustix::io::Errno::IO.raw_os_error();
    match result {
        Err(error) if error.kind() == ErrorKind::BrokenPipe || error.raw_os_error() == Some(terminal_closed) => Ok(()),
        other => other,
    }
}
