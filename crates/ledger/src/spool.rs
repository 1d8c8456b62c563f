//! Stores input that can be read only once, so that it can be read again.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes in an unnamed temporary file, which disappears with the process however that ends.
#[derive(Debug)]
pub struct Spool {
    file: File,
}

impl Spool {
    /// Copies an input to a temporary file on the directory's file system. Returns it with the number of bytes;
    /// of a larger input only the first `most` bytes are copied.
    ///
    /// # Errors
    /// Fails if the input cannot be read or the file cannot be written.
    pub fn take(input: &mut dyn Read, directory: &Path, most: u64) -> io::Result<(Self, u64)> {
        let mut file = tempfile::tempfile_in(directory)?;
        let bytes = io::copy(&mut input.take(most), &mut file)?;
        Ok((Self { file }, bytes))
    }

    /// Wraps a file that can be read repeatedly anyway.
    pub fn of(file: File) -> Self {
        Self { file }
    }

    /// Reads the input from its beginning.
    pub fn reader(&self) -> impl Read + '_ {
        At { file: &self.file, offset: 0 }
    }
}

/// Reads a file with an offset of its own, so that several readers can share the file.
struct At<'a> {
    file: &'a File,
    offset: u64,
}

impl Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_is_read_again_and_leaves_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let (spool, bytes) = Spool::take(&mut &b"once and again"[..], directory.path(), 100).unwrap();
        assert_eq!(bytes, 14);
        for _ in 0..2 {
            let mut text = String::new();
            spool.reader().read_to_string(&mut text).unwrap();
            assert_eq!(text, "once and again");
        }
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
        let (_, bytes) = Spool::take(&mut &b"once and again"[..], directory.path(), 4).unwrap();
        assert_eq!(bytes, 4);
        assert!(Spool::take(&mut &b"x"[..], &directory.path().join("none"), 4).is_err());
    }
}
