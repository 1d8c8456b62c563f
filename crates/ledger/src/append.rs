//! A line is written at the known end of a log. What fails leaves no half of it.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use crate::fault;

/// Writes a line where the whole lines of a log end. It is on disk when this returns.
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
        // Half a line would be passed over, or cut off by whoever writes next; it is better gone.
        let _ = file.set_len(end).and_then(|()| file.sync_all());
    }
    written
}

/// Cuts half a line off that a process left when it died.
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
