//! `MSBuild`, `dotnet build`, and the compilers that print as it does: csc, vbc, fsc, cl, link, and Mono's mcs.
//!
//! One canonical form, `origin(position): subcategory level code: message [project]`:
//!
//! ```text
//! /src/Program.cs(5,13): error CS0103: The name 'x' does not exist [/src/app.csproj]
//! LINK : fatal error LNK1104: cannot open file 'a.lib' [C:\src\app.vcxproj]
//!      2>C:\src\app\vector.h(39): warning C4275: non dll-interface class
//! ```
//!
//! A build that sums up lists everything again; so equal findings count once.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use regex::{Captures, Regex};

use crate::claim::{self, Claim, Findings, LineReader, Standing, Use, diagnostic, name};
use crate::scan::Line;
use crate::tool::{LineFormat, Tool};
use crate::{ant, pattern, repeats, text};

/// The build engine.
pub(crate) const TOOL: Tool = Tool {
    name: "msbuild",
    aliases: &["dotnet", "dotnet-build", "dotnet-format", "xbuild", "vbc", "fsc"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: WAKES, reader: |is_hinted| Box::new(MsBuild::new("msbuild", &[], is_hinted)) }],
    documents: &[],
    settle: claim::gravest,
};

/// Mono's compiler of C#, and the others of this name.
pub(crate) const MCS: Tool = Tool {
    name: "mcs",
    aliases: &["csc", "gmcs", "dmcs"],
    role: Role::Compile,
    lines: &[LineFormat { wakes: MCS_WAKES, reader: |is_hinted| Box::new(MsBuild::new("mcs", MCS_SIGNS, is_hinted)) }],
    documents: &[],
    settle: claim::gravest,
};

/// What is in the findings, and what a clean build ends with.
pub(crate) const WAKES: &[&str] = &[
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

/// The same of Mono's compiler.
const MCS_WAKES: &[&str] =
    &[": error CS", ": warning CS", "error CS", "Compilation failed: ", "Compilation succeeded - "];

/// What only Mono's compiler prints: it sums up on standard output, and lists on standard error.
const MCS_SIGNS: &[&str] = &["Compilation failed: ", "Compilation succeeded - "];

/// How lines begin that only these tools print, and that tell even of a clean build whose it was.
const ENGINE: &[&str] = &[
    "    0 Error(s)",
    "  Determining projects to restore",
    "Restore complete (",
    "MSBuild version ",
    "Microsoft (R) Build Engine",
    "Compilation failed: ",
    "Compilation succeeded - ",
];

/// Findings that are remembered, to know them when they come again.
const REMEMBERED: usize = 50_000;

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

/// What stands before a line: the mark of Azure Pipelines, a time, and the number of the project's node.
static NODE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^\s*(?:##\[(?:error|warning)\])?(?:\d{1,2}:\d\d:\d\d(?:\.\d+)?\s+)?(?:\d{1,4}(?::\d{1,4})?>)?\s*")
});

/// A finding with its place.
static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>[^\s(].*?) ?\((?<line>\d+)(?:-(?<end_line>\d+))?(?:,(?<column>\d+)(?:-(?<end_column>\d+))?)?(?:,(?<last>\d+),(?<after>\d+))?\) ?: +(?:(?<sub>[A-Za-z][\w ]{0,40}?) )??(?<level>(?i:fatal error|error|warning|info|message|hint|note))(?: (?<code>[A-Za-z][\w.-]*|\d+))?(?<space> )?: ?(?<message>.*)$",
    )
});

/// A finding of a whole file, of a program that runs, or of nothing.
static GLOBAL: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:(?<origin>\S(?:.*?\S)?) ?: +)?(?:(?:Command line|general) )?(?<level>(?i:fatal error|error|warning)) (?<code>[A-Za-z]{1,12}\d{1,6}) ?: (?<message>.*)$",
    )
});

