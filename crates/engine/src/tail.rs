//! Keeps the end of an endless stream in bounded memory.

use std::io::{self, Read};

/// Bytes read at a time.
const BUFFER_BYTES: usize = 64 * 1024;

/// Keeps the last bytes of a stream.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
    most: usize,
}

impl Tail {
    /// Creates a tail of at most `most` bytes.
    pub fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    /// Reads a stream to its end, and returns its last bytes.
    ///
    /// # Errors
    /// Fails if the stream cannot be read.
    pub fn of(mut stream: impl Read, most: usize) -> io::Result<Vec<u8>> {
        let mut tail = Self::new(most);
        let mut buffer = vec![0; BUFFER_BYTES];
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(tail.finish()),
                Ok(length) => tail.add(buffer.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Appends bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Trimmed only at twice the length, so that a byte is moved at most once.
        if self.bytes.len() / 2 > self.most {
            self.trim();
        }
    }

    /// Returns the last bytes.
    pub fn finish(mut self) -> Vec<u8> {
        self.trim();
        self.bytes
    }

    /// Returns at least the last bytes, and at most twice as many.
    pub(crate) fn so_far(&self) -> &[u8] {
        &self.bytes
    }

    fn trim(&mut self) {
        self.bytes.drain(..self.bytes.len().saturating_sub(self.most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_stream_is_kept() {
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(1_000_000).collect();
        assert_eq!(Tail::of(bytes.as_slice(), 1_000).unwrap(), bytes[999_000..]);
        assert_eq!(Tail::of(&bytes[..9], 1_000).unwrap(), bytes[..9]);
        assert_eq!(Tail::of(&bytes[..9], 0).unwrap(), b"");
    }
}
