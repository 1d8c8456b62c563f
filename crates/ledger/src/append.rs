//! Appends lines to logs at a known end, and removes a partial line when a write fails.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use crate::fault;

/// Writes a line at `end`, where the complete lines of a log end. The line is on disk when this returns.
pub(crate) fn append(mut file: &File, end: u64, line: &[u8]) -> io::Result<()> {
    let mut write = || {
        file.seek(SeekFrom::Start(end))?;
        let (half, rest) = line.split_at(line.len() / 2);
        fault::point()?;
        file.write_all(half)?;
        fault::point()?;
        file.write_all(rest)?;
        fault::point()?;
        file.sync_all()?;
        fault::landed(file);
        Ok(())
    };
    let written = write();
    if written.is_err() {
        // A partial line would be skipped, or cut off by the next writer; remove it now.
        let _ = file.set_len(end).and_then(|()| file.sync_all());
    }
    written
}

/// Cuts off a partial line that a process left when it died.
pub(crate) fn cut(file: &File, end: u64) -> io::Result<()> {
    if file.metadata()?.len() <= end {
        return Ok(());
    }
    fault::point()?;
    file.set_len(end)?;
    file.sync_all()?;
    fault::landed(file);
    Ok(())
}