/// The project, at the end of a message.
static PROJECT: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(r"^(?<message>.*?) \[(?<project>[^\[\]]+\.(?:\w*proj|sln|slnx|slnf|metaproj)(?:::[^\[\]]*)?)\]$")
});

/// A code: letters, and mostly digits behind them.
static CODE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^(?:[A-Za-z]{1,12}\d{1,6}|[A-Z]{2,12})$"));

/// Codes that only these tools have.
static OWN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:CS|BC|FS|MSB|NETSDK|NU|CA|IDE|SYSLIB|LNK|RC|SA|VSTHRD|xUnit|NUnit|MSTEST|BL|RZ|EF|ASP)\d{3,5}$|^[CDSX]\d{4}$",
    )
});

/// The object a symbol is imported by, which is what the linker complains of.
static IMPORTED_BY: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"is imported by '(?<file>[^']+\.obj)'"));

/// Closing counts: of one level, or of both.
static COUNT: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^\s+(?<number>\d+) (?<what>Warning|Error)\(s\)$"));

/// The closing line of the terminal logger, and of Mono's compiler.
static OUTCOME: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?:Build (?:failed|succeeded)|Compilation (?:failed:|succeeded -))(?: with)?(?: (?<errors>\d+) error\(s\))?(?: and|,)?(?: (?<warnings>\d+) warning(?:s|\(s\)))?(?: in [\d.,]+s)?\.?$",
    )
});

/// A place that a finding of Mono's compiler speaks of.
static RELATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?)\((?<line>\d+),(?<column>\d+)\): (?<message>\(Location of the symbol related to previous .*)$",
    )
});

/// The code under which a build lists failed tests, which are for the reader of tests.
const TEST_ERROR: &str = "TESTERROR";

/// Reads the canonical form.
pub(crate) struct MsBuild {
    tool: &'static str,
    is_hinted: bool,
    /// Texts of which one must be there to know this tool; empty: none has to.
    signs: &'static [&'static str],
    has_sign: bool,
    findings: Findings,
    notes: Vec<String>,
    open: Option<Diagnostic>,
    /// All findings, and those of this build with their projects.
    seen: HashSet<u64>,
    of_build: HashSet<u64>,
    /// Errors and warnings of this build.
    listed: [u64; 2],
    has_outcome: bool,
    /// Whether a line was seen that only the build engine prints.
    is_engine: bool,
    standing: Standing,
    /// Errors of builds of which this stream lists none.
    errors_summed_up: u64,
}

