//! Text around a tool's output does not change the reading: line ends, color, overwritten progress, timestamps
//! that a CI system writes before each line, and names written by a task runner.

use referee_model::reading::Reading;
use referee_readers::source::MemorySource;
use referee_readers::{Hint, read};

use crate::fixtures::{Fixture, all, hint};

/// Returns the contents of a reading without the positions in the log.
fn facts(reading: &Reading) -> String {
    let findings = reading.diagnostics.iter().map(|found| {
        format!(
            "{:?} {:?}:{:?}:{:?} {:?} {}",
            found.level, found.file, found.line, found.column, found.code, found.message
        )
    });
    let failures = reading.tests.iter().flat_map(|tests| &tests.failures);
    let failures =
        failures.map(|failed| format!("{} {:?}:{:?} {}", failed.name, failed.file, failed.line, failed.message));
    let tests = reading.tests.as_ref().map(|tests| (tests.authority, tests.counts, tests.suites, tests.cases.len()));
    let reader = reading.reader.as_ref().map(|reader| (&reader.tool, &reader.format));
    let lines: Vec<String> = findings.chain(failures).collect();
    format!("{reader:?} {:?} {tests:?}\n{}", reading.counts, lines.join("\n"))
}

/// Returns whether a fixture is a document, which has to stay unchanged in the log.
fn is_document(fixture: &Fixture) -> bool {
    let text = [fixture.stdout.as_slice(), &fixture.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let begins = |line: &str| line.starts_with(['<', '{']) || matches!(line, "[" | "[{") || line.contains("{\"");
    text.lines().any(|line| begins(line.trim_start_matches('\u{feff}').trim_end()))
}

fn each_line(bytes: &[u8], disguise: impl Fn(&str) -> String) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let mut disguised = String::with_capacity(2 * text.len());
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').unwrap_or(line);
        disguised.push_str(&disguise(content));
        disguised.push_str(&line[content.len()..]);
    }
    disguised.into_bytes()
}

/// Compares each selected fixture, with and without a hint, with its disguised form.
fn hold(meant: impl Fn(&Fixture) -> bool, disguise: impl Fn(&str) -> String) {
    let mut differing = Vec::new();
    for (name, fixture) in all().into_iter().filter(|(_, fixture)| meant(fixture)) {
        let disguised = MemorySource::new(each_line(&fixture.stdout, &disguise), each_line(&fixture.stderr, &disguise));
        for hint in [hint(&fixture.tool), Hint::default()] {
            let plain = facts(&read(&fixture.source(), &hint).unwrap());
            let told = facts(&read(&disguised, &hint).unwrap());
            if plain != told {
                differing.push(format!("{name}, {hint:?}:\n{plain}\n--- and in disguise ---\n{told}\n"));
            }
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
}

#[test]
fn line_ends_of_windows_change_nothing() {
    hold(|_| true, |line| if line.ends_with('\r') { line.to_owned() } else { format!("{line}\r") });
}

#[test]
fn colour_around_every_line_changes_nothing() {
    hold(|fixture| !is_document(fixture), |line| format!("\u{1b}[0;33m{line}\u{1b}[0m"));
}

#[test]
fn progress_that_was_written_over_changes_nothing() {
    let progress =
        |line: &str| if line.is_empty() { String::new() } else { format!("working 12%\rworking 100%\r{line}") };
    hold(|fixture| !is_document(fixture), progress);
}

#[test]
fn times_before_every_line_change_nothing() {
    hold(|fixture| !is_document(fixture), |line| format!("2026-05-14T09:12:00.3323471Z {line}"));
}

#[test]
fn the_name_of_a_task_before_every_line_changes_nothing() {
    // Overwriting a line also removes the name.
    let is_written_over =
        |fixture: &Fixture| fixture.stdout.windows(2).any(|pair| pair[0] == b'\r' && pair[1] != b'\n');
    hold(|fixture| !is_document(fixture) && !is_written_over(fixture), |line| format!("[web] {line}"));
}
