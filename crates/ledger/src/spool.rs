//! Input that can be read only once, kept so that it can be read again.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes in a file without a name, which is gone with the process however that ends.
#[derive(Debug)]
pub struct Spool {
    file: File,
}

impl Spool {
    /// Takes all of an input, in a file of the directory's file system. Returns it with the number of bytes; one that
    /// is larger than `most` bytes is taken up to there.
    ///
    /// # Errors
    /// Fails where the input cannot be read or the file not be written.
    pub fn take(input: &mut dyn Read, directory: &Path, most: u64) -> io::Result<(Self, u64)> {
        let mut file = tempfile::tempfile_in(directory)?;
        let bytes = io::copy(&mut input.take(most), &mut file)?;
        Ok((Self { file }, bytes))
    }

    /// Keeps a file that can be read again anyway.
    pub fn of(file: File) -> Self {
        Self { file }
    }

    /// Reads it from its beginning.
    pub fn reader(&self) -> impl Read + '_ {
        At { file: &self.file, offset: 0 }
    }
}

/// Reads a file at a place of its own, so that several can at once.
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