impl MsBuild {
    pub(crate) fn new(tool: &'static str, signs: &'static [&'static str], is_hinted: bool) -> Self {
        Self {
            tool,
            is_hinted,
            signs,
            has_sign: is_hinted || signs.is_empty(),
            findings: Findings::default(),
            notes: Vec::new(),
            open: None,
            seen: HashSet::new(),
            of_build: HashSet::new(),
            listed: [0, 0],
            has_outcome: false,
            is_engine: is_hinted,
            standing: if is_hinted { Standing::Certain } else { Standing::Likely },
            errors_summed_up: 0,
        }
    }

    fn close(&mut self) {
        if let Some(found) = self.open.take() {
            self.findings.add(found);
        }
    }

    fn begin(&mut self, text: &str, line: &Line<'_>) -> Use {
        if text.contains("): (Location of ")
            && let Some(captures) = RELATED.captures(text)
        {
            return self.relate(&captures, &captures["message"], line);
        }
        let Some(captures) = self.captures(text) else {
            return Use::None;
        };
        let code = captures.name("code").map(|code| code.as_str());
        let (message, project) = match PROJECT.captures(&captures["message"]) {
            Some(parts) => (parts["message"].to_owned(), Some(parts["project"].to_owned())),
            None => (captures["message"].to_owned(), None),
        };
        if &captures["level"] == "note" {
            return self.relate(&captures, &message, line);
        }
        let rule = if self.tool == "mcs" { "mcs/text" } else { "msbuild/text" };
        let level = pattern::level(&captures["level"]).unwrap_or(Level::Error);
        if code == Some(TEST_ERROR) {
            self.close();
            self.listed[0] += 1;
            return Use::None;
        }
        let mut found = diagnostic(self.tool, rule, line, level, message.trim_end());
        place(&mut found, &captures, project.as_deref());
        found.code = code.map(name);
        if project.is_some() || code.is_some_and(|code| OWN_CODE.is_match(code)) {
            self.standing = Standing::Certain;
        }
        self.close();
        self.take(found, project.as_deref());
        Use::Line
    }

    /// Keeps a finding that was not seen before.
    fn take(&mut self, found: Diagnostic, project: Option<&str>) {
        let key = repeats::key(&found);
        let project = project.unwrap_or_default();
        let with_project = hash((key, project));
        // One source in several target frameworks has its findings in each; one without a place is another in each project.
        let key = if found.line.is_some() { key } else { hash((key, project.split("::").next())) };
        let level = usize::from(found.level == Level::Warning);
        if found.level != Level::Info && self.of_build.len() < REMEMBERED && self.of_build.insert(with_project) {
            self.listed[level] += 1;
        }
        if REMEMBERED <= self.seen.len() || self.seen.insert(key) {
            self.open = Some(found);
        }
    }

    /// Adds a place to the finding above.
    fn relate(&mut self, captures: &Captures<'_>, message: &str, line: &Line<'_>) -> Use {
        let Some(found) = self.open.as_mut() else {
            return Use::None;
        };
        if found.related.len() < RELATED_KEPT {
            found.related.push(RelatedPlace {
                file: captures.name("file").map(|file| name(&text::path(file.as_str()))),
                line: captures.name("line").and_then(|digits| text::position(digits.as_str())),
                column: captures.name("column").and_then(|digits| text::position(digits.as_str())),
                message: text::beginning(message, limit::MESSAGE_BYTES / RELATED_KEPT).to_owned(),
            });
        }
        found.origin.end = line.end;
        Use::Line
    }

    /// Takes a line apart that has the canonical form, and is this tool's.
    fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if !may_be_finding(text) {
            return None;
        }
        let captures = LOCATED.captures(text).or_else(|| GLOBAL.captures(text))?;
        let code = captures.name("code").map(|code| code.as_str());
        let is_note = captures["level"].eq_ignore_ascii_case("note");
        let is_ours = match code {
            // The TypeScript compiler's.
            Some(code) if code.starts_with("TS") && code != TEST_ERROR => false,
            Some(TEST_ERROR) => true,
            // PC-lint writes `Info 701`.
            Some(code) if code.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.is_hinted || captures["level"].starts_with(|first: char| first.is_ascii_uppercase())
            }
            Some(code) => self.is_hinted || CODE.is_match(code),
            None => self.is_hinted || captures.name("space").is_some() || (is_note && self.open.is_some()),
        };
        is_ours.then_some(captures)
    }

    fn sum_up(&mut self, text: &str) -> bool {
        if text.ends_with("(s)")
            && let Some(captures) = COUNT.captures(text)
        {
            let is_error = &captures["what"] == "Error";
            let number = text::count(&captures["number"]).unwrap_or(0);
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
            let Some(captures) = OUTCOME.captures(text) else {
                return false;
            };
            self.close();
            let number =
                |group: &str| captures.name(group).and_then(|digits| text::count(digits.as_str())).unwrap_or(0);
            self.add_unlisted(Level::Error, number("errors"));
            self.add_unlisted(Level::Warning, number("warnings"));
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

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        let Self { findings, notes, errors_summed_up, .. } = *self;
        let standing = if self.has_outcome { Standing::Certain } else { self.standing };
        // The other stream may tell whose findings these are.
        let is_tentative = !self.has_sign;
        let is_any = has_findings || self.has_outcome;
        let is_ours = self.has_sign || self.tool == "mcs";
        (is_any && is_ours).then(|| Claim {
            format: "text",
            standing,
            findings,
            notes,
            errors_summed_up,
            is_tentative,
            ..Claim::default()
        })
    }
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the length of what stands before a line.
fn node(text: &str) -> usize {
    let begins = text.starts_with(|first: char| first.is_ascii_digit() || first.is_whitespace() || first == '#');
    if begins { NODE.find(text).map_or(0, |node| node.end()) } else { 0 }
}

/// Whether a line can have the canonical form at all; cheaper than to try.
fn may_be_finding(text: &str) -> bool {
    let has_place = text.contains("): ") || text.contains(") :");
    has_place
        || [" error ", " warning ", "error CS", "warning CS"].iter().any(|level| text.contains(level))
        || text.starts_with("error ")
        || text.starts_with("warning ")
}

/// Fills in where a finding stands. One without a place in a source stands in its project.
fn place(found: &mut Diagnostic, captures: &Captures<'_>, project: Option<&str>) {
    let group = |group: &str| captures.name(group).map(|it| it.as_str());
    let number = |name: &str| group(name).and_then(text::position);
    let project = project.map(|project| project.split("::").next().unwrap_or(project));
    let origin = group("origin").filter(|origin| origin.contains(['.', '/', '\\']) && !origin.contains(": "));
    let imported_by = IMPORTED_BY.captures(&found.message).filter(|_| group("origin").is_some());
    let object = imported_by.as_ref().and_then(|it| it.name("file")).map(|it| it.as_str());
    let file = group("file").or(object).or(origin).or(project);
    found.file = file.map(|file| name(&text::path(file)));
    found.line = number("line");
    found.column = number("column");
    found.end_line = number("last").or_else(|| number("end_line"));
    found.end_column = number("after").or_else(|| number("end_column"));
    if found.end_column.is_some() {
        found.end_line = found.end_line.or(found.line);
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn read(is_hinted: bool, text: &str) -> Option<Claim> {
        let mut reader = Box::new(MsBuild::new("msbuild", &[], is_hinted));
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let end = start + line.len() as u64;
            let shown = line.trim_end_matches('\n').into();
            reader.line(&Line {
                text: shown,
                text_start: Some(start),
                stream: Stream::Stdout,
                start,
                end,
                is_cut: false,
            });
            start = end;
        }
        reader.finish()
    }

    fn one(text: &str) -> Diagnostic {
        let mut found = read(false, text).map(|claim| claim.findings.kept.into_items()).unwrap_or_default();
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        found.remove(0)
    }

    #[test]
    fn what_has_no_place_stands_in_a_file_or_nowhere() {
        for (text, file, place, level, code, message) in [
            (
                "MSBUILD : error MSB1009: Project file does not exist.\n",
                None,
                (None, None),
                Level::Error,
                Some("MSB1009"),
                "Project file does not exist.",
            ),
            (
                "/a/a.csproj : error NU1101: No x [/a/a.sln]\n",
                Some("/a/a.csproj"),
                (None, None),
                Level::Error,
                Some("NU1101"),
                "No x",
            ),
            (
                "cl : Command line warning D9002: ignoring [C:\\a.vcxproj]\n",
                Some("C:/a.vcxproj"),
                (None, None),
                Level::Warning,
                Some("D9002"),
                "ignoring",
            ),
            (
                "main.obj : error LNK2019: unresolved\n",
                Some("main.obj"),
                (None, None),
                Level::Error,
                Some("LNK2019"),
                "unresolved",
            ),
            ("error CS5001: no Main\n", None, (None, None), Level::Error, Some("CS5001"), "no Main"),
        ] {
            let it = one(text);
            assert_eq!((it.file.as_deref(), it.line, it.column), (file, place.0, place.1), "{text}");
            assert_eq!((it.level, it.code.as_deref(), it.message.as_str()), (level, code, message));
        }
    }

    #[test]
    fn the_canonical_form_has_many_shapes() {
        for (text, file, place, level, code, message) in [
            (
                "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj]\n",
                Some("/a/P.cs"),
                (Some(5), Some(13)),
                Level::Error,
                Some("CS0103"),
                "no x",
            ),
            (
                "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net8.0]\n",
                Some("/a/P.cs"),
                (Some(5), Some(13)),
                Level::Error,
                Some("CS0103"),
                "no x",
            ),
            (
                "     2>C:\\Program Files (x86)\\v.h(39): warning C4275: y\n",
                Some("C:/Program Files (x86)/v.h"),
                (Some(39), None),
                Level::Warning,
                Some("C4275"),
                "y",
            ),
            (
                "  17:4>F.cs (229,34):  warning CS0168 : z\n",
                Some("F.cs"),
                (Some(229), Some(34)),
                Level::Warning,
                Some("CS0168"),
                "z",
            ),
            (
                "x/abc.h(18) : fatal error C1083: Cannot open\n",
                Some("x/abc.h"),
                (Some(18), None),
                Level::Error,
                Some("C1083"),
                "Cannot open",
            ),
            ("x/abc.h(3,4): error : use of it\n", Some("x/abc.h"), (Some(3), Some(4)), Level::Error, None, "use of it"),
        ] {
            let it = one(text);
            assert_eq!((it.file.as_deref(), it.line, it.column), (file, place.0, place.1), "{text}");
            assert_eq!((it.level, it.code.as_deref(), it.message.as_str()), (level, code, message));
        }
        let ranged = one("P.cs(5,24,6,26): warning CS1589: x\n");
        assert_eq!((ranged.end_line, ranged.end_column), (Some(6), Some(26)));
    }

    #[test]
    fn what_is_listed_again_counts_once() {
        let finding = "/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net8.0]\n/a/P.cs(5,13): error CS0103: no x [/a/a.csproj::TargetFramework=net9.0]\n";
        let claim =
            read(false, &format!("{finding}\nBuild FAILED.\n\n{finding}    0 Warning(s)\n    2 Error(s)\n")).unwrap();
        assert_eq!((claim.findings.counts.errors, claim.notes.len()), (1, 0));
        let claim = read(false, "P.cs(5,13): error CS0103: x\n    1 Warning(s)\n    3 Error(s)\n").unwrap();
        assert_eq!((claim.findings.counts.errors, claim.findings.counts.warnings), (3, 1));
    }

    #[test]
    fn clean_builds_are_recognized() {
        for text in [
            "Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n",
            "Restore complete (0.4s)\nBuild succeeded in 3.1s\n",
        ] {
            assert_eq!(read(false, text).unwrap().findings.counts.total(), 0, "{text}");
        }
        assert!(read(false, "Build succeeded.\nBuild succeeded in 3s\n").is_none());
    }

    #[test]
    fn others_findings_are_left_to_them() {
        for text in [
            "src/a.ts(2,9): error TS2322: no\n",
            "src/a.js(2,9): error no-undef : no\n",
            "a.c(2,9): error: no\n",
            "/a/T.cs(12): error TESTERROR: x\n",
            "hint: error in 3 : x\n",
        ] {
            assert!(read(false, text).is_none(), "{text}");
        }
    }

    #[test]
    fn notes_belong_to_the_finding_above() {
        let found = one("v.h(39): warning C4275: y\n        w.h(37): note: see declaration of 'w'\n");
        assert_eq!((found.related.len(), found.related[0].line), (1, Some(37)));
        let found =
            one("a.cs(3,4): error CS0111: twice\na.cs(2,4): (Location of the symbol related to previous error)\n");
        assert_eq!(found.related.len(), 1);
    }
}
