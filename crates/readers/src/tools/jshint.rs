//! JSHint: its default format and `unix`, with codes only where it is asked for them (`--verbose`).

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("jshint", &[], Role::Lint)
    .lines(&[LineFormat::rows(&[": line "], &DEFAULT), LineFormat::rows(&[" (W", " (E0"], &UNIX)]);

static DEFAULT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("jshint", "default").confidence(Confidence::Likely).rows([
        finding(
            r"^(?<file>\S.*?): line (?<line>\d+), col (?<column>\d+), (?<message>.*?)(?: \((?<code>[WEI]\d{3})\))?$",
        )
        .level_of(level)
        // The `compact` of ESLint and others goes on with a level.
        .check(|_, found| {
            let word = found.text("message").split(" - ").next().unwrap_or_default().to_ascii_lowercase();
            !matches!(word.as_str(), "error" | "warning" | "info") && is_script(found)
        }),
        sum(COUNT),
    ])
});

static UNIX: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new("jshint", "unix").confidence(Confidence::Likely).rows([
        finding(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*?) \((?<code>[WEI]\d{3})\)$")
            .level_of(level)
            .check(|_, found| is_script(found)),
        // Without a code it could be anyone's.
        finding(r"^(?<file>[^\s:].*?):(?<line>\d+):(?<column>\d+): (?<message>.*)$")
            .check(|_, found| is_script(found))
            .hinted(),
        sum(COUNT),
    ])
});

const COUNT: &str = r"^(?<all>\d+) errors?$";

/// The code says how bad it is.
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
