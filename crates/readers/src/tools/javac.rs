//! The Java compiler, and tools that print in its format: Error Prone, javadoc, and Ant's tasks around them.
//!
//! ```text
//! src/App.java:9: warning: [rawtypes] found raw type: List
//!     List raw = new ArrayList();
//!     ^
//!   missing type arguments for generic class List<E>
//! 1 warning
//! ```
//!
//! Compilers before Java 7 leave out `error:`; there only the caret below identifies a finding. Ant
//! (`    [javac] `) or Maven (`[ERROR] `) may put a prefix before the compiler's lines. The compiler prints no
//! columns.

use crate::prelude::*;
use crate::shapes::ant;
use crate::shapes::caret::Open;
use crate::shapes::repeats::Repeats;

pub(crate) static TOOL: Tool = Tool::new("javac", &["openjdk-javac"], Role::Compile)
    .lines(&[LineFormat::new(PREFILTER, |is_hinted| Box::new(Javac::new(&PLAIN, is_hinted)))]);

/// Texts one of which is in every finding of the compiler.
pub(crate) const PREFILTER: &[&str] = &[
    ".java:",
    ".java: ",
    ".class): ",
    ".class: ",
    "error: invalid ",
    "error: release ",
    "error: file not found",
    "warning: [options]",
    "javac: ",
];

/// One of the tools that print in the format of javac.
pub(crate) struct Flavour {
    pub(crate) tool: &'static str,
    pub(crate) rule: &'static str,
    /// Texts one of which must be in some line to tell this tool from the compiler alone. Empty if none is
    /// needed.
    pub(crate) signs: &'static [&'static str],
}

pub(crate) const PLAIN: Flavour = Flavour { tool: "javac", rule: "javac/text", signs: &[] };

/// A finding with its location. Java prints in English, German, Japanese and Chinese.
static LOCATED: Pattern = Pattern::new(
    r"^(?:Exit code: \d+ - )?(?<file>[^\s:].*?\.(?:java|jav|aj)):(?<line>\d+): ?(?:(?<level>error|warning|Fehler|Warnung|エラー|警告|错误)(?:: ?| - ))?(?:\[(?<code>[A-Za-z][\w.-]*)\] ?)?(?<message>.+)$",
);

/// A finding about a whole file, usually one that is not a source.
static WHOLE_FILE: Pattern = Pattern::new(
    r"^(?<file>\S.*?\.(?:java|class|jar)\)?): (?<level>error|warning): (?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.+)$",
);

/// A finding without a location.
static GLOBAL: Pattern = Pattern::new(
    r"^(?:(?<program>javac|javadoc): )?(?:(?<level>error|warning)(?:: | - ))?(?:\[(?<code>[a-z][\w-]*)\] )?(?<message>.+)$",
);

/// The final count, and the line printed where only the first findings were listed.
static COUNT: Pattern = Pattern::new(
    r"^(?:(?<number>\d+) (?<what>error|warning)s?|only showing the first (?<shown>\d+) (?<of>error|warning)s, of (?<total>\d+) total; .*)$",
);

/// Starts of messages without a location that only the compiler prints.
const GLOBAL_WORDS: &[&str] = &[
    "warnings found and -Werror specified",
    "release version ",
    "invalid source release",
    "invalid target release",
    "invalid flag: ",
    "file not found: ",
    "no source files",
    "Source option ",
    "Target option ",
];

/// Lint categories of the compiler that have no location in a source.
const GLOBAL_CODES: &[&str] = &["options", "path", "processing", "classfile", "module", "modules"];

/// The text around a suggestion of Error Prone.
const PROPOSAL: (&str, &str) = ("Did you mean '", "'?");

/// Reads the output of the compiler.
pub(crate) struct Javac {
    flavour: &'static Flavour,
    is_hinted: bool,
    has_sign: bool,
    findings: Findings,
    notes: Vec<String>,
    open: Option<Open>,
    /// Whether the open finding counts only if a caret follows.
    is_tentative: bool,
    /// Errors and warnings listed since the last final count.
    listed: [u64; 2],
    repeats: Repeats,
}

