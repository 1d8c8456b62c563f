//! Archives whose bytes depend on what is in them and on nothing else.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Bytes of a block of a tar archive.
const BLOCK: usize = 512;

/// Bytes of the longest name in the plain form of the format.
const NAME_BYTES: usize = 100;

/// Content of a file in an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) bytes: Vec<u8>,
    pub(crate) executable: bool,
}

impl Entry {
    pub(crate) fn text(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), executable: false }
    }

    pub(crate) fn program(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), executable: true }
    }
}

/// Writes a `.tar.gz` with these files below a directory, in the order of their names, all of one time and of no owner.
pub(crate) fn write(path: &Path, directory: &str, files: &BTreeMap<String, Entry>, time: u64) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (name, entry) in files {
        append(&mut bytes, &format!("{directory}/{name}"), entry, time)?;
    }
    // Two empty blocks end an archive.
    bytes.resize(bytes.len() + 2 * BLOCK, 0);
    compress(path, &bytes)
}

/// Compresses by the system's gzip, which with `-n` writes neither name nor time.
fn compress(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut gzip = Command::new("gzip");
    let mut child = gzip.arg("-9nc").stdin(Stdio::piped()).stdout(File::create(path)?).spawn()?;
    let mut input = child.stdin.take().ok_or_else(|| io::Error::other("gzip has no standard input"))?;
    input.write_all(bytes)?;
    drop(input);
    let status = child.wait()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("gzip: {status}"))) }
}

fn append(archive: &mut Vec<u8>, name: &str, entry: &Entry, time: u64) -> io::Result<()> {
    if name.len() > NAME_BYTES {
        return Err(io::Error::other(format!("{name} is too long for an archive")));
    }
    let mut header = [0_u8; BLOCK];
    put(&mut header, 0, name);
    put(&mut header, 100, if entry.executable { "0000755" } else { "0000644" });
    put(&mut header, 108, "0000000");
    put(&mut header, 116, "0000000");
    put(&mut header, 124, &format!("{:011o}", entry.bytes.len()));
    put(&mut header, 136, &format!("{time:011o}"));
    // The sum is taken with blanks in its place.
    put(&mut header, 148, "        ");
    put(&mut header, 156, "0");
    put(&mut header, 257, "ustar\0");
    put(&mut header, 263, "00");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    put(&mut header, 148, &format!("{sum:06o}\0 "));
    archive.extend_from_slice(&header);
    archive.extend_from_slice(&entry.bytes);
    archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    Ok(())
}

fn put(header: &mut [u8; BLOCK], offset: usize, text: &str) {
    header[offset..offset + text.len()].copy_from_slice(text.as_bytes());
}

/// Unpacks an archive into a directory.
pub(crate) fn unpack(archive: &Path, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    crate::process::run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(directory))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> BTreeMap<String, Entry> {
        BTreeMap::from([
            ("man/man1/referee.1".to_owned(), Entry::text("page\n")),
            ("referee".to_owned(), Entry::program(vec![7; 1000])),
            ("empty".to_owned(), Entry::text("")),
        ])
    }

    #[test]
    fn an_archive_is_read_by_tar_and_holds_what_was_put_in() {
        let directory = temporary("read");
        let path = directory.join("a.tar.gz");
        write(&path, "top", &files(), 1_700_000_000).unwrap();
        let listed = crate::process::output(Command::new("tar").env("TZ", "UTC").arg("-tvzf").arg(&path)).unwrap();
        let lines: Vec<&str> = listed.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[0].starts_with("-rw-r--r--") && lines[0].ends_with("top/empty"), "{listed}");
        assert!(lines[2].starts_with("-rwxr-xr-x") && lines[2].contains("2023-11-14"), "{listed}");
        unpack(&path, &directory).unwrap();
        assert_eq!(fs::read(directory.join("top/referee")).unwrap(), vec![7; 1000]);
        assert_eq!(fs::read(directory.join("top/man/man1/referee.1")).unwrap(), b"page\n");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn the_same_files_make_the_same_bytes_and_another_time_makes_others() {
        let directory = temporary("same");
        let bytes = |name: &str, time| {
            let path = directory.join(name);
            write(&path, "top", &files(), time).unwrap();
            fs::read(path).unwrap()
        };
        let first = bytes("one.tar.gz", 1);
        assert_eq!(first, bytes("two.tar.gz", 1));
        assert_ne!(first, bytes("three.tar.gz", 2));
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_name_that_does_not_fit_is_refused() {
        let files = BTreeMap::from([("x".repeat(100), Entry::text(""))]);
        assert!(write(Path::new("/dev/null"), "top", &files, 0).is_err());
    }

    fn temporary(name: &str) -> std::path::PathBuf {
        let directory = std::env::temp_dir().join(format!("referee-xtask-{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        directory
    }
}
