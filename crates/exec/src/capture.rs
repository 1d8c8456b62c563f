//! Transfers output from a command's pipes to a capture, in constant memory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use referee_model::plan::{Action, CaptureName, EvidenceCapture};
use referee_model::record::{Log, Stream};
use rustix::event::{PollFd, PollFlags};

use crate::notice::Watch;
use crate::spawn;

/// Size of a single write of an answer, in bytes.
const ANSWER_BYTES: usize = 256 * 1024;

/// Size of a single read, in bytes.
const READ_BYTES: usize = 64 * 1024;

/// Size to which a pipe is enlarged once a command fills it, in bytes, so that much output takes fewer reads.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1024 * 1024;

/// Storage for the output of actions, the interface to the evidence on disk. Called from several threads where
/// actions run in parallel.
pub trait Sink: Sync {
    /// Opens a capture for the output of one attempt, before there is any output.
    fn begin(&self, action: &Action, attempt: u32) -> Result<Box<dyn Capture>, SinkError>;

    /// Opens a capture for the output of the container that an attempt left running, once it has ended.
    fn begin_container(&self, action: &Action, attempt: u32) -> Result<Box<dyn Capture>, SinkError>;

    /// Stores a picture of one attempt as it is, a PNG file; `number` counts from 1.
    fn picture(&self, action: &Action, attempt: u32, number: usize, bytes: &[u8]) -> Result<Log, SinkError>;

    /// Announces a secret value, before anything that may contain it is stored.
    fn learn(&self, name: &CaptureName, value: &str) -> Result<(), SinkError>;
}

/// Stores an answer that is known as a whole.
pub(crate) fn store_answer(
    sink: &dyn Sink,
    (action, attempt): (&Action, u32),
    answer: &[u8],
) -> Result<Log, SinkError> {
    let mut capture = sink.begin(action, attempt)?;
    for part in answer.chunks(ANSWER_BYTES) {
        capture.append(Stream::Stdout, part)?;
    }
    capture.finish()
}

/// Stores the output of one attempt. Dropped without [`Capture::finish`] where the run fails.
pub trait Capture: Send {
    /// Stores bytes, in order of arrival.
    fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError>;

    /// Ends the capture, and returns a description of the stored log.
    fn finish(self: Box<Self>) -> Result<Log, SinkError>;
}

/// Error of storing output. It ends the run, because output that is not stored is no evidence.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SinkError(Box<dyn std::error::Error + Send + Sync>);

impl SinkError {
    /// Wraps an error or a text.
    pub fn new(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pumped {
    Kept,
    /// The output exceeds its limit; the pipes are closed.
    OverLimit,
}

/// Callback that receives the bytes of a stream as they arrive.
pub(crate) type Tap = Box<dyn FnMut(Stream, &[u8]) + Send>;

/// Transfer of output from two pipes to a capture.
pub(crate) struct Pump {
    pipes: [Option<Pipe>; 2],
    capture: Box<dyn Capture>,
    watch: Option<Watch>,
    tap: Option<Tap>,
    buffer: Vec<u8>,
    limit: u64,
    /// Number of bytes that may still arrive.
    left: u64,
}

struct Pipe {
    stream: Stream,
    end: OwnedFd,
    enlarged: bool,
    /// Whether the stream is stored; otherwise it is read and discarded.
    kept: bool,
}

impl Pump {
    /// Connects the pipes of a command with a capture, for at most `limit` bytes.
    pub(crate) fn new(
        stdout: OwnedFd,
        stderr: OwnedFd,
        capture: Box<dyn Capture>,
        watch: Option<Watch>,
        limit: u64,
    ) -> Self {
        let pipe = |stream, end| Some(Pipe { stream, end, enlarged: false, kept: true });
        let pipes = [pipe(Stream::Stdout, stdout), pipe(Stream::Stderr, stderr)];
        Self { pipes, capture, watch, tap: None, buffer: vec![0; READ_BYTES], limit, left: limit }
    }

    /// Restricts what is stored to the streams that are evidence.
    pub(crate) fn keeping(mut self, evidence: EvidenceCapture) -> Self {
        for pipe in self.pipes.iter_mut().flatten() {
            pipe.kept = match pipe.stream {
                Stream::Stdout => evidence.stdout,
                Stream::Stderr => evidence.stderr,
            };
        }
        self
    }

    /// Also passes the output to a callback.
    pub(crate) fn tapped(self, tap: Option<Tap>) -> Self {
        Self { tap, ..self }
    }

    /// Returns the open pipes, for `poll`.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = PollFd<'_>> {
        self.pipes.iter().flatten().map(|pipe| PollFd::from_borrowed_fd(pipe.end.as_fd(), PollFlags::IN))
    }

    /// Returns the inode numbers of the open pipes, by which processes that hold them are recognized.
    pub(crate) fn inodes(&self) -> Vec<u64> {
        let inode = |end: BorrowedFd<'_>| rustix::fs::fstat(end).ok().map(|stat| stat.st_ino);
        self.pipes.iter().flatten().filter_map(|pipe| inode(pipe.end.as_fd())).collect()
    }

    /// Returns the maximum number of stored bytes.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// Whether both pipes are closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.pipes.iter().all(Option::is_none)
    }

