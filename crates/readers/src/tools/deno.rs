//! Deno: `check`, `lint` (also `--compact` and `--json`) and `fmt --check`.

pub(crate) mod json;
pub(crate) mod lines;

use referee_model::plan::Role;

use crate::claim;
use crate::tool::{DocumentFormat, LineFormat, Tool};

/// Deno, but for its tests.
pub(crate) const TOOL: Tool = Tool {
    name: "deno",
    aliases: &["deno-lint", "deno-check", "deno-fmt"],
    role: Role::Lint,
    lines: &[LineFormat {
        wakes: &[
            " [ERROR]: ",
            "error[",
            "warning[",
            "file:///",
            "Error linting: ",
            "Error checking: ",
            "error: SyntaxError",
            "from /",
            "not formatted file",
            "error: The module's source code",
        ],
        reader: |is_hinted| Box::new(lines::Lines::new(is_hinted)),
    }],
    documents: &[DocumentFormat { opening: json::OPENING, reader: |stream, _| json::FORMAT.reader(stream, false) }],
    settle: claim::gravest,
};

/// Returns a file as a path: Deno prints some as URLs.
fn path(printed: &str) -> String {
    let path = printed.strip_prefix("file://").unwrap_or(printed);
    // Of a Windows path the slash before the drive is the URL's.
    match path.strip_prefix('/') {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => rest.replace('\\', "/"),
        _ => path.replace('\\', "/"),
    }
}

/// How the files end that Deno reads.
const EXTENSIONS: &[&str] = &["ts", "tsx", "js", "jsx", "mjs", "mts", "cjs", "cts", "json", "jsonc", "md", "ipynb"];

/// Whether Deno could read a file.
fn is_module(file: &str) -> bool {
    EXTENSIONS.contains(&file.rsplit('.').next().unwrap_or_default())
}
