//! Deno: `check`, `lint` (also `--compact` and `--json`) and `fmt --check`.
//!
//! | command       | format of a finding                                                                           |
//! |---------------|-----------------------------------------------------------------------------------------------|
//! | `check`       | `TS2322 [ERROR]: message`, the code, and `    at file:///project/a.ts:2:7`                     |
//! | `lint`        | `error[no-var]: message`, below it ` --> /project/a.ts:3:1` and the code                       |
//! | old `lint`    | `(no-var) message`, the code, and `    at /project/a.ts:3:1`                                   |
//! | `--compact`   | `file:///project/a.ts: line 3, col 1 - message (no-var)`                                       |
//! | `fmt --check` | `from /project/a.ts:` and the differences                                                      |
//! | all           | `Error linting: /project/a.ts` and, indented, the syntax error                                 |

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("deno", &["deno-lint", "deno-check", "deno-fmt"], Role::Lint)
    .lines(&[LineFormat::rows(
        &[
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
        &TEXT,
    )])
    .documents(&[DocumentFormat::new(
        &["{\"version\":1,\"diagnostics\":["],
        &["\"version\": 1", "\"diagnostics\": ["],
        |stream, _| JSON.reader(stream, false),
    )]);

/// A location in the format of `check` and of old versions of `lint`.
const AT: &str = r"^ +at (?<file>(?:file://|asset://|https?://|/|[A-Za-z]:\\)\S.*?):(?<line>\d+):(?<column>\d+)$";

fn complete(found: &mut Diagnostic) -> bool {
    let files = found.related.iter_mut().map(|place| &mut place.file).chain([&mut found.file]);
    files.flatten().for_each(|file| *file = path(file));
    true
}

static TEXT: Rows = Rows::new("deno", "text").spans_blank_lines().complete(complete).rows(&[
    // In old versions preceded by `error: `.
    lead(r"^(?:error: )?(?<code>TS\d+) \[(?<level>ERROR|WARN|WARNING|INFO|SUGGESTION)\]: (?<message>.*)$")
        .rule("deno/check")
        .enters("check"),
    lead(r"^(?<level>error|warning)\[(?<code>[a-z][a-z0-9/_-]+)\]: (?<message>\S.*)$")
        .rule("deno/lint")
        .enters("lint"),
    lead(r"^\((?<code>[a-z][a-z0-9/-]+)\) (?<message>\S.*)$").rule("deno/lint").enters("lint").hinted(),
    finding(
        r"^(?<file>file://\S.*?): line (?<line>\d+), col (?<column>\d+) - (?<message>.*) \((?<code>[a-z][a-z0-9/-]+)\)$",
    )
    .rule("deno/compact"),
    lead(r"^Error (?:linting|checking|formatting): (?<file>\S.*)$").rule("deno/syntax").enters("broken"),
    finding(
        r"^error: (?:SyntaxError: |The module's source code could not be parsed: )(?<message>.*?) at (?<file>file://\S+?):(?<line>\d+):(?<column>\d+)$",
    )
    .rule("deno/syntax"),
    lead(r"^error: (?:SyntaxError: |The module's source code could not be parsed: )(?<message>.*)$")
        .rule("deno/syntax")
        .enters("broken"),
    lead(r"^from (?<file>(?:/|file://|[A-Za-z]:\\)\S.*):$")
        .rule("deno/fmt")
        .check(is_module)
        .then(unformatted)
        .enters("format"),
    lead(r"^from (?<file>(?:/|file://|[A-Za-z]:\\)\S.*):$")
        .rule("deno/fmt")
        .then(unformatted)
        .enters("format")
        .hinted(),
    within(r"^(?:error: )?Type checking failed\.$").known(),
    known("^Checked .* files?$").hinted(),
    within("^Checked .* files?$").known(),
    sum(r"^(?:error: )?Found (?<all>\d+) (?:errors?|problems?)(?: in \d+ files?)?\.?$"),
    sum(r"^(?:error: )?Found (?<all>\d+) not formatted files?(?: in \d+ files?)?\.?$").clean(),
    part("^(?: *= |    )hint: (?<suggestion>.*)$"),
    rest(AT).inside("check").enters("related"),
    rest(AT).inside("source").enters("related"),
    part("^(?<message>  .*)$").inside("check"),
    part("^(?<source>.*)$").inside("check").enters("source"),
    part("^[ ~^]+$").inside("source"),
    related(AT).inside("related"),
    related(r"^    (?<message>\S.*)$").inside("related"),
    part("^    ").inside("related"),
    rest(r"^ *--> (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$").inside("lint").check(is_module),
    rest(AT).inside("lint").check(is_module),
    part(r"^ *(?<number>\d+) \| (?<source>.*)$").inside("lint").check(|made, found| {
        made.source.is_none() && found.position("number") == made.line
    }),
    part(r"^ *(?:[|=\d]|docs: |info: |help: )").inside("lint"),
    // In old versions the code is above the location.
    part("").inside("lint").check(|made, _| made.line.is_none()),
    // Other tools report syntax errors too, but without URLs.
    rest(r"^(?: +at| *-->) (?<file>file://\S.*?):(?<line>\d+):(?<column>\d+)$").inside("broken").last(),
    part(r"^\s*(?:SyntaxError: )?(?<message>\S.*)$").inside("broken").check(|made, _| made.message.is_empty()),
    part("").inside("broken"),
    rest(r"^[\d ]+\|").inside("format"),
    part(r"^(?:[\d ]+\||\s*\.\.\.$)").inside("format"),
]);

fn unformatted(made: &mut Diagnostic, _: &Groups<'_, '_>) {
    "not formatted".clone_into(&mut made.message);
    made.fixable = true;
}

/// Returns whether the file has a type that Deno reads.
fn is_module(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    const EXTENSIONS: &[&str] = &["ts", "tsx", "js", "jsx", "mjs", "mts", "cjs", "cts", "json", "jsonc", "md", "ipynb"];
    text::has_extension(found.text("file"), EXTENSIONS)
}

/// Converts a printed file, which may be a URL, to a path.
fn path(printed: &str) -> String {
    let path = printed.strip_prefix("file://").unwrap_or(printed);
    // In a Windows path, the slash before the drive belongs to the URL.
    match path.strip_prefix('/') {
        Some(rest) if rest.as_bytes().get(1) == Some(&b':') => rest.replace('\\', "/"),
        _ => path.replace('\\', "/"),
    }
}

/// The report of `deno lint --json`:
/// `{"version":1,"diagnostics":[{"filename":"file:///a.ts","range":{…},"message":"…","code":"no-var"}],"errors":[]}`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["diagnostics", ANY], &["errors", ANY]],
    is_own: |members| members.contains_key("version") && members.contains_key("checked_files"),
    is_strict: true,
    record: Some(|record| if record.path == 0 { PROBLEM.told(record) } else { BROKEN.told(record) }),
    ..JsonFindings::of(&PROBLEM)
};

const PROBLEM: Members = Members {
    file: "filename",
    line: "range/start/line",
    column: "range/start/col+1",
    end_line: "range/end/line",
    end_column: "range/end/col+1",
    code: "code",
    suggestion: "hint",
    needs: &["filename", "range", "code"],
    ..BROKEN
};

/// A file that could not be read.
const BROKEN: Members = Members {
    tool: "deno",
    file: "file_path",
    needs: &["file_path"],
    complete: |made, _| made.file = made.file.take().map(|file| path(&file)),
    ..Members::MESSAGE
};
