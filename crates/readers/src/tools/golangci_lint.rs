//! golangci-lint: `main.go:10:6: message (errcheck)` with the source line and a caret below, `tab`
//! (`main.go:10:6  errcheck  message`), the final count (`3 issues:`), and JSON (`{"Issues":[{"FromLinter":…`).

use super::go_build::quotation;
use crate::prelude::*;
use crate::shapes::members::is_filled;

pub(crate) static TOOL: Tool = Tool::new("golangci-lint", &["golangci-lint-json", "golangci"], Role::Lint)
    .lines(&[LineFormat::rows(&[".go:", " issues.", " issues:", "1 issue:"], &TEXT)])
    .documents(&[DocumentFormat::json(&["{\"Issues\":"], &["\"Issues\":"], &JSON)]);

/// `main.go:10:6: message (errcheck)`.
const LINE: &str = r"^(?<file>[^\s*][^:]*\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?:(?<level>error|warning|info): )?(?<message>.*) \((?<code>[a-z][a-z0-9_-]+)\)$";

/// `main.go:10:6  errcheck  message`.
const TAB: &str = r"^(?<file>[^\s*][^:]*\.go):(?<line>\d+)(?::(?<column>\d+))?[ \t]{2,}(?<code>[a-z][a-z0-9_-]+)[ \t]{2,}(?<message>\S.*)$";

/// Every issue fails the run, whatever the linter, unless a configured severity is printed. A single finding may be
/// from another tool with the same format.
static TEXT: Rows = Rows::new("golangci-lint", "text")
    .confidence(Confidence::Likely)
    .sure_from(2)
    .lists()
    // The line before quoted compiler errors: `main.go:1: : # example.com/demo`.
    .rows(&quotation::rows(r"^\S[^:]*\.go:1(?::\d+)?(?:: |[ \t]{2,}typecheck[ \t]{2,}): # \S+$", "typecheck"))
    .and(&[
        head(LINE).check(is_of_linter).enters("finding"),
        head(TAB).check(is_of_linter).enters("finding"),
        head(LINE).hinted().enters("finding"),
        head(TAB).hinted().enters("finding"),
        // `3 issues:`, `0 issues.`, and below it `* errcheck: 2`.
        sum(r"^(?<all>\d+) issues?[:.]$").clean(),
        within(r"^\* [a-z][a-z0-9_-]+: \d+$").known(),
        part(r"^\s*\^$").inside("source").caret().last(),
        part(r"^(?<source>.*)$").inside("finding").enters("source").held().tentative(),
    ]);

fn is_of_linter(_: &mut Diagnostic, found: &Groups<'_, '_>) -> bool {
    LINTERS.split(' ').any(|known| known == found.text("code"))
}

/// Known linters: their names in a line identify it as golangci-lint's.
const LINTERS: &str = "asasalint asciicheck bidichk bodyclose canonicalheader containedctx contextcheck copyloopvar cyclop deadcode \
    decorder depguard dogsled dupl dupword durationcheck err113 errcheck errchkjson errname errorlint exhaustive \
    exhaustruct exportloopref fatcontext forbidigo forcetypeassert funlen gci ginkgolinter \
    gocheckcompilerdirectives gochecknoglobals gochecknoinits gocognit goconst gocritic gocyclo godot godox gofmt \
    gofumpt goheader goimports golint gomnd gomoddirectives gomodguard goprintffuncname gosec gosimple gosmopolitan \
    govet grouper iface importas inamedparam ineffassign interfacebloat intrange ireturn lll loggercheck maintidx \
    makezero mirror misspell mnd modernize musttag nakedret nestif nilerr nilnesserr nilnil nlreturn noctx \
    nolintlint nonamedreturns nosprintfhostport paralleltest perfsprint prealloc predeclared promlinter protogetter \
    reassign recvcheck revive rowserrcheck scopelint sloglint spancheck sqlclosecheck staticcheck structcheck \
    stylecheck tagalign tagliatelle tenv testableexamples testifylint testpackage thelper tparallel typecheck \
    unconvert unparam unused usestdlibvars usetesting varcheck varnamelen wastedassign whitespace wrapcheck wsl \
    wsl_v5 zerologlint noinlineerr embeddedstructfieldcheck arangolint funcorder godoclint unqueryvet iotamixing \
    ruleguard clickhouselint exhaustruct_v5 exptostd gochecksumtype golines gomodguard_v2 swaggo";

static JSON: JsonFindings = JsonFindings { paths: &[&["Issues", ANY]], is_own: |_| true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "golangci-lint",
    message: "Text",
    file: "Pos/Filename",
    line: "Pos/Line|LineRange/From",
    column: "Pos/Column",
    end_line: "LineRange/To",
    code: "FromLinter",
    source: "SourceLines/0",
    fix: "Replacement",
    level: "Severity",
    needs: &["FromLinter"],
    check: |made, record| {
        made.fixable |= is_filled(&record.value, "SuggestedFixes");
        made.code.is_some() && !made.message.is_empty()
    },
    ..Members::MESSAGE
};