    /// Closes the pipes without reading the rest.
    pub(crate) fn close(&mut self) {
        self.pipes = [None, None];
    }

    /// Reads once from each open pipe that has data or has ended. `ready` states this for each pipe in the order of
    /// [`Pump::waiting`].
    pub(crate) fn pump(&mut self, ready: &[bool]) -> Result<Pumped, SinkError> {
        let open = self.pipes.iter_mut().filter(|slot| slot.is_some());
        for (slot, _) in open.zip(ready).filter(|(_, ready)| **ready) {
            let Some(pipe) = slot else { continue };
            // A read error counts as the end of that pipe; the other one continues.
            let read = spawn::retry(|| rustix::io::read(&pipe.end, &mut self.buffer)).unwrap_or(0);
            if read == 0 {
                *slot = None;
                continue;
            }
            if read == READ_BYTES && !pipe.enlarged {
                pipe.enlarged = true;
                // Where enlarging is not permitted, or not possible, reading only takes more calls.
                #[cfg(target_os = "linux")]
                let _ = rustix::pipe::fcntl_setpipe_size(&pipe.end, PIPE_BYTES);
            }
            let stream = pipe.stream;
            if let Some(watch) = &mut self.watch {
                watch.take(stream, &self.buffer[..read]);
            }
            if let Some(tap) = &mut self.tap {
                tap(stream, &self.buffer[..read]);
            }
            if !pipe.kept {
                continue;
            }
            let kept = usize::try_from(self.left).map_or(read, |left| left.min(read));
            self.capture.append(stream, &self.buffer[..kept])?;
            self.left -= kept as u64;
            if kept < read {
                self.close();
                return Ok(Pumped::OverLimit);
            }
        }
        Ok(Pumped::Kept)
    }

    pub(crate) fn finish(self) -> Result<(Log, Option<Watch>), SinkError> {
        Ok((self.capture.finish()?, self.watch))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    type Kept = Arc<Mutex<Vec<(Stream, Vec<u8>)>>>;

    struct Memory(Kept);

    impl Capture for Memory {
        fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
            self.0.lock().unwrap().push((stream, bytes.to_owned()));
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<Log, SinkError> {
            Err(SinkError::new("nobody asks"))
        }
    }

    fn pumped(limit: u64) -> (Pump, OwnedFd, OwnedFd, Kept) {
        let (stdout, stdout_writer) = rustix::pipe::pipe().unwrap();
        let (stderr, stderr_writer) = rustix::pipe::pipe().unwrap();
        let kept = Kept::default();
        (Pump::new(stdout, stderr, Box::new(Memory(kept.clone())), None, limit), stdout_writer, stderr_writer, kept)
    }

    #[test]
    fn an_end_of_one_stream_does_not_end_the_other() {
        let (mut pump, stdout, stderr, kept) = pumped(100);
        drop(stdout);
        rustix::io::write(&stderr, b"still here").unwrap();
        assert_eq!(pump.pump(&[true, true]).unwrap(), Pumped::Kept);
        assert_eq!((pump.waiting().count(), pump.inodes().len()), (1, 1));
        drop(stderr);
        assert_eq!(pump.pump(&[true]).unwrap(), Pumped::Kept);
        assert!(pump.is_closed());
        assert_eq!(*kept.lock().unwrap(), [(Stream::Stderr, b"still here".to_vec())]);
    }

    #[test]
    fn what_is_not_to_be_evidence_is_read_and_shown_and_not_kept() {
        let (pump, stdout, stderr, kept) = pumped(2);
        let shown = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&shown);
        let tap: Tap = Box::new(move |_, bytes| seen.lock().unwrap().extend_from_slice(bytes));
        let mut pump = pump.keeping(EvidenceCapture { stdout: false, ..EvidenceCapture::default() }).tapped(Some(tap));
        rustix::io::write(&stdout, b"dropped").unwrap();
        rustix::io::write(&stderr, b"42").unwrap();
        assert_eq!(pump.pump(&[true, true]).unwrap(), Pumped::Kept);
        assert_eq!(*kept.lock().unwrap(), [(Stream::Stderr, b"42".to_vec())]);
        assert_eq!(*shown.lock().unwrap(), b"dropped42");
    }

    #[test]
    fn what_fits_into_the_limit_is_kept_and_the_rest_ends_it() {
        let (mut pump, stdout, stderr, kept) = pumped(6);
        rustix::io::write(&stdout, b"abc").unwrap();
        rustix::io::write(&stderr, b"def").unwrap();
        assert_eq!(pump.pump(&[true, true]).unwrap(), Pumped::Kept);
        rustix::io::write(&stdout, b"g").unwrap();
        assert_eq!(pump.pump(&[true, false]).unwrap(), Pumped::OverLimit);
        assert!(pump.is_closed());
        let bytes: Vec<u8> = kept.lock().unwrap().iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        assert_eq!(bytes, b"abcdef");
    }
}
