//! Observes the files that a check names.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::memmem;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::plan::{Action, DataSyntax, FileCheck, FileContent, FileExpectation, FileRoot};
use referee_model::record::{
    Facts, FileFacts, FileObservation, FileState, GlobFacts, Log, Overrun, SchemaObservation, Stream, SyntaxObservation,
};
use referee_model::time::Timestamp;
use regex::bytes::{Regex, RegexBuilder};
use rustix::fs::{FileType, Stat};
use sha2::{Digest as _, Sha256};

use crate::capture::{Sink, SinkError};

use self::data::Format;
use self::flaw::Flaw;
use self::root::{Root, Seen, Unusual, unreadable};
use self::schema::Schema;

pub(crate) mod data;

pub(crate) mod flaw;

mod pattern;

pub(crate) mod root;

pub(crate) mod schema;

mod yaml;

/// Size of a single read, in bytes.
const READ_BYTES: usize = 256 * 1024;

/// Callback that returns why observing must end, if it must.
pub(crate) type MustEnd<'end> = &'end mut dyn FnMut() -> Option<String>;

/// Makes the observations of a check. Fails only where content cannot be stored: a file that cannot be examined is
/// an observation, too.
pub(crate) fn observe(
    workspace: &Path,
    action: &Action,
    attempt: u32,
    check: &FileCheck,
    sink: &dyn Sink,
    must_end: MustEnd<'_>,
) -> Result<Facts, SinkError> {
    let directory = match &check.root {
        FileRoot::Workspace => workspace,
        FileRoot::Listed(directory) => directory,
    };
    let keeps = action.evidence.file_contents && !check.glob;
    let look = Look::new(workspace, directory, &check.expectation, keeps);
    if check.glob {
        return Ok(Facts::Glob(look.at_all(check.path.as_str(), must_end)));
    }
    let (mut found, content) = look.at(Path::new(check.path.as_str()), must_end);
    if let (FileState::File(observation), Some(content)) = (&mut found, content) {
        observation.content = Some(keep(sink, action, attempt, &content)?);
    }
    Ok(Facts::File(FileFacts { path: check.path.as_str().to_owned(), found }))
}

/// Adds to the facts that a deadline ended the observation, so that whatever was not seen until then is unknown.
pub(crate) fn overran(facts: Facts, overrun: Overrun) -> Facts {
    match facts {
        Facts::File(facts) => Facts::File(FileFacts { found: FileState::DeadlineExceeded(overrun), ..facts }),
        Facts::Glob(facts) => Facts::Glob(GlobFacts { overrun: Some(overrun), ..facts }),
        other => other,
    }
}

/// Stores a content as evidence.
fn keep(sink: &dyn Sink, action: &Action, attempt: u32, content: &[u8]) -> Result<Log, SinkError> {
    let mut capture = sink.begin(action, attempt)?;
    for part in content.chunks(READ_BYTES) {
        capture.append(Stream::Stdout, part)?;
    }
    capture.finish()
}

/// Checks to make on each file.
struct Look<'check> {
    root: Result<Root, Unusual>,
    wanted: Option<&'check FileContent>,
    patterns: Result<Vec<Regex>, Unusual>,
    schema: Option<Result<Schema, String>>,
    /// Whether the content is stored.
    keeps: bool,
}

impl<'check> Look<'check> {
    fn new(workspace: &Path, directory: &Path, expectation: &'check FileExpectation, keeps: bool) -> Self {
        let wanted = match expectation {
            FileExpectation::Absent => None,
            FileExpectation::Present(content) => Some(content),
        };
        let patterns = wanted.iter().flat_map(|content| &content.matches).map(|pattern| compile(pattern)).collect();
        let source = wanted.and_then(|content| content.schema.as_ref());
        let schema = source.map(|source| Schema::load(workspace, source));
        Self { root: Root::open(directory), wanted, patterns, schema, keeps }
    }

