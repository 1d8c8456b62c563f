//! Servers that are not there, or not what they should be.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use referee_model::database::{DatabaseFailure, DatabaseFailureKind, DatabasePhase};
use referee_model::plan::interaction::Transaction;

use crate::driver::{refusal, request};

/// Greeting of MariaDB up to its midst: a packet of 95 bytes of which a few arrive.
const HALF_GREETING: &[u8] = b"\x5f\x00\x00\x00\x0a10.11.14-Mar";

/// Asks a server that sends this and ends the connection, or keeps it and says nothing.
fn ask(
    scheme: &str,
    says: &'static [u8],
    ends: bool,
    connect_timeout_ms: u64,
    kind: DatabaseFailureKind,
) -> DatabaseFailure {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        while let Ok((mut stream, _)) = listener.accept() {
            stream.write_all(says).unwrap();
            if ends {
                stream.shutdown(std::net::Shutdown::Write).unwrap();
                // What the client says is read, so that the end of the connection is not a reset.
                let _ = stream.read(&mut [0; 1024]);
            } else {
                kept.push(stream);
            }
        }
    });
    let url = format!("{scheme}://user:s3cret@127.0.0.1:{port}/name");
    let mut request = request(&url, Path::new("/"), "SELECT 1", Transaction::ReadOnly);
    request.connect_timeout_ms = connect_timeout_ms;
    let failure = refusal(&request, kind, DatabasePhase::Connection);
    assert!(!failure.message.contains("s3cret"), "{failure:?}");
    failure
}

#[test]
fn a_server_that_breaks_off_is_unavailable() {
    for (scheme, says) in [
        ("mysql", HALF_GREETING),
        ("mysql", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        ("mysql", b""),
        ("postgres", b"R\x00\x00"),
        ("postgres", b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        ("postgres", b"N"),
        ("postgres", b""),
    ] {
        let failure = ask(scheme, says, true, 30_000, DatabaseFailureKind::Unavailable);
        assert!(!failure.message.is_empty());
    }
}

#[test]
fn a_server_that_says_nothing_is_waited_for_until_the_limit() {
    for (scheme, says) in [("mysql", &b""[..]), ("mysql", HALF_GREETING), ("postgres", b""), ("postgres", b"N")] {
        let failure = ask(scheme, says, false, 300, DatabaseFailureKind::Timeout);
        assert_eq!(failure.message, "the database was not connected within 300 ms");
    }
}

#[test]
fn what_cannot_be_connected_is_unavailable_and_the_password_is_not_told() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for (url, part) in [
        (format!("postgres://u:s3cret@127.0.0.1:{port}/d"), "the server cannot be reached"),
        (format!("mysql://u:s3cret@127.0.0.1:{port}/d"), "the server cannot be reached"),
        (format!("mysql://u:s3cret@[::1]:{port}/d"), "the server cannot be reached"),
        ("postgres://u:s3cret@no-such-host.invalid/d".to_owned(), "the server cannot be reached"),
        ("postgres://u:s3cret@/d?host=/nowhere".to_owned(), "the server cannot be reached"),
        ("mysql://u:s3cret@h/d?sslmod=s3cret".to_owned(), "`sslmod`"),
        ("postgres://u:s3cret@h/d?sslrootcert=/nowhere/s".to_owned(), ""),
        ("oracle://u:s3cret@h/d".to_owned(), "names no database"),
        ("s3cret".to_owned(), "no URL"),
        ("postgres://u:s3cret@ü/d".to_owned(), ""),
    ] {
        let request = request(&url, Path::new("/"), "SELECT 1", Transaction::ReadOnly);
        let failure = refusal(&request, DatabaseFailureKind::Unavailable, DatabasePhase::Connection);
        assert!(failure.message.contains(part) && !failure.message.contains("s3cret"), "{url}: {failure:?}");
    }
}
