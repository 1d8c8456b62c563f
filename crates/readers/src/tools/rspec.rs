//! RSpec: its failures and summary, whatever the formatter prints above them, and its JSON.
//!
//! `10 examples, 4 failures, 3 pending` below `Finished in 0.02 seconds (files took …)` is its summary; the
//! same line elsewhere was printed by a test.

mod json;
mod text;

use crate::prelude::*;
use crate::shapes::json_tests;
use crate::shapes::locate::{Frame, is_same_file};

pub(crate) static TOOL: Tool = Tool::new("rspec", &["rspec-json"], Role::Test)
    .lines(&[LineFormat::tests(
        &[
            "(files took ",
            "Failure/Error: ",
            "Failures:",
            "Pending: (Failures listed here",
            "An error occurred ",
            "Failed examples:",
        ],
        &text::TEXT,
    )])
    .documents(&[DocumentFormat::new(&["{\"version\":\""], &["\"version\":"], |stream, _| {
        json_tests::reader::<json::Rspec>(stream)
    })]);

const FRAMEWORK: &str = "rspec";

/// A stack frame of Ruby: `./spec/a_spec.rb:22:in 'block (2 levels)'`; the method may be missing.
static PLACE: Pattern = Pattern::new(r"^(?<file>.*?\.rb):(?<line>\d+)\s*(?::.*)?$");

fn place(frame: &str) -> Option<Frame> {
    PLACE.find(frame).map(|found| Frame::of(&found))
}

/// Whether a file belongs to the project.
fn is_in_project(file: &str) -> bool {
    !file.contains("/gems/") && !file.starts_with("<internal") && !file.contains("/vendor/bundle/")
}

/// Whether a file contains tests, judged by its name.
fn is_spec(file: &str) -> bool {
    file.ends_with("_spec.rb") || file.split('/').any(|part| part == "spec")
}

/// Sets the location of a failure: in the file of its example, else in a test file, else anywhere in the
/// project.
fn locate(failure: &mut TestFailure, example: Option<&str>) {
    let stack = failure.stack.clone().unwrap_or_default();
    let frames: Vec<Frame> = stack.lines().filter_map(place).filter(|place| is_in_project(&place.file)).collect();
    let in_example = frames.iter().find(|place| example.is_some_and(|file| is_same_file(&place.file, file)));
    let found = in_example.or_else(|| frames.iter().find(|place| is_spec(&place.file))).or(frames.first());
    if let Some(place) = found {
        (failure.file, failure.line) = (Some(name(&place.file)), place.line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_in_the_example_s_file_is_the_place() {
        let stack = "./lib/a.rb:7:in `/'\n./spec/support/shared.rb:3:in `x'\n/p/spec/a_spec.rb:23:in `y'";
        let mut failure = TestFailure { stack: Some(stack.to_owned()), ..TestFailure::default() };
        locate(&mut failure, Some("./spec/a_spec.rb"));
        assert_eq!((failure.file.as_deref(), failure.line), (Some("/p/spec/a_spec.rb"), Some(23)));
        locate(&mut failure, None);
        assert_eq!((failure.file.as_deref(), failure.line), (Some("./spec/support/shared.rb"), Some(3)));
    }

    #[test]
    fn frames_of_ruby_are_read() {
        let frame = Frame { file: "./spec/a.rb".to_owned(), line: Some(22), column: None };
        assert_eq!(place("./spec/a.rb:22"), Some(frame));
        assert_eq!(place("/p/a.rb:7:in 'Calc#div'").and_then(|place| place.line), Some(7));
        assert_eq!(place("no frame"), None);
    }
}
