//! Looks at a file that a check names.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use memchr::memmem;
use referee_model::id::{Digest, WorkspacePath};
use referee_model::limit;
use referee_model::plan::{FileCheck, FileContent, FileExpectation};
use referee_model::record::{FileFacts, FileObservation, Found};
use referee_model::time::Timestamp;
use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

/// Bytes read at once.
const READ_BYTES: usize = 256 * 1024;

/// Says why looking must end, where it must.
pub(crate) type MustEnd<'end> = &'end mut dyn FnMut() -> Option<String>;

/// Observes what a check asks for. Never fails: what cannot be looked at is an observation too.
pub(crate) fn observe(workspace: &Path, check: &FileCheck, must_end: MustEnd<'_>) -> FileFacts {
    let nothing = FileContent::default();
    let wanted = match &check.expectation {
        FileExpectation::Absent => &nothing,
        FileExpectation::Present(content) => content,
    };
    let found = look(workspace, &check.path, wanted, must_end);
    FileFacts { path: check.path.as_str().to_owned(), found: found.unwrap_or_else(|unusual| unusual) }
}

fn unreadable(error: &dyn std::fmt::Display) -> Found {
    Found::Unreadable { message: error.to_string() }
}

/// What is found; an `Err` ends the look early and is as good an observation.
fn look(workspace: &Path, path: &WorkspacePath, wanted: &FileContent, must_end: MustEnd<'_>) -> Result<Found, Found> {
    let workspace = std::fs::canonicalize(workspace).map_err(|error| unreadable(&error))?;
    let real = match std::fs::canonicalize(workspace.join(path.as_str())) {
        Ok(real) => real,
        Err(error) => return Err(unresolved(&workspace, path, &error)),
    };
    let Ok(inside) = real.strip_prefix(&workspace) else {
        return Err(Found::Outside { target: real.to_string_lossy().into_owned() });
    };
    let inside = if inside.as_os_str().is_empty() { Path::new(".") } else { inside };
    let folder = rustix::fs::open(&workspace, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
        .map_err(|error| unreadable(&io::Error::from(error)))?;
    let stat = rustix::fs::statat(&folder, inside, AtFlags::SYMLINK_NOFOLLOW).map_err(gone_or_unreadable)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Ok(Found::Folder),
        // Opening one of these may wait for ever, or do something.
        _ => return Ok(Found::Other),
    }
    let needs_content = wanted.sha256.is_some() || !wanted.contains.is_empty() || !wanted.matches.is_empty();
    if !needs_content {
        return Ok(Found::File(observation(&stat, stat_bytes(&stat))));
    }
    let file = open(&folder, inside, &stat)?;
    read(file, &stat, wanted, must_end)
}

/// What it means that a path could not be resolved.
fn unresolved(workspace: &Path, path: &WorkspacePath, error: &io::Error) -> Found {
    if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
        return unreadable(error);
    }
    // Something on the way is not there. Where would it be?
    let joined = workspace.join(path.as_str());
    let existing = joined.ancestors().skip(1).find_map(|folder| folder.canonicalize().ok());
    let target = std::fs::read_link(&joined).ok().zip(joined.parent().and_then(|parent| parent.canonicalize().ok()));
    let target = target.map(|(target, parent)| without_dots(&parent.join(target)));
    match [existing, target].into_iter().flatten().find(|place| !place.starts_with(workspace)) {
        Some(outside) => Found::Outside { target: outside.to_string_lossy().into_owned() },
        None => Found::Missing,
    }
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

fn gone_or_unreadable(error: Errno) -> Found {
    if error == Errno::NOENT { Found::Missing } else { unreadable(&io::Error::from(error)) }
}

/// Opens the file that was seen and no other: links are resolved already, so none may be met.
fn open(folder: &OwnedFd, inside: &Path, seen: &Stat) -> Result<File, Found> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let strict = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    let file = match rustix::fs::openat2(folder, inside, flags, Mode::empty(), strict) {
        // Not known to older systems, or refused by a sandbox.
        Err(Errno::NOSYS | Errno::PERM) => rustix::fs::openat(folder, inside, flags, Mode::empty()),
        other => other,
    };
    let file = file.map_err(gone_or_unreadable)?;
    let opened = rustix::fs::fstat(&file).map_err(|error| unreadable(&io::Error::from(error)))?;
    if (opened.st_dev, opened.st_ino) != (seen.st_dev, seen.st_ino) {
        return Err(unreadable(&"it was exchanged while it was looked at"));
    }
    Ok(File::from(file))
}

fn read(mut file: File, stat: &Stat, wanted: &FileContent, must_end: MustEnd<'_>) -> Result<Found, Found> {
    let patterns = wanted.matches.iter().map(|pattern| compile(pattern)).collect::<Result<Vec<Regex>, Found>>()?;
    let mut hasher = Sha256::new();
    let mut searched = Some(Vec::new());
    let mut bytes: u64 = 0;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        if let Some(reason) = must_end() {
            return Err(unreadable(&reason));
        }
        let part = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(&error)),
        };
        bytes += part.len() as u64;
        hasher.update(part);
        if bytes > limit::FILE_CONTENT_BYTES {
            searched = None;
        } else if let Some(content) = &mut searched {
            content.extend_from_slice(part);
        }
    }
    let mut observation = observation(stat, bytes);
    observation.sha256 = Some(Digest::from_bytes(hasher.finalize().into()));
    observation.contains = searched
        .as_ref()
        .map(|content| wanted.contains.iter().map(|text| memmem::find(content, text.as_bytes()).is_some()).collect());
    observation.matches =
        searched.as_ref().map(|content| patterns.iter().map(|pattern| pattern.is_match(content)).collect());
    Ok(Found::File(observation))
}

