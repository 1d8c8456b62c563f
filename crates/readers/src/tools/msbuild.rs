//! `MSBuild`, `dotnet build`, and compilers that print in the same format: csc, vbc, fsc, cl, link, and Mono's
//! mcs.
//!
//! One canonical form, `origin(position): subcategory level code: message [project]`:
//!
//! ```text
//! /src/Program.cs(5,13): error CS0103: The name 'x' does not exist [/src/app.csproj]
//! LINK : fatal error LNK1104: cannot open file 'a.lib' [C:\src\app.vcxproj]
//!      2>C:\src\app\vector.h(39): warning C4275: non dll-interface class
//! ```
//!
//! A build that prints a summary lists every finding again, so equal findings count once.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};

use crate::level::level as level_of;
use crate::prelude::*;
use crate::shapes::ant;
use crate::shapes::repeats;
use crate::tools::tsc;

pub(crate) static TOOL: Tool =
    Tool::new("msbuild", &["dotnet", "dotnet-build", "dotnet-format", "xbuild", "vbc", "fsc"], Role::Compile)
        .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(MsBuild::new("msbuild", &[], is_hinted)))
            .unless(tsc::is_plain)]);

/// Mono's C# compiler, and those named `csc`, `gmcs` or `dmcs`.
pub(crate) static MCS: Tool = Tool::new("mcs", &["csc", "gmcs", "dmcs"], Role::Compile)
    .lines(&[LineFormat::new(MCS_WAKES, |is_hinted| Box::new(MsBuild::new("mcs", MCS_SIGNS, is_hinted)))]);

/// Texts in the findings, and at the end of a clean build.
pub(crate) const PREFILTER: &[&str] = &[
    "proj]",
    "Restore complete (",
    "  Determining projects to restore",
    "proj::",
    ": error ",
    ": warning ",
    " warning C",
    "error CS",
    ": fatal error ",
    ": info ",
    ": Info ",
    ": Error ",
    ": Warning ",
    ":  warning ",
    "Build succeeded",
    "Build FAILED",
    "Build failed",
    "): message ",
    "): note: ",
];

/// The same for Mono's compiler.
const MCS_WAKES: &[&str] =
    &[": error CS", ": warning CS", "error CS", "Compilation failed: ", "Compilation succeeded - "];

/// Texts that only Mono's compiler prints: its summary on standard output, while its findings are on standard
/// error.
const MCS_SIGNS: &[&str] = &["Compilation failed: ", "Compilation succeeded - "];

/// Starts of lines that only these tools print, and that identify even a clean build.
const ENGINE: &[&str] = &[
    "    0 Error(s)",
    "  Determining projects to restore",
    "Restore complete (",
    "MSBuild version ",
    "Microsoft (R) Build Engine",
    "Compilation failed: ",
    "Compilation succeeded - ",
];

/// Maximum number of findings remembered in order to drop repeated ones.
const REMEMBERED: usize = 50_000;

/// Prefix of a line: the mark of Azure Pipelines, a time, and the number of the project's node.
static NODE: Pattern =
    Pattern::new(r"^\s*(?:##\[(?:error|warning)\])?(?:\d{1,2}:\d\d:\d\d(?:\.\d+)?\s+)?(?:\d{1,4}(?::\d{1,4})?>)?\s*");

static LOCATED: Pattern = Pattern::new(
    r"^(?<file>[^\s(].*?) ?\((?<line>\d+)(?:-(?<end_line>\d+))?(?:,(?<column>\d+)(?:-(?<end_column>\d+))?)?(?:,(?<last>\d+),(?<after>\d+))?\) ?: +(?:(?<sub>[A-Za-z][\w ]{0,40}?) )??(?<level>(?i:fatal error|error|warning|info|message|hint|note))(?: (?<code>[A-Za-z][\w.-]*|\d+))?(?<space> )?: ?(?<message>.*)$",
);

/// A finding about a whole file or a running program, or without any origin.
static GLOBAL: Pattern = Pattern::new(
    r"^(?:(?<origin>\S(?:.*?\S)?) ?: +)?(?:(?:Command line|general) )?(?<level>(?i:fatal error|error|warning)) (?<code>[A-Za-z]{1,12}\d{1,6}) ?: (?<message>.*)$",
);

/// The project, at the end of a message.
static PROJECT: Pattern =
    Pattern::new(r"^(?<message>.*?) \[(?<project>[^\[\]]+\.(?:\w*proj|sln|slnx|slnf|metaproj)(?:::[^\[\]]*)?)\]$");

/// A code: letters, usually followed by digits.
static CODE: Pattern = Pattern::new(r"^(?:[A-Za-z]{1,12}\d{1,6}|[A-Z]{2,12})$");

/// Codes that only these tools use.
static OWN_CODE: Pattern = Pattern::new(
    r"^(?:CS|BC|FS|MSB|NETSDK|NU|CA|IDE|SYSLIB|LNK|RC|SA|VSTHRD|xUnit|NUnit|MSTEST|BL|RZ|EF|ASP)\d{3,5}$|^[CDSX]\d{4}$",
);

