//! The TypeScript compiler: `tsc`, `vue-tsc` and the native `tsgo`.
//!
//! Two layouts with the same content: plain (`src/a.ts(2,9): error TS2322: …`) and pretty (`src/a.ts:2:9 - error TS2322: …`
//! with the source line, a squiggle under it, and related places, indented, below). What follows indented belongs to the
//! finding above. A clean run prints nothing, but for watch mode's `Found 0 errors.`.

use std::sync::LazyLock;

use referee_model::limit;
use referee_model::plan::Role;
use referee_model::reading::{Diagnostic, Level, RelatedPlace};
use referee_syntax::cut;
use regex::Regex;

use crate::claim::{self, Claim, Findings, LineReader, Use, diagnostic, name};
use crate::scan::Line;
use crate::text;
use crate::tool::{LineFormat, Tool};

/// The compiler, and what prints like it.
pub(crate) const TOOL: Tool = Tool {
    name: "tsc",
    aliases: &["typescript", "vue-tsc", "tsgo"],
    role: Role::Typecheck,
    lines: &[LineFormat {
        wakes: &[
            "error TS",
            "warning TS",
            "message TS",
            "suggestion TS",
            "Found 0 errors",
            "Found 1 error",
            " errors.",
            " errors in ",
            "compilation in watch mode",
            "incremental compilation",
            "Errors  Files",
        ],
        reader: |is_hinted| Box::new(Tsc::new(is_hinted)),
    }],
    documents: &[],
    settle: claim::gravest,
};

/// Places that are kept of those that belong to one finding.
const RELATED_KEPT: usize = 16;

/// Notes that are kept of closing counts that say more than was listed.
const NOTES: usize = 20;

/// A finding with its place, plain or pretty.
static LOCATED: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<file>\S.*?)(?:\((?<line>\d+),(?<column>\d+)\): |:(?<line2>\d+):(?<column2>\d+) - )(?<level>error|warning|message|suggestion) (?<code>TS\d+): (?<message>.*)$",
    )
});

/// A finding of the whole program, such as a wrong option.
static GLOBAL: LazyLock<Regex> =
    LazyLock::new(|| text::pattern(r"^(?<level>error|warning|message) (?<code>TS\d+): (?<message>.*)$"));

/// The closing count, with watch mode's time before it and one of its forms behind it.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^(?<time>\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? )?Found (?<errors>\d+) errors?(?: in \S.*|(?<watching>\. Watching for file changes\.)|\.)?$",
    )
});

/// Watch mode compiles anew.
static CYCLE: LazyLock<Regex> = LazyLock::new(|| {
    text::pattern(
        r"^\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? (?:Starting compilation in watch mode|File change detected\. Starting incremental compilation)\.\.\.$",
    )
});

/// A row of the table below the closing count.
static TABLE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *\d+  \S.*:\d+$"));

/// A source line of a code frame: its number, a space, the line.
static FRAME_SOURCE: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^ *(?<number>\d+) (?<source>.*)$"));

/// The place of something that belongs to a pretty finding.
static RELATED: LazyLock<Regex> = LazyLock::new(|| text::pattern(r"^  (?<file>\S.*):(?<line>\d+):(?<column>\d+)$"));

/// Reads both layouts.
pub(crate) struct Tsc {
    is_hinted: bool,
    findings: Findings,
    notes: Vec<String>,
    /// What was found and noted in the watch cycles before. It stands until this one is over, which only a closing count
    /// of watch mode tells: anyone can print that a cycle begins.
    before: (Findings, Vec<String>),
    open: Option<Open>,
    /// Errors since the last closing count.
    errors_listed: u64,
    /// Whether a closing count was read that only watch mode prints.
    was_watching: bool,
    was_summed_up: bool,
    is_in_table: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    part: Part,
}

/// Where in a finding we are.
enum Part {
    /// Its message may go on.
    Message { is_pretty: bool },
    /// Its code frame, with the width of the line numbers once one was seen.
    Frame { gutter: Option<usize> },
    /// A related place, with whether its frame is over and its message follows.
    Related { follows_frame: bool },
}

