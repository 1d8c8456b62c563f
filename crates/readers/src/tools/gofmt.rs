//! gofmt, goimports and gofumpt: file names with `-l`, a diff below `diff a.go.orig a.go` with `-d`, and parse
//! errors as `a.go:3:1: expected declaration, found x`.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("gofmt", &["goimports", "gofumpt", "go-fmt"], Role::Format)
    .lines(&[LineFormat::rows(&[".go.orig "], &TEXT)]);

static TEXT: Rows = Rows::new("gofmt", "text").spans_blank_lines().rows(&[
    // Before Go 1.10 the line was `diff a.go gofmt/a.go`.
    head(r"^diff (?:-u )?(?:\S+\.go\.orig (?<file>\S+\.go)|(?<file2>\S+\.go) gofmt/\S+\.go)$")
        .rule("gofmt/list")
        .level(Level::Warning)
        .then(unformatted),
    part(r"^[-+ @\\]"),
    finding(r"^(?<file>[^ :]+\.(?i:go))$").rule("gofmt/list").level(Level::Warning).then(unformatted).hinted(),
    finding(r"^(?<file>\S+\.go):(?<line>\d+):(?<column>\d+): (?<message>\S.*)$").rule("gofmt/syntax").hinted(),
]);

fn unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "not formatted".clone_into(&mut made.message);
    made.fixable = true;
}
