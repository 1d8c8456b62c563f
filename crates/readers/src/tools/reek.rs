//! Reek: smells below each file, or one per line with `--single-line`, and JSON.
//!
//! ```text
//! app/a.rb -- 2 warnings:
//!   [3]:IrresponsibleModule: A has no descriptive comment [https://github.com/troessner/reek/…]
//!   app/a.rb:8: FeatureEnvy: A#b refers to 'c' more than self
//! 2 total warnings
//! ```

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("reek", &["reek-json"], Role::Lint)
    .lines(&[LineFormat::rows(&[" warnings:", " 1 warning:", " total warning"], &TEXT)])
    .documents(&[DocumentFormat::json(&["[{\"context\":\""], &["\"context\":"], &JSON).or_empty("[]")]);

static TEXT: Rows = Rows::new("reek", "text").level(Level::Warning).rows(&[
    heading(r"^(?<file>\S.*?) -- \d+ warnings?:$"),
    sum(r"^(?<all>\d+) total warnings?$").level(Level::Warning).clean(),
    finding(
        r"^  (?:(?<file>\S.*?):(?<line>\d+): |\[(?<lines>[\d, ]+)\]:)?(?<code>[A-Z]\w+): (?<message>.*?)(?: \[https?://\S+\])?$",
    )
    .known()
    .then(|made, found| {
        if let Some(lines) = found.get("lines") {
            place(made, lines.split(", ").filter_map(text::position));
        }
}),
    within(r"^Inspecting .* file\(s\):$"),
]);

/// `[{"context":"A","lines":[3],"message":"has no descriptive comment","smell_type":…,"source":"a.rb"}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

const MEMBERS: Members = Members {
    tool: "reek",
    file: "source",
    code: "smell_type",
    otherwise: Level::Warning,
    needs: &["smell_type", "context"],
    complete: |made, record| {
        made.message = format!("{} {}", said(&record.value, "context").unwrap_or_default(), made.message);
        let lines = record.value.get("lines").and_then(Value::as_array).into_iter().flatten();
        place(made, lines.filter_map(Value::as_u64).filter_map(|line| u32::try_from(line).ok()));
    },
    ..Members::MESSAGE
};

/// Sets the location of a smell: the first line, with the others as related locations.
fn place(found: &mut Diagnostic, mut lines: impl Iterator<Item = u32>) {
    found.line = lines.next().filter(|line| 0 < *line);
    let file = found.file.clone();
    let related = |line| RelatedPlace { file: file.clone(), line: Some(line), column: None, message: String::new() };
    candidate::relate(found, lines.map(related));
}
