//! Output of real tools, with one snapshot each. A fixture is one file per stream: `<name>.stdout.txt`,
//! `<name>.stderr.txt`; `version.txt` beside them names the program that printed it.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

use referee_model::reading::{Diagnostic, Excerpts, Origin, Reading, TestResults};
use referee_model::record::Stream;
use referee_readers::source::{MemorySource, Source};
use referee_readers::{Hint, read};

/// One recorded run of a tool.
#[derive(Clone, Default)]
pub(crate) struct Fixture {
    pub(crate) tool: String,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl fmt::Debug for Fixture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stdout, stderr) = (self.stdout.escape_ascii(), self.stderr.escape_ascii());
        write!(formatter, "{}\nstdout: {stdout}\nstderr: {stderr}", self.tool)
    }
}

impl Fixture {
    pub(crate) fn source(&self) -> MemorySource {
        MemorySource::new(self.stdout.clone(), self.stderr.clone())
    }
}

/// Returns all fixtures, by tool and name.
pub(crate) fn all() -> BTreeMap<String, Fixture> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut fixtures: BTreeMap<String, Fixture> = BTreeMap::new();
    for tool in std::fs::read_dir(&root).unwrap() {
        let tool = tool.unwrap().file_name().into_string().unwrap();
        for entry in std::fs::read_dir(root.join(&tool)).unwrap() {
            let path = entry.unwrap().path();
            let file = path.file_name().unwrap().to_str().unwrap();
            if file == "version.txt" {
                continue;
            }
            let (name, stream) = file.strip_suffix(".txt").unwrap().rsplit_once('.').unwrap();
            let fixture = fixtures.entry(format!("{tool}/{name}")).or_default();
            fixture.tool.clone_from(&tool);
            match stream {
                "stdout" => fixture.stdout = std::fs::read(&path).unwrap(),
                "stderr" => fixture.stderr = std::fs::read(&path).unwrap(),
                other => panic!("no stream {other}: {}", Path::display(&path)),
            }
        }
    }
    fixtures
}

pub(crate) fn hint(tool: &str) -> Hint {
    Hint { tool: Some(tool.to_owned()), role: None }
}

/// Formats a reading, one fact per line, and each origin by the bytes that it refers to.
fn shown(reading: &Reading, fixture: &Fixture) -> String {
    let mut text = String::new();
    let log = [fixture.stdout.as_slice(), &fixture.stderr].concat();
    match &reading.reader {
        Some(reader) => writeln!(text, "reader {} {} {:?}", reader.tool, reader.format, reader.because).unwrap(),
        None => writeln!(text, "no reader").unwrap(),
    }
    let counts = &reading.counts;
    writeln!(
        text,
        "errors {} warnings {} infos {} fixable {}",
        counts.errors, counts.warnings, counts.infos, counts.fixable
    )
    .unwrap();
    for (rule, counts) in &counts.by_rule {
        writeln!(text, "  {rule:?}: {} {} {}", counts.errors, counts.warnings, counts.infos).unwrap();
    }
    for diagnostic in &reading.diagnostics {
        show_diagnostic(&mut text, diagnostic, &log);
    }
    if let Some(tests) = &reading.tests {
        show_tests(&mut text, tests, &log);
    }
    writeln!(text, "leftovers {}", reading.leftovers.lines).unwrap();
    for line in &reading.leftovers.last {
        writeln!(text, "  | {line}").unwrap();
    }
    for note in &reading.notes {
        writeln!(text, "note {note}").unwrap();
    }
    text
}

fn show_diagnostic(text: &mut String, diagnostic: &Diagnostic, log: &[u8]) {
    let Diagnostic { file, line, column, end_line, end_column, code, level, message, .. } = diagnostic;
    let place = [*line, *column, *end_line, *end_column].map(|at| at.map_or("-".to_owned(), |at| at.to_string()));
    let (file, code) = (file.as_deref().unwrap_or("-"), code.as_deref().unwrap_or("-"));
    writeln!(text, "{level:?} {file} {} {code}: {message}", place.join(":")).unwrap();
    for place in &diagnostic.related {
        let file = place.file.as_deref().unwrap_or("-");
        writeln!(text, "  related {file} {:?}:{:?}: {}", place.line, place.column, place.message).unwrap();
    }
    for (what, said) in [("source", &diagnostic.source), ("suggestion", &diagnostic.suggestion)] {
        if let Some(said) = said {
            writeln!(text, "  {what} {said}").unwrap();
        }
    }
    writeln!(text, "  fixable {} from {}", diagnostic.fixable, bytes_of(&diagnostic.origin, log)).unwrap();
}