impl Tsc {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self {
            is_hinted,
            findings: Findings::default(),
            notes: Vec::new(),
            before: Default::default(),
            open: None,
            errors_listed: 0,
            was_watching: false,
            was_summed_up: false,
            is_in_table: false,
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.errors_listed += u64::from(open.diagnostic.level == Level::Error);
            self.findings.add(open.diagnostic);
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = &line.text;
        if !text.contains(" TS") && !text.starts_with("error TS") {
            return false;
        }
        let (captures, is_pretty) = match LOCATED.captures(text) {
            Some(captures) => {
                let is_pretty = captures.name("line2").is_some();
                (captures, is_pretty)
            }
            None => match GLOBAL.captures(text) {
                Some(captures) => (captures, false),
                None => return false,
            },
        };
        self.close();
        let group = |group: &str| captures.name(group).map(|found| found.as_str());
        let level = match &captures["level"] {
            "error" => Level::Error,
            "warning" => Level::Warning,
            _ => Level::Info,
        };
        let rule = if is_pretty { "tsc/pretty" } else { "tsc/plain" };
        let mut found = diagnostic("tsc", rule, line, level, &captures["message"]);
        found.file = group("file").map(|file| name(&text::path(file)));
        found.line = group("line").or_else(|| group("line2")).and_then(text::position);
        found.column = group("column").or_else(|| group("column2")).and_then(text::position);
        found.code = Some(captures["code"].to_owned());
        self.open = Some(Open { diagnostic: found, part: Part::Message { is_pretty } });
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        if !line.text.contains("Found ") {
            return false;
        }
        let Some(captures) = SUMMARY.captures(&line.text) else {
            return false;
        };
        let Some(errors) = text::count(&captures["errors"]) else {
            return false;
        };
        self.close();
        self.was_summed_up = true;
        self.was_watching |= captures.name("time").is_some();
        if captures.name("time").is_some() && captures.name("watching").is_some() {
            self.before = Default::default();
        }
        let unlisted = errors.saturating_sub(self.errors_listed);
        if 0 < unlisted && self.notes.len() < NOTES {
            self.notes.push(format!("tsc sums up {errors} errors; {} were read one by one", self.errors_listed));
        }
        self.findings.add_unlisted(Level::Error, unlisted);
        self.errors_listed = 0;
        true
    }

    fn begin_cycle(&mut self, line: &Line<'_>) -> bool {
        if !line.text.ends_with("...") || !CYCLE.is_match(&line.text) {
            return false;
        }
        self.close();
        self.keep_before();
        self.errors_listed = 0;
        true
    }

    /// Puts what was found in this cycle to what was found before.
    fn keep_before(&mut self) {
        let (findings, notes) = &mut self.before;
        findings.append(std::mem::take(&mut self.findings));
        notes.append(&mut self.notes);
        notes.truncate(NOTES);
    }

    fn table(&mut self, line: &Line<'_>) -> bool {
        if &*line.text == "Errors  Files" {
            self.is_in_table = self.was_summed_up;
            return self.is_in_table;
        }
        self.is_in_table = self.is_in_table && TABLE.is_match(&line.text);
        self.is_in_table
    }
}

impl LineReader for Tsc {
    fn line(&mut self, line: &Line<'_>) -> Use {
        if self.begin(line) || self.sum_up(line) || self.begin_cycle(line) || self.table(line) {
            return Use::Line;
        }
        match self.open.as_mut().map(|open| open.line(line)) {
            Some(true) => Use::Line,
            Some(false) => {
                self.close();
                Use::None
            }
            None => Use::None,
        }
    }

    fn sleeps(&self) -> bool {
        self.open.is_none() && !self.is_in_table
    }

