//! golangci-lint: `main.go:10:6: message (errcheck)` with the source line and a caret below, `tab`
//! (`main.go:10:6  errcheck  message`), the closing count (`3 issues:`), and JSON (`{"Issues":[{"FromLinter":…`).

use super::go_build::quotation::Quotation;
use crate::prelude::*;
use crate::shapes::json_findings::finding;
use crate::shapes::members::{file, is_filled, position, words};
use crate::shapes::pattern;

pub(crate) const TOOL: Tool = Tool::new("golangci-lint", &["golangci-lint-json", "golangci"], Role::Lint)
    .lines(&[LineFormat::new(&[".go:", " issues.", " issues:", "1 issue:"], |is_hinted| {
        Box::new(Text::new(is_hinted))
    })])
    .documents(&[DocumentFormat::new(&["{\"Issues\":"], &["\"Issues\":"], |stream, is_hinted| {
        JSON.reader(stream, is_hinted)
    })]);

/// What it finds fails it, whatever the linter: only a severity that it is configured to print says otherwise.
const LEVEL: Level = Level::Error;

const RULE: &str = "golangci-lint/text";

/// What comes before what the compiler says: `main.go:1: : # example.com/demo`.
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

/// `* errcheck: 2`, below the closing count.
static OF_LINTER: Pattern = Pattern::new(r"^\* [a-z][a-z0-9_-]+: \d+$");

/// Linters whose names tell whose a line is.
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
    /// Lines that may follow the finding before: its source line, then the caret.
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
        if text.contains(".go:1") && COMPILED.is_match(text) {
            self.compiled.begin();
            return Use::Line;
        }
        let is_finding = text.contains(':') && !text.starts_with([' ', '\t', '*']);
        let captures = (is_finding && text.ends_with(')')).then(|| LINE.captures(text)).flatten();
        let tabbed = || (is_finding && text.contains(".go:")).then(|| TAB.captures(text)).flatten();
        let captures = captures.or_else(tabbed);
        if let Some(captures) =
            captures.filter(|captures| self.is_hinted || LINTERS.split(' ').any(|known| known == &captures["code"]))
        {
            self.findings.add(pattern::matched("golangci-lint", RULE, line, &captures, LEVEL));
            self.below = 2;
            return Use::Line;
        }
        if let Some(captures) = text.contains(" issue").then(|| ISSUES.captures(text)).flatten() {
            self.issues = text::count(&captures["number"]);
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
        // One finding alone may be another tool's that words it so.
        let is_certain = self.is_hinted || self.issues.is_some() || 1 < listed;
        let confidence = if is_certain { Confidence::Certain } else { Confidence::Likely };
        Some(Candidate {
            format: "text",
            confidence,
            findings: self.findings,
            notes: self.notes,
            ..Candidate::default()
        })
    }
}

static JSON: JsonFindings = JsonFindings {
    format: "json",
    rule: "golangci-lint/json",
    paths: &[&["Issues", ANY]],
    record: |record| of_object(&record.value).into(),
    is_own: |_| true,
    is_strict: false,
    confidence: Confidence::Certain,
};

/// Makes a finding of a record of the JSON format.
fn of_object(value: &Value) -> Option<Diagnostic> {
    let (linter, message) = (words(value, "FromLinter")?, words(value, "Text")?);
    let level = words(value, "Severity").and_then(pattern::level).unwrap_or(LEVEL);
    let mut found = finding("golangci-lint", level, message);
    found.code = Some(name(linter));
    found.file = file(value, "Pos/Filename");
    found.line = position(value, "Pos/Line").or_else(|| position(value, "LineRange/From"));
    found.column = position(value, "Pos/Column");
    found.end_line = position(value, "LineRange/To");
    found.fixable = is_filled(value, "SuggestedFixes") || value.get("Replacement").is_some_and(|it| !it.is_null());
    let source = value.get("SourceLines").and_then(|lines| lines.get(0)).and_then(|line| line.as_str());
    found.source = source.map(|source| cut::head(source, limit::MESSAGE_BYTES).to_owned());
    Some(found)
}
