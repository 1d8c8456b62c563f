//! golangci-lint: `main.go:10:6: message (errcheck)` with the source line and a caret below, `tab`
//! (`main.go:10:6  errcheck  message`), the final count (`3 issues:`), and JSON (`{"Issues":[{"FromLinter":…`).

use super::go_build::quotation::Quotation;
use crate::prelude::*;
use crate::shapes::members::is_filled;

pub(crate) static TOOL: Tool = Tool::new("golangci-lint", &["golangci-lint-json", "golangci"], Role::Lint)
    .lines(&[LineFormat::new(&[".go:", " issues.", " issues:", "1 issue:"], |is_hinted| {
        Box::new(Text::new(is_hinted))
    })])
    .documents(&[DocumentFormat::json(&["{\"Issues\":"], &["\"Issues\":"], &JSON)]);

/// Default level. Every issue fails the run, whatever the linter, unless a configured severity is printed.
const LEVEL: Level = Level::Error;

const RULE: &str = "golangci-lint/text";

/// The line before quoted compiler errors: `main.go:1: : # example.com/demo`.
static COMPILED: Pattern = Pattern::new(r"^\S[^:]*\.go:1(?::\d+)?(?:: |[ \t]{2,}typecheck[ \t]{2,}): # \S+$");

/// `main.go:10:6: message (errcheck)`.
static LINE: Pattern = Pattern::new(
    r"^(?<file>\S[^:]*\.\w+):(?<line>\d+)(?::(?<column>\d+))?: (?:(?<level>error|warning|info): )?(?<message>.*) \((?<code>[a-z][a-z0-9_-]+)\)$",
);

/// `main.go:10:6  errcheck  message`.
static TAB: Pattern = Pattern::new(
    r"^(?<file>\S[^:]*\.go):(?<line>\d+)(?::(?<column>\d+))?[ \t]{2,}(?<code>[a-z][a-z0-9_-]+)[ \t]{2,}(?<message>\S.*)$",
);

/// `3 issues:`, `0 issues.`.
static ISSUES: Pattern = Pattern::new(r"^(?<number>\d+) issues?[:.]$");

/// `* errcheck: 2`, below the final count.
static OF_LINTER: Pattern = Pattern::new(r"^\* [a-z][a-z0-9_-]+: \d+$");

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

struct Text {
    is_hinted: bool,
    findings: Findings,
    compiled: Quotation,
    /// Number of lines that may still follow the last finding: its source line, then the caret.
    below: u8,
    issues: Option<u64>,
    notes: Vec<String>,
}

impl Text {
    fn new(is_hinted: bool) -> Self {
        let (findings, compiled) = (Findings::default(), Quotation::new("typecheck"));
        Self { is_hinted, findings, compiled, below: 0, issues: None, notes: Vec::new() }
    }
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if let Some(used) = self.compiled.line(line, "golangci-lint", RULE, &mut self.findings) {
            self.below = 2;
            return used;
        }
        if COMPILED.is_match(text) {
            self.compiled.begin();
            return Use::Line;
        }
        let is_linter = |found: &Groups<'_, '_>| LINTERS.split(' ').any(|known| known == found.text("code"));
        let found = LINE.find(text).or_else(|| TAB.find(text)).filter(|_| !text.starts_with([' ', '\t', '*']));
        if let Some(found) = found.filter(|found| self.is_hinted || is_linter(found)) {
            self.findings.add(found.diagnostic("golangci-lint", RULE, line, LEVEL));
            self.below = 2;
            return Use::Line;
        }
        if let Some(found) = ISSUES.find(text) {
            self.issues = found.count("number");
            self.below = 0;
            return Use::Line;
        }
        if self.issues.is_some() && OF_LINTER.is_match(text) {
            return Use::Line;
        }
        let is_below = 0 < self.below && (self.below == 2 || text.trim() == "^");
        self.below = if is_below { self.below - 1 } else { 0 };
        if is_below && text.trim() == "^" { Use::WithPrevious } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let listed = self.findings.counts.total();
        if listed == 0 && (self.issues.is_none() || !self.is_hinted) {
            return None;
        }
        if let Some(unlisted) = self.issues.and_then(|issues| issues.checked_sub(listed)).filter(|left| 0 < *left) {
            self.notes.push(format!("golangci-lint sums up {unlisted} issues that were not read one by one"));
            self.findings.add_unlisted(LEVEL, unlisted);
        }
        // A single finding may be from another tool with the same format.
        let is_certain = self.is_hinted || self.issues.is_some() || 1 < listed;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        Some(Candidate::of("text", self.findings).confidence(confidence).notes(self.notes))
    }
}

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
