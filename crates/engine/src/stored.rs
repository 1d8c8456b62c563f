//! Stored logs as sources for readers.

use std::io::{self, Read};

use referee_ledger::evidence::LogFile;
use referee_model::record::Stream;
use referee_readers::source::Source;

/// The log of one attempt in an evidence directory.
pub(crate) struct StoredLog(pub(crate) LogFile);

impl Source for StoredLog {
    fn open(&self, stream: Stream) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0.stream(stream)?))
    }

    fn open_at(&self, stream: Stream, offset: u64) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.0.stream_from(stream, offset)?))
    }

    fn locate(&self, stream: Stream, offset: u64) -> u64 {
        self.0.locate(stream, offset)
    }
}
