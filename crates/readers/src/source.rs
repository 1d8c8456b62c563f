use std::io::{self, Read};

use referee_model::record::Stream;

/// The stored bytes of one attempt, by stream; can be read more than once.
pub trait Source {
    /// Opens a stream at its beginning.
    fn open(&self, stream: Stream) -> io::Result<Box<dyn Read + '_>>;

    /// Opens a stream at an offset, or at its end if the stream is shorter.
    fn open_at(&self, stream: Stream, offset: u64) -> io::Result<Box<dyn Read + '_>> {
        let mut bytes = self.open(stream)?;
        io::copy(&mut bytes.by_ref().take(offset), &mut io::sink())?;
        Ok(bytes)
    }

    /// Maps an offset within a stream to an offset in the log.
    fn locate(&self, stream: Stream, offset: u64) -> u64;
}

/// Output held in memory: standard output, followed by standard error.
#[derive(Debug, Clone, Default)]
pub struct MemorySource {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl MemorySource {
    /// Creates a source from the bytes of both streams.
    pub fn new(stdout: Vec<u8>, stderr: Vec<u8>) -> Self {
        Self { stdout, stderr }
    }

    /// Creates a source whose bytes are all standard output.
    pub fn stdout(bytes: Vec<u8>) -> Self {
        Self::new(bytes, Vec::new())
    }
}

impl Source for MemorySource {
    fn open(&self, stream: Stream) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(match stream {
            Stream::Stdout => self.stdout.as_slice(),
            Stream::Stderr => self.stderr.as_slice(),
        }))
    }

    fn locate(&self, stream: Stream, offset: u64) -> u64 {
        match stream {
            Stream::Stdout => offset,
            Stream::Stderr => self.stdout.len() as u64 + offset,
        }
    }
}