    /// Observes every file that a pattern matches.
    fn at_all(&self, pattern: &str, must_end: MustEnd<'_>) -> GlobFacts {
        let mut facts = GlobFacts {
            pattern: pattern.to_owned(),
            files: Vec::new(),
            truncated: false,
            failure: None,
            overrun: None,
        };
        let root = match &self.root {
            Ok(root) => root,
            Err(found) => {
                facts.failure = Some(format!("the directory that it starts from {}", root::phrase(found)));
                return facts;
            }
        };
        let named = pattern::find(root, pattern, must_end);
        (facts.truncated, facts.failure) = (named.truncated, named.failure);
        for path in named.paths {
            let (found, _) = self.at(&path, must_end);
            facts.files.push(FileFacts { path: path.to_string_lossy().into_owned(), found });
        }
        facts
    }

    /// Observes what is at a path, and returns the content where it is to be stored.
    fn at(&self, path: &Path, must_end: MustEnd<'_>) -> (FileState, Option<Vec<u8>>) {
        let root = match &self.root {
            Ok(root) => root,
            Err(found) => return (FileState::clone(found), None),
        };
        self.found(root, path, must_end).unwrap_or_else(|unusual| (*unusual, None))
    }

    /// Returns the observation. `Err`: also an observation, which ends the examination early.
    fn found(&self, root: &Root, path: &Path, must_end: MustEnd<'_>) -> Result<(FileState, Option<Vec<u8>>), Unusual> {
        let seen = root.look(path)?;
        match FileType::from_raw_mode(seen.stat.st_mode) {
            FileType::RegularFile => {}
            FileType::Directory => return Err(Box::new(FileState::Directory)),
            _ => return Err(Box::new(FileState::Other)),
        }
        if !self.needs_content() {
            return Ok((FileState::File(observation(&seen.stat, stat_bytes(&seen.stat))), None));
        }
        let file = root.open_file(&seen)?;
        self.read(file, path, &seen, must_end)
    }

    fn needs_content(&self) -> bool {
        let wants = |wanted: &FileContent| {
            wanted.sha256.is_some()
                || !wanted.contains.is_empty()
                || !wanted.matches.is_empty()
                || wanted.syntax.is_some()
                || wanted.schema.is_some()
        };
        self.keeps || self.wanted.is_some_and(wants)
    }

    fn read(
        &self,
        file: File,
        path: &Path,
        seen: &Seen,
        must_end: MustEnd<'_>,
    ) -> Result<(FileState, Option<Vec<u8>>), Unusual> {
        let patterns = self.patterns.as_ref().map_err(Clone::clone)?;
        let (bytes, digest, content) = take(file, must_end)?;
        let mut observation = observation(&seen.stat, bytes);
        observation.sha256 = Some(digest);
        if let Some(wanted) = self.wanted {
            let content = content.as_deref();
            observation.contains = content.map(|content| contains(content, &wanted.contains));
            observation.matches = content.map(|content| patterns.iter().map(|each| each.is_match(content)).collect());
            observation.syntax = wanted.syntax.map(|syntax| well_formed(content, syntax, must_end)).transpose()?;
            let format = Format::of(wanted.syntax, path);
            let schema = self.schema.as_ref();
            observation.schema = schema.map(|schema| held(schema, content, format, must_end)).transpose()?;
        }
        Ok((FileState::File(observation), content.filter(|_| self.keeps)))
    }
}

/// Reads a whole file: its size, its hash, and its content where that is small enough to be searched.
fn take(mut file: File, must_end: MustEnd<'_>) -> Result<(u64, Digest, Option<Vec<u8>>), Unusual> {
    let mut hasher = Sha256::new();
    let mut content = Some(Vec::new());
    let mut bytes: u64 = 0;
    let mut buffer = vec![0; READ_BYTES];
    loop {
        if let Some(reason) = must_end() {
            return Err(unreadable(&reason));
        }
        let part = match file.read(&mut buffer) {
            Ok(0) => return Ok((bytes, Digest::from_bytes(hasher.finalize().into()), content)),
            Ok(read) => &buffer[..read],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(unreadable(&error)),
        };
        bytes += part.len() as u64;
        hasher.update(part);
        if bytes > limit::FILE_CONTENT_BYTES {
            content = None;
        } else if let Some(content) = &mut content {
            content.extend_from_slice(part);
        }
    }
}

