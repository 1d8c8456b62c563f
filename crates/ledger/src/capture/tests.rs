use std::fs::{self, OpenOptions};
use std::io::Read;
use std::sync::Arc;

use proptest::prelude::*;
use referee_model::record::{Log, Stream};
use sha2::{Digest as _, Sha256};

use super::*;
use crate::directory::Directory;
use crate::log_file::LogFile;

fn over(file: File, path: &std::path::Path, redactor: &Redactor) -> Capture {
    Capture::new(file, path.to_path_buf(), "a.log", redactor, Contents::default())
}

fn open(directory: &std::path::Path) -> Arc<Directory> {
    Arc::new(Directory::open(directory).unwrap())
}

/// Captures these writes and returns the log, its bytes, and the bytes read back of each stream.
fn captured(redactor: &Redactor, writes: &[(Stream, Vec<u8>)]) -> (Log, Vec<u8>, [Vec<u8>; 2], LogFile) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.log");
    let mut capture = over(File::create(&path).unwrap(), &path, redactor);
    for (stream, bytes) in writes {
        capture.append(*stream, bytes).unwrap();
    }
    let log = capture.finish().unwrap();
    let file = LogFile::new(open(directory.path()), &log);
    let streams = Stream::ALL.map(|stream| {
        let mut bytes = Vec::new();
        file.stream(stream).unwrap().read_to_end(&mut bytes).unwrap();
        bytes
    });
    (log, fs::read(&path).unwrap(), streams, file)
}

fn no_secrets() -> Redactor {
    Redactor::new(Vec::new(), Vec::new())
}

fn stream() -> impl Strategy<Value = Stream> {
    proptest::sample::select(Stream::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn each_stream_reads_back_as_it_was_written_and_every_byte_is_located(
        writes in proptest::collection::vec((stream(), "[a-z\n]{0,30}|[a-z]{0,3000}"), 0..60),
    ) {
        let writes: Vec<_> = writes.into_iter().map(|(stream, text)| (stream, text.into_bytes())).collect();
        let (log, stored, streams, file) = captured(&no_secrets(), &writes);
        prop_assert_eq!(log.bytes, stored.len() as u64);
        prop_assert_eq!(log.sha256, Digest::of(&stored));
        prop_assert_eq!(log.streams.total_bytes(), log.bytes);
        for (stream, read) in Stream::ALL.into_iter().zip(&streams) {
            let written: Vec<u8> =
                writes.iter().filter(|(of, _)| *of == stream).flat_map(|(_, bytes)| bytes.clone()).collect();
            prop_assert!(read == &written);
            for (offset, byte) in read.iter().enumerate() {
                let place = usize::try_from(file.locate(stream, offset as u64)).unwrap();
                prop_assert_eq!(stored[place], *byte);
            }
            if let Some(last) = read.len().checked_sub(1) {
                prop_assert_eq!(file.locate(stream, u64::MAX), file.locate(stream, last as u64) + 1);
            }
        }
    }
}

#[test]
fn bytes_of_both_streams_stand_in_the_order_of_arrival() {
    let writes = [
        (Stream::Stdout, b"one\n".to_vec()),
        (Stream::Stderr, b"two\n".to_vec()),
        (Stream::Stdout, b"three, un".to_vec()),
        (Stream::Stderr, b"four\n".to_vec()),
        (Stream::Stdout, b"finished\nfive".to_vec()),
    ];
    let (log, stored, ..) = captured(&no_secrets(), &writes);
    assert_eq!(String::from_utf8(stored).unwrap(), "one\ntwo\nfour\nthree, unfinished\nfive");
    let segments: Vec<_> = log.streams.segments().iter().map(|segment| (segment.stream, segment.bytes)).collect();
    assert_eq!(segments, [(Stream::Stdout, 4), (Stream::Stderr, 9), (Stream::Stdout, 22)]);
}

#[test]
fn redactions_are_told_by_their_place_in_the_log() {
    let redactor = Redactor::new(vec![("A_TOKEN".into(), "hunter2hunter2".into())], Vec::new());
    let writes = [
        (Stream::Stdout, b"out hunt".to_vec()),
        (Stream::Stderr, b"err hunter2hunter2\n".to_vec()),
        (Stream::Stdout, b"er2hunter2\n".to_vec()),
    ];
    let (log, stored, ..) = captured(&redactor, &writes);
    assert_eq!(String::from_utf8(stored).unwrap(), "err **************\nout **************\n");
    let places: Vec<_> = log.redactions.iter().map(|found| (found.offset, found.bytes, found.rule.as_str())).collect();
    assert_eq!(places, [(4, 14, "variable:A_TOKEN"), (23, 14, "variable:A_TOKEN")]);
    assert_eq!(log.redaction_count, 2);
}

#[test]
fn streams_that_alternate_for_ever_do_not_grow_the_map_for_ever() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.log");
    let mut writer = Writer::new(File::create(&path).unwrap(), path.clone());
    let mut hashes = [Sha256::new(), Sha256::new()];
    for round in 0_u32..2_000_000 {
        let stream = Stream::ALL[round as usize % 2];
        let line = [b"ab\n", b"cd\n"][round as usize / 2 % 2];
        hashes[stream as usize].update(line);
        writer.take(stream, line).unwrap();
        assert!(writer.waiting.len() as u64 <= QUANTUM_BYTES.1);
    }
    let (Finished { written, .. }, streams) = writer.finish().unwrap();
    assert_eq!(written.bytes, 6_000_000);
    assert!(streams.segments().len() < 8_000, "{} segments", streams.segments().len());
    let log = Log {
        file: "a.log".into(),
        bytes: written.bytes,
        sha256: written.sha256,
        streams,
        redactions: Vec::new(),
        redaction_count: 0,
    };
    for (stream, hash) in Stream::ALL.into_iter().zip(hashes) {
        let mut bytes = Vec::new();
        LogFile::new(open(directory.path()), &log).stream(stream).unwrap().read_to_end(&mut bytes).unwrap();
        assert_eq!(Sha256::digest(&bytes), hash.finalize());
    }
}

