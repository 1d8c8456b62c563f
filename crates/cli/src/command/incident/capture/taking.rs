//! Files that are captured: their ends, and no more of them than is looked at.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use referee_engine::incident::capture::Taken;

use crate::error::Problem;
use crate::resolve::World;

/// Reads the end of a file, at most so many bytes; `-` is standard input.
pub(super) fn end_of_file(world: &World, path: &Path, bytes: u64) -> Result<Taken, Problem> {
    let shown = path.display().to_string();
    let end = if path.as_os_str() == "-" {
        end_of_stream(io::stdin().lock(), bytes)
    } else {
        File::open(world.directory.join(path)).and_then(|file| end(file, bytes))
    };
    let bytes = end.map_err(|error| Problem::usage(format!("{shown} cannot be read: {error}")))?;
    Ok(Taken { path: if shown == "-" { "standard input".to_owned() } else { shown }, bytes })
}

/// Reads a file whole. One that is larger is refused.
pub(super) fn whole_file(world: &World, path: &Path, most: u64) -> Result<Taken, Problem> {
    let shown = world.shown(path).display().to_string();
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    let bytes = read().map_err(|error| Problem::usage(format!("{shown} cannot be read: {error}")))?;
    if bytes.len() as u64 > most {
        return Err(Problem::usage(format!("{shown} has more than the {most} bytes that a report may have")));
    }
    Ok(Taken { path: shown, bytes })
}

fn end(mut file: File, bytes: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return end_of_stream(file, bytes);
    }
    file.seek(SeekFrom::Start(metadata.len().saturating_sub(bytes)))?;
    let mut end = Vec::new();
    file.take(bytes).read_to_end(&mut end)?;
    Ok(end)
}

/// Reads a stream to its end, and keeps its last bytes.
fn end_of_stream(mut stream: impl Read, bytes: u64) -> io::Result<Vec<u8>> {
    let mut tail = Tail::new(usize::try_from(bytes).unwrap_or(usize::MAX / 2));
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return Ok(tail.finish()),
            Ok(length) => tail.add(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The end of something that may be endless.
pub(super) struct Tail {
    bytes: Vec<u8>,
    most: usize,
}

impl Tail {
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        // Trimmed when it is twice as long, so that a byte is moved once at most.
        if self.bytes.len() / 2 > self.most {
            self.trim();
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.trim();
        self.bytes
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
        let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(200_000).collect();
        assert_eq!(end_of_stream(bytes.as_slice(), 1_000).unwrap(), bytes[199_000..]);
        assert_eq!(end_of_stream(&bytes[..9], 1_000).unwrap(), bytes[..9]);
        assert_eq!(end_of_stream(&bytes[..9], 0).unwrap(), b"");
    }
}