fn compile(pattern: &str) -> Result<Regex, Found> {
    RegexBuilder::new(pattern).multi_line(true).build().map_err(|error| unreadable(&error))
}

fn observation(stat: &Stat, bytes: u64) -> FileObservation {
    let nanoseconds = i64::try_from(stat.st_mtime_nsec).unwrap_or(0);
    let milliseconds = stat.st_mtime.checked_mul(1_000).map(|seconds| seconds + nanoseconds / 1_000_000);
    FileObservation {
        bytes,
        sha256: None,
        modified: milliseconds.map(Timestamp::from_millisecond),
        contains: Some(Vec::new()),
        matches: Some(Vec::new()),
    }
}

fn stat_bytes(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked at")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().canonicalize().unwrap().join("workspace");
        fs::create_dir(&workspace).unwrap();
        (folder, workspace)
    }

    fn found(workspace: &Path, path: &str, content: Option<FileContent>) -> Found {
        let expectation = content.map_or(FileExpectation::Absent, FileExpectation::Present);
        let check = FileCheck { path: WorkspacePath::parse(path).unwrap(), expectation };
        let facts = observe(workspace, &check, &mut || None);
        assert_eq!(facts.path, path);
        facts.found
    }

    #[test]
    fn what_lies_at_a_path_is_told_by_kind_and_links_out_are_not_followed() {
        let (folder, workspace) = workspace();
        let outside = folder.path().canonicalize().unwrap();
        fs::write(outside.join("secret"), "x").unwrap();
        fs::create_dir(workspace.join("dir")).unwrap();
        fs::write(workspace.join("file"), "x").unwrap();
        symlink("../secret", workspace.join("out")).unwrap();
        symlink("/nowhere/at/all", workspace.join("dangling-out")).unwrap();
        symlink("nothing", workspace.join("dangling")).unwrap();
        symlink("loop", workspace.join("loop")).unwrap();
        symlink("..", workspace.join("up")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, workspace.join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();

        let everything = FileContent { contains: vec!["x".into()], ..FileContent::default() };
        let outside_at = |path: PathBuf| Found::Outside { target: path.to_str().unwrap().to_owned() };
        for (path, expected) in [
            ("dir", Found::Folder),
            ("", Found::Folder),
            ("missing", Found::Missing),
            ("file/below", Found::Missing),
            ("dangling", Found::Missing),
            ("fifo", Found::Other),
            ("out", outside_at(outside.join("secret"))),
            ("up/secret", outside_at(outside.join("secret"))),
            ("up/gone", outside_at(outside.clone())),
            ("dangling-out", outside_at("/nowhere/at/all".into())),
        ] {
            for content in [None, Some(FileContent::default()), Some(everything.clone())] {
                assert_eq!(found(&workspace, path, content), expected, "{path}");
            }
        }
        assert!(matches!(found(&workspace, "loop", None), Found::Unreadable { .. }));
        assert!(matches!(found(&workspace.join("gone"), "file", None), Found::Unreadable { .. }));
    }

    #[test]
    fn content_is_hashed_and_searched_as_bytes_where_it_is_needed() {
        let (_folder, workspace) = workspace();
        fs::write(workspace.join("file"), b"one\nt\xffwo\n").unwrap();
        symlink("file", workspace.join("link")).unwrap();
        let Found::File(plain) = found(&workspace, "link", Some(FileContent::default())) else { panic!("a file") };
        assert_eq!((plain.bytes, plain.sha256), (9, None));
        assert!(plain.modified.is_some());

        let content = FileContent {
            contains: vec!["one".into(), "three".into(), String::new()],
            matches: vec!["^t.*o$".into(), "(?-u)^t.wo$".into(), "^wo".into()],
            ..FileContent::default()
        };
        let Found::File(read) = found(&workspace, "link", Some(content)) else { panic!("a file") };
        assert_eq!(read.contains, Some(vec![true, false, true]));
        assert_eq!(read.matches, Some(vec![false, true, false]));
        assert_eq!(read.sha256.unwrap(), Digest::from_bytes(Sha256::digest(b"one\nt\xffwo\n").into()));
    }

    #[test]
    fn a_large_file_is_hashed_and_not_searched() {
        let (_folder, workspace) = workspace();
        let file = File::create(workspace.join("large")).unwrap();
        file.set_len(limit::FILE_CONTENT_BYTES + 1).unwrap();
        let content = FileContent { contains: vec!["x".into()], ..FileContent::default() };
        let Found::File(read) = found(&workspace, "large", Some(content)) else { panic!("a file") };
        assert_eq!((read.bytes, read.contains, read.matches), (limit::FILE_CONTENT_BYTES + 1, None, None));
        assert!(read.sha256.is_some());
    }

    #[test]
    fn a_pattern_that_cannot_be_compiled_and_a_look_that_must_end_are_unreadable() {
        let (_folder, workspace) = workspace();
        fs::write(workspace.join("file"), "x").unwrap();
        let pattern = FileContent { matches: vec!["(".into()], ..FileContent::default() };
        assert!(matches!(found(&workspace, "file", Some(pattern)), Found::Unreadable { .. }));

        let contains = FileContent { contains: vec!["x".into()], ..FileContent::default() };
        let check =
            FileCheck { path: WorkspacePath::parse("file").unwrap(), expectation: FileExpectation::Present(contains) };
        let facts = observe(&workspace, &check, &mut || Some("the deadline passed".to_owned()));
        assert_eq!(facts.found, Found::Unreadable { message: "the deadline passed".to_owned() });
    }
}
