//! `go vet`: `vet/v.go:19:2: unreachable code`, preceded by `# [example.com/demo]` where a package was named.
//! With `-json`: `{"example.com/demo": {"printf": [{"posn": "/demo/v.go:14:14", "message": "…"}]}}`.

use super::go_build::lines;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("govet", &["go-vet", "vet"], Role::Lint)
    .lines(&[LineFormat::rows(&[".go:"], &lines::VET)])
    .documents(&[DocumentFormat::json(&[], &["\""], &REPORT).or_empty("{}")]);

/// Findings by package and analyzer.
static REPORT: JsonFindings =
    JsonFindings { paths: &[&[ANY, ANY, ANY]], is_any: true, is_strict: true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "govet",
    code: "@",
    fix: "suggested_fixes",
    needs: &["posn"],
    check: |made, record| {
        let mut parts = said(&record.value, "posn").unwrap_or_default().rsplitn(3, ':');
        made.column = parts.next().and_then(text::position);
        made.line = parts.next().and_then(text::position);
        made.file = parts.next().map(|file| name(&text::path(file)));
        made.line.is_some()
    },
    ..Members::MESSAGE
};