/// The object that imports the symbol in a message of the linker.
static IMPORTED_BY: Pattern = Pattern::new(r"is imported by '(?<file>[^']+\.obj)'");

/// Final count of one level.
static COUNT: Pattern = Pattern::new(r"^\s+(?<number>\d+) (?<what>Warning|Error)\(s\)$");

/// The last line of the terminal logger, and of Mono's compiler.
static OUTCOME: Pattern = Pattern::new(
    r"^(?:Build (?:failed|succeeded)|Compilation (?:failed:|succeeded -))(?: with)?(?: (?<errors>\d+) error\(s\))?(?: and|,)?(?: (?<warnings>\d+) warning(?:s|\(s\)))?(?: in [\d.,]+s)?\.?$",
);

/// A related location printed by Mono's compiler.
static RELATED: Pattern = Pattern::new(
    r"^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<message>\(Location of the symbol related to previous .*)$",
);

/// The code under which a build lists failed tests; the reader of tests handles them.
const TEST_ERROR: &str = "TESTERROR";

#[derive(Default)]
pub(crate) struct MsBuild {
    tool: &'static str,
    is_hinted: bool,
    /// Texts one of which must be present to identify this tool. Empty if none is needed.
    signs: &'static [&'static str],
    has_sign: bool,
    findings: Findings,
    notes: Vec<String>,
    open: Option<Diagnostic>,
    /// Hashes of all findings.
    seen: HashSet<u64>,
    /// Hashes of the findings of the current build, with their projects.
    of_build: HashSet<u64>,
    /// Errors and warnings of the current build.
    listed: [u64; 2],
    has_outcome: bool,
    /// Whether a line was read that only the build engine prints.
    is_engine: bool,
    confidence: Confidence,
    /// Number of errors in builds for which this stream lists none.
    errors_summed_up: u64,
}

impl MsBuild {
    pub(crate) fn new(tool: &'static str, signs: &'static [&'static str], is_hinted: bool) -> Self {
        Self {
            tool,
            is_hinted,
            signs,
            has_sign: is_hinted || signs.is_empty(),
            is_engine: is_hinted,
            confidence: if is_hinted { Confidence::Certain } else { Confidence::Likely },
            ..Self::default()
        }
    }

    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn begin(&mut self, text: &str, line: &Line<'_>) -> Use {
        if text.contains("): (Location of ")
            && let Some(captures) = RELATED.find(text)
        {
            return self.relate(&captures, captures.text("message"), line);
        }
        let Some(captures) = self.captures(text) else { return Use::None };
        let code = captures.get("code");
        let (message, project) = match PROJECT.find(captures.text("message")) {
            Some(parts) => (parts.text("message").to_owned(), Some(parts.text("project").to_owned())),
            None => (captures.text("message").to_owned(), None),
        };
        if captures.text("level") == "note" {
            return self.relate(&captures, &message, line);
        }
        let rule = if self.tool == "mcs" { "mcs/text" } else { "msbuild/text" };
        let level = level_of(captures.text("level")).unwrap_or(Level::Error);
        if code == Some(TEST_ERROR) {
            self.close();
            self.listed[0] += 1;
            return Use::None;
        }
        let mut found = diagnostic(self.tool, rule, line, level, message.trim_end());
        place(&mut found, &captures, project.as_deref());
        found.code = code.map(name);
        if project.is_some() || code.is_some_and(|code| OWN_CODE.is_match(code)) {
            self.confidence = Confidence::Certain;
        }
        self.close();
        self.take(found, project.as_deref());
        Use::Line
    }

    /// Keeps a finding that was not read before.
    fn take(&mut self, found: Diagnostic, project: Option<&str>) {
        let key = repeats::key(&found);
        let project = project.unwrap_or_default();
        let with_project = hash((key, project));
        // A source compiled for several target frameworks has the same finding in each; without a line,
        // findings of different projects differ.
        let key = if found.line.is_some() { key } else { hash((key, project.split("::").next())) };
        let level = usize::from(found.level == Level::Warning);
        if found.level != Level::Info && self.of_build.len() < REMEMBERED && self.of_build.insert(with_project) {
            self.listed[level] += 1;
        }
        if REMEMBERED <= self.seen.len() || self.seen.insert(key) {
            self.open = Some(found);
        }
    }

    /// Adds a related location to the finding above.
    fn relate(&mut self, captures: &Groups<'_, '_>, message: &str, line: &Line<'_>) -> Use {
        let Some(found) = self.open.as_mut() else { return Use::None };
        candidate::relate(found, [RelatedPlace { message: message.to_owned(), ..captures.related() }]);
        found.origin.end = line.end;
        Use::Line
    }

    /// Parses a line that has the canonical form and belongs to this tool.
    fn captures<'t>(&self, text: &'t str) -> Option<Groups<'static, 't>> {
        if !may_be_finding(text) || tsc::is_plain(text) {
            return None;
        }
        let captures = LOCATED.find(text).or_else(|| GLOBAL.find(text))?;
        let code = captures.get("code");
        let is_note = captures.text("level").eq_ignore_ascii_case("note");
        let is_ours = match code {
            // Codes of the TypeScript compiler.
            Some(code) if code.starts_with("TS") && code != TEST_ERROR => false,
            Some(TEST_ERROR) => true,
            // PC-lint prints `Info 701`.
            Some(code) if code.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.is_hinted || captures.text("level").starts_with(|first: char| first.is_ascii_uppercase())
            }
            Some(code) => self.is_hinted || CODE.is_match(code),
            None => self.is_hinted || captures.has("space") || (is_note && self.open.is_some()),
        };
        is_ours.then_some(captures)
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if text.ends_with("(s)")
            && let Some(captures) = COUNT.find(text)
        {
            let is_error = captures.text("what") == "Error";
            let number = captures.number("number");
            self.close();
            self.add_unlisted(if is_error { Level::Error } else { Level::Warning }, number);
            if is_error {
                self.end_build();
            }
            return true;
        }
        if text.starts_with("Build ") || text.starts_with("Compilation ") {
            if matches!(text, "Build FAILED." | "Build succeeded.") {
                self.close();
                return true;
            }
            let Some(captures) = OUTCOME.find(text) else { return false };
            self.close();
            self.add_unlisted(Level::Error, captures.number("errors"));
            self.add_unlisted(Level::Warning, captures.number("warnings"));
            if text.ends_with('s') || text.starts_with("Compilation") {
                self.end_build();
            }
            return true;
        }
        false
    }

    fn add_unlisted(&mut self, level: Level, number: u64) {
        let listed = std::mem::take(&mut self.listed[usize::from(level == Level::Warning)]);
        if listed == 0 && level == Level::Error {
            self.errors_summed_up += number;
            return;
        }
        if listed == 0 && self.tool == "mcs" {
            return;
        }
        let unlisted = number.saturating_sub(listed);
        if 0 < unlisted && self.notes.is_empty() {
            self.notes.push(format!("the build sums up {number} findings of one kind; {listed} were listed"));
        }
        self.findings.add_unlisted(level, unlisted);
    }

    fn end_build(&mut self) {
        self.has_outcome |= self.is_engine;
        self.listed = [0, 0];
        self.of_build.clear();
    }
}

