//! JSHint: its default format and `unix`; codes appear only with `--verbose`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("jshint", &[], Role::Lint)
    .lines(&[LineFormat::rows(&[": line "], &DEFAULT), LineFormat::rows(&[" (W", " (E0"], &UNIX)]);

static DEFAULT: Rows = Rows::new("jshint", "default").confidence(Confidence::Likely).rows(&[
    finding(r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>.*?)(?: \((?<code>[WEI]\d{3})\))?$")
        .level_of(level)
        // In the `compact` format of ESLint and others a level follows.
        .check(|_, found| {
            let word = found.text("message").split(" - ").next().unwrap_or_default().to_ascii_lowercase();
            !matches!(word.as_str(), "error" | "warning" | "info") && is_script(found)
        }),
    sum(COUNT),
]);

static UNIX: Rows = Rows::new("jshint", "unix").confidence(Confidence::Likely).rows(&[
    finding(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \((?<code>[WEI]\d{3})\)$")
        .level_of(level)
        .check(|_, found| is_script(found)),
    // Without a code another tool could have printed the line.
    finding(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*)$")
        .check(|_, found| is_script(found))
        .hinted(),
    sum(COUNT),
]);

const COUNT: &str = r"^(?<all>\d+) errors?$";

/// Returns the level, which is the first letter of the code.
fn level(found: &Groups<'_, '_>) -> Level {
    match found.text("code").bytes().next() {
        Some(b'W') => Level::Warning,
        Some(b'I') => Level::Info,
        _ => Level::Error,
    }
}

fn is_script(found: &Groups<'_, '_>) -> bool {
    let file = found.text("file");
    text::has_extension(file, &["js", "mjs", "cjs", "jsx", "es6", "json", "html", "htm", "jshintrc"]) || file == "stdin"
}
