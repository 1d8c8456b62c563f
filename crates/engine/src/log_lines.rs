//! Line numbers of a log for people, computed from the byte offsets of readings.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

use memchr::memchr_iter;
use referee_model::reading::{Origin, Reading};

/// Bytes read at a time.
const BUFFER_BYTES: usize = 64 * 1024;

/// Adds to a reading the log lines of its findings. The log is read only up to the last one, and not at all if
/// there are none.
///
/// # Errors
/// Fails if the log cannot be read.
pub(crate) fn number<Log: Read>(reading: &mut Reading, open: impl FnOnce() -> io::Result<Log>) -> io::Result<()> {
    let of_tests = reading.tests.iter().flat_map(|tests| &tests.failures);
    let origins = reading.diagnostics.iter().map(|found| &found.origin);
    let offsets: BTreeSet<u64> =
        origins.chain(of_tests.filter_map(|failure| failure.origin.as_ref())).flat_map(ends).collect();
    if !offsets.is_empty() {
        reading.log_lines = lines(open()?, &offsets)?;
    }
    Ok(())
}

/// Returns the offsets of the first and the last byte.
fn ends(origin: &Origin) -> impl Iterator<Item = u64> {
    let last = origin.end.checked_sub(1).filter(|last| origin.start <= *last);
    last.into_iter().flat_map(|last| [origin.start, last])
}

/// Returns the 1-based line of each byte offset. Offsets beyond the end have none.
fn lines(mut log: impl Read, offsets: &BTreeSet<u64>) -> io::Result<BTreeMap<u64, u32>> {
    let mut found = BTreeMap::new();
    let mut wanted = offsets.iter().copied().peekable();
    let (mut line, mut read) = (1_u32, 0_u64);
    let mut buffer = vec![0; BUFFER_BYTES];
    while wanted.peek().is_some() {
        let length = match log.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let piece = &buffer[..length];
        // A line includes its line break.
        for end in memchr_iter(b'\n', piece).chain([length]) {
            let beyond = read + end as u64 + u64::from(end < length);
            while let Some(offset) = wanted.next_if(|offset| *offset < beyond) {
                found.insert(offset, line);
            }
            line = line.saturating_add(u32::from(end < length));
        }
        read += length as u64;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_end_of_a_line_belongs_to_it_and_nothing_lies_beyond_the_end() {
        let found = lines(&b"a\n\nbc"[..], &(0..8).collect()).unwrap();
        let expected = [(0, 1), (1, 1), (2, 2), (3, 3), (4, 3)];
        assert_eq!(found, BTreeMap::from(expected));
    }

    #[test]
    fn a_log_in_which_nothing_was_found_is_not_opened() {
        let mut reading = Reading::default();
        number(&mut reading, || -> io::Result<&[u8]> { panic!("opened") }).unwrap();
        assert!(reading.log_lines.is_empty());
    }

    proptest! {
        #[test]
        fn lines_are_those_that_an_editor_shows(text in "[a\n]{0,40}", offsets in prop::collection::btree_set(0_u64..50, 0..9)) {
            let found = lines(text.as_bytes(), &offsets).unwrap();
            for offset in offsets {
                let at = usize::try_from(offset).unwrap();
                let line = text.get(..at).filter(|_| at < text.len()).map(|before| before.matches('\n').count() + 1);
                prop_assert_eq!(found.get(&offset).map(|line| *line as usize), line);
            }
        }
    }
}
