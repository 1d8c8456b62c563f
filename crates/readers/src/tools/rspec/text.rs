//! RSpec's text report: pending examples, failures, a summary, and the list of failed examples.

use crate::prelude::*;
use crate::test_rows::{Progress, TestRows, failed, heading, part, sum, within};
use crate::tools::rspec::{FRAMEWORK, locate, place};

/// Lines of a stack may stand within a message.
const RUBY: Language = Language {
    takes_frame: |failing, text| {
        let frame = text.trim_start().strip_prefix("# ");
        let frame = frame.filter(|frame| place(frame).is_some() || frame.contains(":in `") || frame.contains(":in '"));
        match frame {
            Some(frame) => failing.trace(frame),
            None => failing.append(text),
        }
        true
    },
    complete,
    ..*Language::PLAIN
};

/// `rspec ./spec/calc_spec.rb:22 # Calc raises`, in the list of failed examples; an id in brackets may replace the
/// line.
const EXAMPLE: &str = r"^rspec '?(?<file>[^:\[]+?)(?::(?<line>\d+)|\[[\d:,]+\])'? # (?<name>.*)$";

/// `An error occurred while loading ./spec/a_spec.rb.`, with the part in which the error occurred instead of a file.
pub(super) const OUTSIDE: &str =
    r"^An error occurred (?:while loading (?<broken>\S.*?)\.*(?: - Did you mean.*)?|in an? *(?<broken2>.*?)\.*)$";

pub(super) static TEXT: TestRows = TestRows::new(FRAMEWORK, "text").details(&RUBY, 5).spans_blank_lines().rows(&[
    heading(r"^Failures:$").enters("failures"),
    heading(r"^Failed examples:$").enters("examples"),
    heading(r"^Pending:(?: \(Failures listed here.*)?$").enters("pending"),
    heading(r"^Finished in .*\(files took .*$").names_tool().enters("finished"),
    heading(r"^Finished in .* second.*$").enters("finished"),
    // `10 examples, 4 failures, 3 pending, 1 error occurred outside of examples`.
    sum(
        r"^(?<total>\d+) examples?, (?<failed>\d+) failures?(?:, (?<pending>\d+) pending)?(?:, (?<outside>\d+) errors? occurred outside of examples)?$",
    )
    .inside("finished")
    .enters(""),
    failed(OUTSIDE).enters("outside"),
    failed(r"^ {1,4}\d+\) (?<name>\S.*)$").inside("failures"),
    within(r"^(?: {1,4}\d+\) \S|     )").inside("pending"),
    part(r"^ {5}(?<message>Expected pending .*)$").then(|at, _| {
        // The heading says ` FIXED` behind the name.
        let Some(open) = &mut at.runs.open else { return };
        open.failure.name = name(open.failure.name.trim_end_matches(" FIXED"));
        let test = open.failure.name.clone();
        at.remember(&test);
    }),
    part(r"^ {5}(?<message> *Failure/Error: .*)$").names_tool(),
    part(r"^ *# (?<frame>.*\.rb:\d+.*)$").inside("outside").then(|at, found| {
        at.runs.open.iter_mut().for_each(|open| open.trace(found.text("frame")));
    }),
    part(r"^(?<message>.*)$").inside("outside"),
    failed(EXAMPLE).inside("examples").known().once().then(relocate),
    within(r"^(?:Randomized with seed |No examples found\.$)").known(),
]);

/// Sets the location of a failure to that in the list of failed examples, unless its stack has one in the same file.
fn relocate(at: &mut Progress, found: &Groups<'_, '_>) {
    let (file, name) = (found.text("file"), name(found.text("name")));
    if let Some(failure) = at.runs.failures_mut().rev().find(|failure| failure.name == name) {
        locate(failure, Some(file));
        if failure.file.is_none() {
            (failure.file, failure.line) = (Some(file.to_owned()), found.position("line"));
        }
    }
}

/// Fills in the location, and the details that the message contains.
fn complete(failing: &mut Failing) {
    let failure = &mut failing.failure;
    failure.message = text::trimmed(&failure.message);
    let after = |key: &str| {
        let line = failure.message.lines().find_map(|line| line.trim_start().strip_prefix(key))?;
        Some(name(line.trim()))
    };
    (failure.expected, failure.received) = (after("expected: "), after("got: "));
    let file = Some(&failure.name).filter(|name| failure.suite && text::has_extension(name, &["rb"])).cloned();
    let (listed, at) = (failure.file.take(), failure.line.take());
    locate(failure, file.as_deref());
    failure.file = file.or(failure.file.take()).or(listed);
    failure.line = failure.line.or(at);
}