impl LineReader for MsBuild {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = ant::without_task(&line.text).trim_end();
        self.is_engine |= ENGINE.iter().any(|sign| text.starts_with(sign));
        self.has_sign = self.has_sign || self.signs.iter().any(|sign| text.starts_with(sign));
        let used = self.begin(&text[node(text)..], line);
        if used == Use::None && self.sum_up(text) { Use::Line } else { used }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        let Self { findings, notes, errors_summed_up, .. } = *self;
        let confidence = if self.has_outcome { Confidence::Certain } else { self.confidence };
        // The other stream may identify the tool.
        let is_tentative = !self.has_sign;
        let is_any = has_findings || self.has_outcome;
        let is_ours = self.has_sign || self.tool == "mcs";
        (is_any && is_ours).then(|| Candidate {
            format: "text",
            confidence,
            findings,
            notes,
            errors_summed_up,
            is_tentative,
            ..Candidate::default()
        })
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the length of the prefix of a line, in bytes.
fn node(text: &str) -> usize {
    let begins = text.starts_with(|first: char| first.is_ascii_digit() || first.is_whitespace() || first == '#');
    if begins { NODE.find(text).map_or(0, |node| node.whole().end) } else { 0 }
}

/// Whether a line can have the canonical form at all; cheaper than matching the patterns.
fn may_be_finding(text: &str) -> bool {
    let has_place = text.contains("): ") || text.contains(") :");
    has_place
        || [" error ", " warning ", "error CS", "warning CS"].iter().any(|level| text.contains(level))
        || text.starts_with("error ")
        || text.starts_with("warning ")
}

/// Sets the location of a finding. The file is that of the project if the finding has none.
fn place(found: &mut Diagnostic, captures: &Groups<'_, '_>, project: Option<&str>) {
    let project = project.map(|project| project.split("::").next().unwrap_or(project));
    let origin = captures.get("origin").filter(|origin| origin.contains(['.', '/', '\\']) && !origin.contains(": "));
    let imported_by = IMPORTED_BY.find(&found.message).filter(|_| captures.get("origin").is_some());
    let object = imported_by.as_ref().and_then(|it| it.get("file"));
    let file = captures.get("file").or(object).or(origin).or(project);
    found.file = file.map(|file| name(&text::path(file)));
    found.line = captures.position("line");
    found.column = captures.position("column");
    found.end_line = captures.position("last").or_else(|| captures.position("end_line"));
    found.end_column = captures.position("after").or_else(|| captures.position("end_column"));
    if found.end_column.is_some() {
        found.end_line = found.end_line.or(found.line);
    }
}

#[cfg(test)]
mod tests;