fn show_tests(text: &mut String, tests: &TestResults, log: &[u8]) {
    writeln!(text, "tests {} {:?} {:?}", tests.framework, tests.authority, tests.counts).unwrap();
    writeln!(text, "suites {:?}", tests.suites).unwrap();
    for failure in &tests.failures {
        let file = failure.file.as_deref().unwrap_or("-");
        writeln!(
            text,
            "failure {:?} suite {} at {file} {:?}:{:?}",
            failure.name, failure.suite, failure.line, failure.column
        )
        .unwrap();
        for line in failure.message.lines().take(12) {
            writeln!(text, "  {line}").unwrap();
        }
        writeln!(text, "  expected {:?} received {:?}", failure.expected, failure.received).unwrap();
        let stack = failure.stack.as_deref().unwrap_or_default();
        writeln!(text, "  stack {} lines, first {:?}", stack.lines().count(), stack.lines().next()).unwrap();
        if let Some(origin) = &failure.origin {
            writeln!(text, "  from {}", bytes_of(origin, log)).unwrap();
        }
    }
    for case in &tests.cases {
        let file = case.file.as_deref().unwrap_or("-");
        let has_time = case.duration_ms.is_some();
        writeln!(text, "case {:?} {:?} {:?} {file} timed {has_time}", case.status, case.ancestors, case.title).unwrap();
    }
}

/// Formats the beginning and end of the bytes that an origin refers to.
fn bytes_of(origin: &Origin, log: &[u8]) -> String {
    let (start, end) = (usize::try_from(origin.start).unwrap(), usize::try_from(origin.end).unwrap());
    let bytes = String::from_utf8_lossy(&log[start..end]).into_owned();
    let first: String = bytes.chars().take(24).collect();
    let last: String = bytes.chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
    format!("{} {:?} {first:?}…{last:?}", origin.rule, origin.stream)
}

#[test]
fn fixtures_are_read_as_shown() {
    for (name, fixture) in all() {
        let reading = read(&fixture.source(), &hint(&fixture.tool)).unwrap();
        insta::assert_snapshot!(name.replace('/', "-"), shown(&reading, &fixture));
    }
}

/// Without a hint, the content identifies the tool, except for bare file names and for a run of which only the
/// final error is left.
#[test]
fn content_tells_the_tool() {
    for (name, fixture) in all() {
        let hinted = read(&fixture.source(), &hint(&fixture.tool)).unwrap();
        let told = read(&fixture.source(), &Hint::default()).unwrap();
        if ["prettier/list-different", "prettier/list-different-broken", "jest/exit"].contains(&name.as_str()) {
            assert_eq!(told.reader, None);
            continue;
        }
        // The compiler prints in the same format as the build that may run it.
        if name == "msvc/build" {
            assert_eq!(told.counts, hinted.counts, "{name}");
            continue;
        }
        let tool =
            |reading: &Reading| reading.reader.as_ref().map(|reader| (reader.tool.clone(), reader.format.clone()));
        assert_eq!(tool(&told), tool(&hinted), "{name}");
        assert_eq!(told.counts, hinted.counts, "{name}");
        assert_eq!(told.tests, hinted.tests, "{name}");
    }
}

/// Color changes nothing but the byte offsets.
#[test]
fn colour_does_not_change_a_reading() {
    let fixtures = all();
    for (plain, coloured) in
        [("eslint/stylish", "eslint/stylish-coloured"), ("prettier/check", "prettier/check-coloured")]
    {
        let facts = |name: &str| {
            let fixture = &fixtures[name];
            let mut reading = read(&fixture.source(), &hint(&fixture.tool)).unwrap();
            for diagnostic in &mut reading.diagnostics {
                diagnostic.origin.start = 0;
                diagnostic.origin.end = 0;
            }
            (reading.diagnostics, reading.counts, reading.leftovers.lines)
        };
        assert_eq!(facts(plain), facts(coloured), "{plain}");
    }
}

/// In a log whose streams alternate, the reading is the same, and positions follow the log.
#[test]
fn origins_are_places_in_the_log() {
    struct Shifted(MemorySource);
    impl Source for Shifted {
        fn open(&self, stream: Stream) -> std::io::Result<Box<dyn std::io::Read + '_>> {
            self.0.open(stream)
        }
        fn locate(&self, _: Stream, offset: u64) -> u64 {
            // Ten bytes of the other stream precede every ten bytes of this one.
            offset + (offset / 10 + 1) * 10
        }
    }
    let fixture = &all()["tsc/plain"];
    let plain = read(&fixture.source(), &hint("tsc")).unwrap();
    let shifted = read(&Shifted(fixture.source()), &hint("tsc")).unwrap();
    assert_eq!(plain.counts, shifted.counts);
    for (plain, shifted) in plain.diagnostics.iter().zip(&shifted.diagnostics) {
        let (start, last) = (plain.origin.start, plain.origin.end - 1);
        assert_eq!(shifted.origin.start, start + (start / 10 + 1) * 10);
        assert_eq!(shifted.origin.end, last + (last / 10 + 1) * 10 + 1);
    }
    assert_eq!(plain.excerpts, Excerpts { ..shifted.excerpts });
}
