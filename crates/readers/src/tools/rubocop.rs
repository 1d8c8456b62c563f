//! RuboCop, and tools built on it: its text formatters (progress, clang, fuubar, TAP), emacs, simple, and JSON.
//!
//! ```text
//! lib/calc.rb:5:3: C: [Correctable] Layout/EmptyLineBetweenDefs: Expected 1 empty line; found 0.
//!   def div(a,b)
//!   ^^^^^^^
//!
//! 6 files inspected, 41 offenses detected, 31 offenses autocorrectable
//! ```
//! Conventions and refactorings are remarks on style; an offense marked `[Corrected]` is no longer a finding.

mod text;

use crate::prelude::*;
use crate::shapes::members::is_true;
use crate::shapes::record_kind::RecordKind;

pub(crate) static TOOL: Tool = Tool::new("rubocop", &["rubocop-json"], Role::Lint)
    .lines(&[LineFormat::rows(
        &[": C: ", ": W: ", ": E: ", ": F: ", ": R: ", ": I: ", "C: ", "W: ", "E: ", " inspected, "],
        &text::TEXT,
    )])
    .documents(&[DocumentFormat::json(&["{\"metadata\":{\"rubocop_version\":"], &["\"metadata\":"], &JSON)]);

/// standardrb, which prints RuboCop's offenses in its own list format.
pub(crate) static STANDARDRB: Tool = Tool::new("standardrb", &[], Role::Lint)
    .lines(&[LineFormat::rows(&["standard: Use Ruby Standard Style", ".rb:"], &STANDARDRB_TEXT)]);

/// `{"metadata":{"rubocop_version":"1.39.0",…},"files":[{"path":"a.rb","offenses":[{"severity":"convention",…}]}],…}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["files", ANY, "offenses", ANY]],
    is_own: |members| members.get("metadata").is_some_and(|metadata| metadata.get("rubocop_version").is_some()),
    record: Some(|record| if is_true(&record.value, "corrected") { RecordKind::Nothing } else { MEMBERS.told(record) }),
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "rubocop",
    file: "^path",
    line: "location/start_line|location/line",
    column: "location/start_column|location/column",
    end_line: "location/last_line",
    // The column given is that of the last character.
    end_column: "location/last_column+1",
    code: "cop_name",
    fix: "correctable",
    level: "severity",
    needs: &["cop_name", "severity"],
    complete: |made, _| {
        // With `--extra-details` and similar options the cop's name precedes the message too.
        if let Some(said) = made.code.as_deref().and_then(|code| made.message.strip_prefix(code)?.strip_prefix(": ")) {
            made.message = said.to_owned();
        }
    },
    ..Members::MESSAGE
};

/// The list, below a line that names the tool.
static STANDARDRB_TEXT: Rows = Rows::new("standardrb", "text").level(Level::Warning).rows(&[
    within(r"^standard: Use Ruby Standard Style").vouches(),
    within(r"^standard: ").known(),
    // `  lib/calc.rb:5:3: Layout/EmptyLineBetweenDefs: Expected …`.
    finding(r"^  (?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<code>(?:[A-Z]\w+/)+[A-Z]\w+): (?<message>.*)$").known(),
]);