fn contains(content: &[u8], texts: &[String]) -> Vec<bool> {
    texts.iter().map(|text| memmem::find(content, text.as_bytes()).is_some()).collect()
}

fn well_formed(
    content: Option<&[u8]>,
    syntax: DataSyntax,
    must_end: MustEnd<'_>,
) -> Result<SyntaxObservation, Unusual> {
    match content {
        None => Ok(SyntaxObservation::TooLarge),
        Some(content) => data::syntax(content, syntax, must_end).map_err(|reason| unreadable(&reason)),
    }
}

fn held(
    schema: &Result<Schema, String>,
    content: Option<&[u8]>,
    format: Format,
    must_end: MustEnd<'_>,
) -> Result<SchemaObservation, Unusual> {
    let (schema, content) = match (schema, content) {
        (Err(message), _) => return Ok(SchemaObservation::Unusable { message: message.clone() }),
        (Ok(_), None) => return Ok(SchemaObservation::TooLarge),
        (Ok(schema), Some(content)) => (schema, content),
    };
    match data::values(content, format, must_end) {
        Ok(documents) => Ok(schema.hold(&documents)),
        Err(Flaw::Malformed(message)) => Ok(SchemaObservation::Malformed { message }),
        Err(Flaw::TooLarge) => Ok(SchemaObservation::TooLarge),
        Err(Flaw::Ended(reason)) => Err(unreadable(&reason)),
    }
}

fn compile(pattern: &str) -> Result<Regex, Unusual> {
    RegexBuilder::new(pattern).multi_line(true).crlf(true).build().map_err(|error| unreadable(&error))
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
        syntax: None,
        schema: None,
        content: None,
    }
}