    fn finish(mut self: Box<Self>) -> Option<Claim> {
        self.close();
        self.keep_before();
        let (findings, notes) = self.before;
        // Other tools count `Found 3 errors.` too: without a finding or a hint that alone says nothing.
        let has_findings = findings.counts.by_rule.keys().any(|rule| !rule.is_empty());
        let is_recognized = has_findings || self.was_watching || (self.is_hinted && self.was_summed_up);
        is_recognized.then(|| Claim { format: "text", findings, notes, ..Claim::default() })
    }
}

impl Open {
    /// Takes a line that may belong to the finding; returns whether it does.
    fn line(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let is_used = match &mut self.part {
            Part::Message { is_pretty } => {
                if line.is_blank() {
                    if !*is_pretty {
                        return false;
                    }
                    self.part = Part::Frame { gutter: None };
                    return true;
                }
                let is_continued = text::indent(text) >= 2;
                if is_continued {
                    text::add_line(&mut self.diagnostic.message, text.trim_end(), limit::MESSAGE_BYTES);
                }
                is_continued
            }
            Part::Frame { gutter } => {
                if line.is_blank() {
                    return true;
                }
                if let Some(place) = related_place(text) {
                    if self.diagnostic.related.len() < RELATED_KEPT {
                        self.diagnostic.related.push(place);
                    }
                    self.part = Part::Related { follows_frame: false };
                    true
                } else {
                    frame_line(text, gutter, &mut self.diagnostic)
                }
            }
            Part::Related { follows_frame } => {
                if line.is_blank() {
                    return true;
                }
                if let Some(place) = related_place(text) {
                    *follows_frame = false;
                    if self.diagnostic.related.len() < RELATED_KEPT {
                        self.diagnostic.related.push(place);
                    }
                    return true;
                }
                let is_related = text::indent(text) >= 4;
                if is_related && *follows_frame {
                    add_to_related(&mut self.diagnostic, text.trim());
                } else if is_related && is_squiggle(text.trim()) {
                    *follows_frame = true;
                }
                is_related
            }
        };
        if is_used {
            self.diagnostic.origin.end = line.end;
        }
        is_used
    }
}

fn related_place(text: &str) -> Option<RelatedPlace> {
    let [file, line, column] = RELATED.captures(text)?.extract().1;
    Some(RelatedPlace {
        file: Some(name(&text::path(file))),
        line: text::position(line),
        column: text::position(column),
        message: String::new(),
    })
}

fn add_to_related(diagnostic: &mut Diagnostic, text: &str) {
    let Some(place) = diagnostic.related.last_mut() else {
        return;
    };
    if place.message.is_empty() {
        cut::head(text, limit::MESSAGE_BYTES / RELATED_KEPT).clone_into(&mut place.message);
    } else {
        text::add_line(&mut place.message, text, limit::MESSAGE_BYTES / RELATED_KEPT);
    }
}

fn is_squiggle(trimmed: &str) -> bool {
    trimmed.bytes().all(|byte| byte == b'~')
}

/// Takes a line of a code frame: a source line, the squiggle below one, or the mark for lines left out.
fn frame_line(text: &str, gutter: &mut Option<usize>, diagnostic: &mut Diagnostic) -> bool {
    let trimmed = text.trim();
    if is_squiggle(trimmed) || trimmed == "..." {
        let width = gutter.map_or(0, |width| width + 1);
        let end = text.trim_end().chars().count();
        if trimmed.starts_with('~') && width < end {
            diagnostic.end_column = u32::try_from(end - width + 1).ok();
            diagnostic.end_line = diagnostic.end_line.or(diagnostic.line);
        }
        return gutter.is_some();
    }
    let Some(captures) = FRAME_SOURCE.captures(text) else {
        return false;
    };
    let number = text::position(&captures["number"]);
    if number < diagnostic.line {
        return false;
    }
    *gutter = Some(text.len() - captures["source"].len() - 1);
    diagnostic.end_line = number;
    if number == diagnostic.line && diagnostic.source.is_none() {
        diagnostic.source = Some(cut::head(&captures["source"], limit::MESSAGE_BYTES).to_owned());
    }
    true
}