#[test]
fn a_few_lines_of_the_other_stream_are_not_held_until_the_end() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.log");
    let mut writer = Writer::new(File::create(&path).unwrap(), path.clone());
    for _ in 0..FREE_SEGMENTS {
        writer.take(Stream::Stdout, b"a\n").unwrap();
        writer.take(Stream::Stderr, b"b\n").unwrap();
    }
    writer.take(Stream::Stdout, b"late\n").unwrap();
    for _ in 0..10_000 {
        writer.take(Stream::Stderr, b"more\n").unwrap();
    }
    assert!(writer.waiting.is_empty());
}

#[test]
fn a_full_disk_is_told_and_nothing_is_sealed_over_it() {
    let path = std::path::Path::new("/dev/full");
    let Ok(full) = OpenOptions::new().write(true).open(path) else {
        println!("skipped: no /dev/full");
        return;
    };
    let mut capture = over(full, path, &no_secrets());
    let error = capture.append(Stream::Stdout, b"a line\n").unwrap_err();
    assert!(error.to_string().starts_with("cannot write `/dev/full`: No space left"), "{error}");
    assert!(matches!(capture.append(Stream::Stdout, b"another\n"), Err(LedgerError::CutShort { .. })));
    let contents = capture.contents.clone();
    assert!(matches!(capture.finish(), Err(LedgerError::CutShort { .. })));
    assert_eq!(contents.list().get("a.log"), Some(&None));
}

#[test]
fn a_log_that_is_shorter_than_its_record_or_leads_elsewhere_is_an_error() {
    let (log, ..) = captured(&no_secrets(), &[(Stream::Stdout, b"hello\n".to_vec())]);
    let directory = tempfile::tempdir().unwrap();
    let read = |log: &Log| {
        let file = LogFile::new(open(directory.path()), log);
        file.stream(Stream::Stdout)
            .and_then(|mut reader| reader.read_to_end(&mut Vec::new()))
            .map_err(|error| error.kind())
    };
    assert_eq!(read(&log), Err(std::io::ErrorKind::NotFound));
    fs::write(directory.path().join("a.log"), "hell").unwrap();
    assert_eq!(read(&log), Err(std::io::ErrorKind::UnexpectedEof));
    fs::write(directory.path().join("a.log"), "hello\n").unwrap();
    assert_eq!(read(&log), Ok(6));
    std::os::unix::fs::symlink("a.log", directory.path().join("link.log")).unwrap();
    for name in ["../a.log", "/etc/passwd", "link.log", ""] {
        assert_eq!(read(&Log { file: name.into(), ..log.clone() }), Err(std::io::ErrorKind::InvalidInput), "{name}");
    }
}

#[test]
fn a_change_of_stream_must_be_worth_more_the_longer_the_map_is() {
    let rows = [
        (0, 0),
        (4_095, 0),
        (4_096, 1_024),
        (5_120, 2_048),
        (12_288, 262_144),
        (1_000_000, 262_144),
        (usize::MAX, 262_144),
    ];
    for (segments, bytes) in rows {
        assert_eq!(quantum(segments), bytes, "{segments}");
    }
}