fn stat_bytes(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked at")]
mod tests {
    use std::cell::Cell;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use referee_model::id::{ActionId, WorkspacePath};
    use referee_model::plan::{CaptureName, EvidenceCapture, Phase, SchemaSource, Work};
    use referee_model::record::StreamMap;
    use rustix::fs::Mode;

    use crate::capture::Capture;

    use super::*;

    /// Stores the content in the name of the log, where a test can read it.
    struct Memory;

    struct Kept(Vec<u8>);

    impl Sink for Memory {
        fn begin(&self, _: &Action, attempt: u32) -> Result<Box<dyn Capture>, SinkError> {
            if attempt == 1 { Ok(Box::new(Kept(Vec::new()))) } else { Err(SinkError::new("the disk is full")) }
        }

        fn begin_container(&self, _: &Action, _: u32) -> Result<Box<dyn Capture>, SinkError> {
            Err(SinkError::new("a file runs no container"))
        }

        fn picture(&self, _: &Action, _: u32, _: usize, _: &[u8]) -> Result<Log, SinkError> {
            Err(SinkError::new("there are no pictures"))
        }

        fn learn(&self, _: &CaptureName, _: &str) -> Result<(), SinkError> {
            Err(SinkError::new("a file holds nothing to be learned"))
        }
    }

    impl Capture for Kept {
        fn append(&mut self, stream: Stream, bytes: &[u8]) -> Result<(), SinkError> {
            assert_eq!(stream, Stream::Stdout);
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        fn finish(self: Box<Self>) -> Result<Log, SinkError> {
            Ok(Log::of(String::from_utf8(self.0).unwrap(), 0, Digest::from_bytes([0; 32]), StreamMap::default()))
        }
    }

    fn action(check: &FileCheck, file_contents: bool) -> Action {
        Action {
            timeout_ms: 1_000,
            grace_ms: 0,
            evidence: EvidenceCapture { file_contents, ..EvidenceCapture::default() },
            ..Action::of(ActionId::parse("STEP.1").unwrap(), Phase::Step, "look", Work::File(check.clone()))
        }
    }

    fn check(path: &str, content: Option<FileContent>) -> FileCheck {
        FileCheck {
            root: FileRoot::Workspace,
            path: WorkspacePath::parse(path).unwrap(),
            glob: false,
            expectation: content.map_or(FileExpectation::Absent, FileExpectation::Present),
        }
    }

    fn seen(workspace: &Path, check: &FileCheck) -> Facts {
        observe(workspace, &action(check, false), 1, check, &Memory, &mut || None).unwrap()
    }

    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let workspace = directory.path().canonicalize().unwrap().join("workspace");
        fs::create_dir(&workspace).unwrap();
        (directory, workspace)
    }

    fn found(workspace: &Path, path: &str, content: Option<FileContent>) -> FileState {
        let Facts::File(facts) = seen(workspace, &check(path, content)) else { panic!("the facts of a file") };
        assert_eq!(facts.path, path);
        facts.found
    }

    #[test]
    fn what_lies_at_a_path_is_told_by_kind_and_links_out_are_not_followed() {
        let (directory, workspace) = workspace();
        let outside = directory.path().canonicalize().unwrap();
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
        let outside_at = |path: PathBuf| FileState::Outside { target: path.to_str().unwrap().to_owned() };
        for (path, expected) in [
            ("dir", FileState::Directory),
            ("", FileState::Directory),
            ("missing", FileState::Missing),
            ("file/below", FileState::Missing),
            ("dangling", FileState::Missing),
            ("fifo", FileState::Other),
            ("out", outside_at(outside.join("secret"))),
            ("up/secret", outside_at(outside.join("secret"))),
            ("up/gone", outside_at(outside.clone())),
            ("dangling-out", outside_at("/nowhere/at/all".into())),
        ] {
            for content in [None, Some(FileContent::default()), Some(everything.clone())] {
                assert_eq!(found(&workspace, path, content), expected, "{path}");
            }
        }
        assert!(matches!(found(&workspace, "loop", None), FileState::Unreadable { .. }));
        assert!(matches!(found(&workspace.join("gone"), "file", None), FileState::Unreadable { .. }));
    }

    #[test]
    fn content_is_hashed_and_searched_as_bytes_where_it_is_needed() {
        let (_directory, workspace) = workspace();
        fs::write(workspace.join("file"), b"one\nt\xffwo\n").unwrap();
        symlink("file", workspace.join("link")).unwrap();
        let FileState::File(plain) = found(&workspace, "link", Some(FileContent::default())) else { panic!("a file") };
        assert_eq!((plain.bytes, plain.sha256), (9, None));
        assert!(plain.modified.is_some());

        let content = FileContent {
            contains: vec!["one".into(), "three".into(), String::new()],
            matches: vec!["^t.*o$".into(), "(?-u)^t.wo$".into(), "^wo".into()],
            ..FileContent::default()
        };
        let FileState::File(read) = found(&workspace, "link", Some(content)) else { panic!("a file") };
        assert_eq!(read.contains, Some(vec![true, false, true]));
        assert_eq!(read.matches, Some(vec![false, true, false]));
        assert_eq!(read.sha256.unwrap(), Digest::of(b"one\nt\xffwo\n"));
    }

    #[test]
    fn a_large_file_is_hashed_and_not_searched() {
        let (_directory, workspace) = workspace();
        let file = File::create(workspace.join("large")).unwrap();
        file.set_len(limit::FILE_CONTENT_BYTES + 1).unwrap();
        let content = FileContent { contains: vec!["x".into()], ..FileContent::default() };
        let FileState::File(read) = found(&workspace, "large", Some(content)) else { panic!("a file") };
        assert_eq!((read.bytes, read.contains, read.matches), (limit::FILE_CONTENT_BYTES + 1, None, None));
        assert!(read.sha256.is_some());
    }

    #[test]
    fn a_pattern_that_cannot_be_compiled_and_a_look_that_must_end_are_unreadable() {
        let (_directory, workspace) = workspace();
        fs::write(workspace.join("file"), "x").unwrap();
        let pattern = FileContent { matches: vec!["(".into()], ..FileContent::default() };
        assert!(matches!(found(&workspace, "file", Some(pattern)), FileState::Unreadable { .. }));

        let contains = FileContent { contains: vec!["x".into()], ..FileContent::default() };
        let check = check("file", Some(contains));
        let facts = observe(&workspace, &action(&check, false), 1, &check, &Memory, &mut || {
            Some("the deadline passed".to_owned())
        });
        let Facts::File(facts) = facts.unwrap() else { panic!("the facts of a file") };
        assert_eq!(facts.found, FileState::Unreadable { message: "the deadline passed".to_owned() });
    }

    fn with_schema(schema: SchemaSource) -> FileContent {
        FileContent { schema: Some(schema), ..FileContent::default() }
    }

    fn schema_of(workspace: &Path, path: &str, content: FileContent) -> SchemaObservation {
        match found(workspace, path, Some(content)) {
            FileState::File(observation) => observation.schema.unwrap(),
            other => panic!("a file: {other:?}"),
        }
    }

    #[test]
    fn data_is_held_against_a_schema_from_the_specification_or_a_file() {
        let (directory, workspace) = workspace();
        fs::write(workspace.join("good.json"), r#"{"port": 1}"#).unwrap();
        fs::write(workspace.join("good.yaml"), "port: 1\n---\nport: 2\n").unwrap();
        fs::write(workspace.join("bad.yml"), "port: 1\n---\nport: x\n").unwrap();
        fs::write(workspace.join("half.json"), "{\"port\": 1").unwrap();
        fs::write(workspace.join("rc"), "port: one\n").unwrap();
        let schema = r#"{"type": "object", "required": ["port"], "properties": {"port": {"type": "integer"}}}"#;
        fs::write(workspace.join("schema.json"), schema).unwrap();
        fs::write(workspace.join("schema.yaml"), "type: object\nproperties: {port: {type: integer}}\n").unwrap();
        fs::write(directory.path().join("outside.json"), schema).unwrap();
        symlink("../outside.json", workspace.join("linked.json")).unwrap();

        let inline = || with_schema(SchemaSource::Inline(schema.to_owned()));
        let file = |name: &str| with_schema(SchemaSource::File(WorkspacePath::parse(name).unwrap()));
        assert_eq!(schema_of(&workspace, "good.json", inline()), SchemaObservation::Valid);
        assert_eq!(schema_of(&workspace, "good.yaml", file("schema.json")), SchemaObservation::Valid);
        for (path, schema) in [("bad.yml", inline()), ("rc", file("schema.yaml"))] {
            let observed = schema_of(&workspace, path, schema);
            let SchemaObservation::Invalid { errors, error_count: 1 } = &observed else {
                panic!("{path}: {observed:?}")
            };
            assert!(errors[0].contains("/port"), "{errors:?}");
            assert_eq!(errors[0].starts_with("document 2: "), path == "bad.yml", "{errors:?}");
        }
        let malformed = schema_of(&workspace, "half.json", inline());
        assert!(
            matches!(&malformed, SchemaObservation::Malformed { message } if message.starts_with("line 1, column "))
        );
        for (schema, start) in [
            ("gone.json", "gone.json does not exist"),
            ("half.json", "half.json is not well-formed: line 1, column "),
            ("linked.json", "linked.json leads outside the workspace, to /"),
            ("good.yaml", "good.yaml must be one document"),
        ] {
            let observed = schema_of(&workspace, "good.json", file(schema));
            let SchemaObservation::Unusable { message } = &observed else { panic!("{schema}: {observed:?}") };
            assert!(message.starts_with(start), "{message}");
        }
        let none = with_schema(SchemaSource::Inline(r#"{"type": "integr"}"#.to_owned()));
        assert!(matches!(schema_of(&workspace, "good.json", none), SchemaObservation::Unusable { .. }));
    }

    #[test]
    fn every_file_that_a_pattern_names_is_looked_at() {
        let (_directory, workspace) = workspace();
        for (name, text) in [("b.json", "{"), ("a.json", "{}"), ("c.txt", "")] {
            fs::write(workspace.join(name), text).unwrap();
        }
        let content = FileContent { syntax: Some(DataSyntax::Json), ..FileContent::default() };
        let pattern = FileCheck { glob: true, ..check("*.json", Some(content)) };
        let Facts::Glob(facts) = seen(&workspace, &pattern) else { panic!("the facts of a pattern") };
        let syntax = |facts: &FileFacts| match &facts.found {
            FileState::File(observation) => {
                (facts.path.clone(), observation.syntax == Some(SyntaxObservation::WellFormed))
            }
            other => panic!("a file: {other:?}"),
        };
        let observed: Vec<(String, bool)> = facts.files.iter().map(syntax).collect();
        assert_eq!(observed, [("a.json".to_owned(), true), ("b.json".to_owned(), false)]);
        assert_eq!((facts.pattern.as_str(), facts.truncated, facts.failure), ("*.json", false, None));

        let nowhere = FileCheck { root: FileRoot::Listed(workspace.join("gone")), ..pattern };
        let Facts::Glob(facts) = seen(&workspace, &nowhere) else { panic!("the facts of a pattern") };
        assert!(facts.failure.unwrap().starts_with("the directory that it starts from cannot be read: "));
    }

    #[test]
    fn a_listed_directory_is_a_root_of_its_own() {
        let (directory, workspace) = workspace();
        fs::create_dir(directory.path().join("listed")).unwrap();
        fs::write(directory.path().join("listed/file"), "x").unwrap();
        symlink("../workspace", directory.path().join("listed/out")).unwrap();
        let listed = |path: &str| FileCheck {
            root: FileRoot::Listed(directory.path().join("listed")),
            ..check(path, Some(FileContent::default()))
        };
        let found = |path: &str| match seen(&workspace, &listed(path)) {
            Facts::File(facts) => facts.found,
            other => panic!("the facts of a file: {other:?}"),
        };
        assert!(matches!(found("file"), FileState::File(_)));
        assert!(matches!(found("out"), FileState::Outside { .. }));
    }

    #[test]
    fn content_is_kept_where_that_is_asked_for_and_what_cannot_be_kept_is_an_error() {
        let (_directory, workspace) = workspace();
        fs::write(workspace.join("file"), "content").unwrap();
        let check = check("file", Some(FileContent::default()));
        let kept = |file_contents, attempt| {
            observe(&workspace, &action(&check, file_contents), attempt, &check, &Memory, &mut || None)
        };
        let log = |facts: Facts| match facts {
            Facts::File(FileFacts { found: FileState::File(observation), .. }) => {
                observation.content.map(|log| log.file)
            }
            other => panic!("a file: {other:?}"),
        };
        assert_eq!(log(kept(true, 1).unwrap()).as_deref(), Some("content"));
        assert_eq!(log(kept(false, 1).unwrap()), None);
        assert!(kept(true, 2).is_err());
        let asked = Cell::new(0);
        let glob = FileCheck { glob: true, ..check.clone() };
        let facts = observe(&workspace, &action(&glob, true), 1, &glob, &Memory, &mut || {
            asked.set(asked.get() + 1);
            None
        });
        assert!(matches!(facts.unwrap(), Facts::Glob(_)) && asked.get() > 0);
    }
}
