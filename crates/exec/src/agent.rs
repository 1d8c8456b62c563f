//! A signing agent, reached through its socket: one request, one answer. This module does not interpret the
//! messages.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use referee_model::limit;

/// Timeout of an agent; long, because a person may have to allow a signature or to touch a device.
const PATIENCE: Duration = Duration::from_mins(2);

/// Sends one request to the agent behind a socket and returns its answer. The length prefix is added to the request
/// and removed from the answer.
///
/// # Errors
/// Fails where nothing listens on the socket, where no answer arrives in time, and where the answer is longer than
/// the maximum.
pub fn ask(socket: &Path, request: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(request.len()).map_err(|_| io::Error::other("the request is too long"))?;
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(&length.to_be_bytes())?;
    stream.write_all(request)?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length);
    if length > limit::AGENT_ANSWER_BYTES {
        return Err(io::Error::other(format!("it answers with {length} bytes, which no agent does")));
    }
    let mut answer = vec![0; usize::try_from(length).unwrap_or_default()];
    stream.read_exact(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// Accepts one connection and answers with these bytes; returns the request.
    fn once(answer: Vec<u8>) -> (io::Result<Vec<u8>>, Vec<u8>) {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("agent");
        let listener = UnixListener::bind(&socket).unwrap();
        std::thread::scope(|scope| {
            let asked = scope.spawn(move || {
                let mut stream = listener.accept().unwrap().0;
                let mut asked = vec![0; 7];
                stream.read_exact(&mut asked).unwrap();
                stream.write_all(&answer).unwrap();
                asked
            });
            (ask(&socket, b"\x0bab"), asked.join().unwrap())
        })
    }

    #[test]
    fn an_answer_is_taken_whole_and_no_longer_than_it_says() {
        let (answer, asked) = once(vec![0, 0, 0, 2, 12, 7, 99]);
        assert_eq!((answer.unwrap(), asked), (vec![12, 7], b"\0\0\0\x03\x0bab".to_vec()));
        assert!(once(vec![0, 0, 0, 9, 12]).0.is_err(), "half an answer");
        assert!(once(Vec::new()).0.is_err());
        let error = once(vec![0xff; 8]).0.unwrap_err().to_string();
        assert!(error.contains("4294967295 bytes"), "{error}");
        assert!(ask(Path::new("/nowhere/agent"), b"").is_err());
    }
}
