//! Reports that a run writes for other programs, in both forms. Not part of the original schema.

use super::shape::{Map, Shape, Text};

/// Formats that a report may have.
pub const FORMATS: [&str; 11] =
    ["json", "jsonl", "junit", "sarif", "ctrf", "tap", "code-quality", "rdjsonl", "github", "markdown", "html"];

/// Reports by format; a list where one format is written several times.
pub(super) const REPORT: Shape = Shape::Either(&[BY_FORMAT, Shape::List { item: &BY_FORMAT, min: 1 }]);

/// Description of the key.
pub(super) const DOC: &str = "Reports that `referee run` writes for other programs, by format: paths in the workspace. A list of such \
     mappings where a format is written several times. `--report` adds to them.";

const BY_FORMAT: Shape =
    Shape::Map(&Map { what: "a mapping of formats to paths", key: FORMAT, value: Shape::Text(PATH), min: 1 });

const FORMAT: Text = Text {
    what: "a format: json, jsonl, junit, sarif, ctrf, tap, code-quality, rdjsonl, github, markdown or html",
    pattern: Some("^(json|jsonl|junit|sarif|ctrf|tap|code-quality|rdjsonl|github|markdown|html)$"),
};

/// A path that is a pattern for itself alone: the report is an output of the run.
const PATH: Text =
    Text { what: "a path in the workspace, such as `junit.xml`", pattern: Some(r"^[^\x00-\x1f\x7f*?{}\[\]\\]+$") };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_names_every_format() {
        let Text { what, pattern } = FORMAT;
        for format in FORMATS {
            assert!(what.contains(format) && pattern.unwrap().contains(format), "{format}");
        }
        assert_eq!(pattern.unwrap().matches('|').count(), FORMATS.len() - 1);
    }
}