impl Javac {
    pub(crate) fn new(flavour: &'static Flavour, is_hinted: bool) -> Self {
        Self {
            flavour,
            is_hinted,
            has_sign: is_hinted || flavour.signs.is_empty(),
            findings: Findings::default(),
            notes: Vec::new(),
            open: None,
            is_tentative: false,
            listed: [0, 0],
            repeats: Repeats::default(),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        if std::mem::take(&mut self.is_tentative) && !open.has_caret() {
            return;
        }
        let mut found = open.close();
        complete(&mut found);
        if self.repeats.has(&found) {
            return;
        }
        match found.level {
            Level::Error => self.listed[0] += 1,
            Level::Warning => self.listed[1] += 1,
            Level::Info => {}
        }
        self.findings.add(found);
    }

    /// Begins a finding if the line is the first of one.
    fn begin(&mut self, text: &str, line: &Line<'_>) -> Use {
        let (captures, is_located) = if let Some(captures) = located(text) {
            (captures, true)
        } else if let Some(captures) = whole_file(text).or_else(|| self.global(text)) {
            (captures, false)
        } else {
            return Use::None;
        };
        self.close();
        let level = match captures.get("level") {
            Some("warning" | "Warnung" | "警告") => Level::Warning,
            _ => Level::Error,
        };
        let mut found =
            diagnostic(self.flavour.tool, self.flavour.rule, line, level, captures.text("message").trim_end());
        found.code = captures.get("code").map(name);
        if is_located || captures.get("level").is_some() {
            found.file = captures.file("file");
            found.line = captures.position("line");
        }
        self.is_tentative = is_located && captures.get("level").is_none();
        self.open = Some(Open::new(found, true));
        if self.is_tentative { Use::None } else { Use::Line }
    }

    fn global<'t>(&self, text: &'t str) -> Option<Groups<'static, 't>> {
        if !["error", "warning", "javac: ", "javadoc: "].iter().any(|start| text.starts_with(start)) {
            return None;
        }
        let captures = GLOBAL.find(text)?;
        let has_level = captures.has("level");
        let is_named = captures.has("program");
        let is_known = captures.get("code").is_some_and(|code| GLOBAL_CODES.contains(&code))
            || GLOBAL_WORDS.iter().any(|words| captures.text("message").starts_with(words));
        let is_among = self.is_hinted || self.open.is_some() || self.listed != [0, 0];
        ((has_level && (is_known || is_named || is_among)) || (is_named && is_known)).then_some(captures)
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = COUNT.find(text) else { return false };
        self.close();
        let level_of = |group: &str| if captures.text(group) == "warning" { Level::Warning } else { Level::Error };
        if let (Some(shown), Some(total)) = (captures.count("shown"), captures.count("total")) {
            let is_ours = self.is_hinted || 0 < self.findings.counts.total();
            if is_ours {
                self.add_unlisted(level_of("of"), total.saturating_sub(shown), total);
            }
            return is_ours;
        }
        let level = level_of("what");
        let listed = &mut self.listed[usize::from(level == Level::Warning)];
        let listed = std::mem::take(listed);
        let Some(number) = captures.count("number").filter(|_| 0 < listed || self.is_hinted) else { return false };
        if !self.repeats.is_repeating() {
            self.add_unlisted(level, number.saturating_sub(listed), number);
        }
        true
    }

    fn add_unlisted(&mut self, level: Level, unlisted: u64, total: u64) {
        if 0 < unlisted && self.notes.is_empty() {
            self.notes.push(format!("{} sums up {total} findings; {unlisted} were not listed", self.flavour.tool));
        }
        self.findings.add_unlisted(level, unlisted);
    }
}

impl LineReader for Javac {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = without_prefix(&line.text);
        self.has_sign = self.has_sign || self.flavour.signs.iter().any(|sign| line.text.contains(sign));
        if line.text.starts_with("* What went wrong") || line.text.starts_with("[ERROR] Failed to execute goal") {
            self.close();
            self.repeats.begin();
        } else if line.text.starts_with("> Task ") || line.text.starts_with("[INFO] Scanning ") {
            self.close();
            self.repeats.end();
        }
        let begun = self.begin(text, line);
        if begun == Use::Line || self.sum_up(text) {
            return Use::Line;
        }
        if self.open.as_ref().is_some_and(|open| open.diagnostic.origin.start == line.start) {
            return begun;
        }
        if text.starts_with("Note: ") && 0 < self.findings.counts.total() {
            self.close();
            return Use::Line;
        }
        let is_tentative = self.is_tentative;
        match self.open.as_mut().map(|open| (open.line(text, line), open.has_caret())) {
            Some((true, false)) if is_tentative => Use::None,
            Some((true, _)) => {
                self.is_tentative = false;
                if is_tentative { Use::WithPrevious } else { Use::Line }
            }
            Some((false, _)) => {
                self.close();
                Use::None
            }
            None => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let found = 0 < self.findings.counts.total() && self.has_sign;
        found.then(|| Candidate::of("text", self.findings).notes(self.notes))
    }
}

/// Returns a line without the prefix of Ant or Maven, and without the indentation in Gradle's closing message.
fn without_prefix(text: &str) -> &str {
    let trimmed = text.trim_start_matches(' ');
    if !trimmed.starts_with('[') {
        let is_heading = text.len() - trimmed.len() == 2 && trimmed.contains(".java:") && trimmed.contains(": ");
        return if is_heading && located(trimmed).is_some_and(|it| it.has("level")) { trimmed } else { text };
    }
    for level in ["[ERROR] ", "[WARNING] ", "[WARN] ", "[INFO] "] {
        if let Some(rest) = text.strip_prefix(level) {
            return rest;
        }
    }
    ant::without_task(text)
}

fn located(text: &str) -> Option<Groups<'static, '_>> {
    if !text.contains(".j") && !text.contains(".aj:") {
        return None;
    }
    // `App.java:2:17: …` has a column, so it is not from this compiler.
    LOCATED.find(text).filter(|captures| {
        let message = captures.text("message");
        let digits = message.bytes().take_while(u8::is_ascii_digit).count();
        digits == 0 || !message[digits..].starts_with(':')
    })
}

fn whole_file(text: &str) -> Option<Groups<'static, '_>> {
    let is_possible = text.contains(": warning: ") || text.contains(": error: ");
    if is_possible { WHOLE_FILE.find(text) } else { None }
}

/// Sets the suggestion of a finding from its message.
fn complete(found: &mut Diagnostic) {
    let proposal = found.message.lines().find_map(|line| {
        let (_, rest) = line.split_once(PROPOSAL.0)?;
        let (proposals, _) = rest.rsplit_once(PROPOSAL.1)?;
        // Only the first of several suggestions is used.
        proposals.split("' or '").next().map(name)
    });
    found.suggestion = proposal;
}

#[cfg(test)]
mod tests;
