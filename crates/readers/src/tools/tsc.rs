//! The TypeScript compiler: `tsc`, `vue-tsc` and the native `tsgo`.
//!
//! Two layouts with the same content: plain (`src/a.ts(2,9): error TS2322: …`) and pretty
//! (`src/a.ts:2:9 - error TS2322: …` with the source line, a squiggle under it, and related locations,
//! indented, below). Indented lines belong to the finding above. A clean run prints nothing, except
//! `Found 0 errors.` in watch mode.

use std::borrow::Cow;

use memchr::memmem::Finder;

use crate::prelude::*;

/// The compiler, and tools that print in its format.
pub(crate) static TOOL: Tool =
    Tool::new("tsc", &["typescript", "vue-tsc", "tsgo"], Role::Typecheck).lines(&[LineFormat::new(
        &[
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
        |is_hinted| Box::new(Tsc::new(is_hinted)),
    )]);

/// Maximum length of the message of a related location, in bytes.
const RELATED_BYTES: usize = limit::MESSAGE_BYTES / candidate::RELATED_KEPT;

/// Maximum number of notes about final counts higher than the number of findings listed.
const NOTES: usize = 20;

/// The final count, with the time before it in watch mode and one of its endings after it.
static SUMMARY: Pattern = Pattern::new(
    r"^(?<time>\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? )?Found (?<errors>\d+) errors?(?: in \S.*|(?<watching>\. Watching for file changes\.)|\.)?$",
);

static CYCLE: Pattern = Pattern::new(
    r"^\[?\d{1,2}:\d{2}:\d{2}(?: [AP]M)?\]?(?: -)? (?:Starting compilation in watch mode|File change detected\. Starting incremental compilation)\.\.\.$",
);

/// A row of the table below the final count.
static TABLE: Pattern = Pattern::new(r"^ *\d+  \S.*:\d+$");

/// A source line of a code frame: its number, a space, the line.
static FRAME_SOURCE: Pattern = Pattern::new(r"^ *(?<number>\d+) (?<source>.*)$");

/// The location of related information in a pretty finding.
static RELATED: Pattern = Pattern::new(r"^  (?<file>\S.*):(?<line>\d+):(?<column>\d+)$");

/// The text before the number of a code.
static CODE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(" TS"));

/// The first line of a finding, parsed from its code outwards: `src/a.ts(2,9): error TS2322: …`, pretty
/// `src/a.ts:2:9 - error TS2322: …`, or without a location if the finding is about the whole program, such as a
/// wrong option.
struct Heading<'t> {
    file: Option<&'t str>,
    position: Option<(&'t str, &'t str)>,
    is_pretty: bool,
    level: Level,
    code: &'t str,
    message: &'t str,
}

impl<'t> Heading<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let coded = || CODE.find_iter(text.as_bytes()).filter_map(|at| Self::coded(text, at));
        // The first of several locations is the finding's; a finding without one is at the start of its line.
        coded()
            .find(|heading| heading.position.is_some())
            .or_else(|| coded().find(|heading| heading.position.is_none()))
    }

    /// Parses the text around a code. `at` is the offset of the space before it.
    fn coded(text: &'t str, at: usize) -> Option<Self> {
        let coded = &text[at + 1..];
        let digits = coded[2..].bytes().take_while(u8::is_ascii_digit).count();
        let (code, message) = coded.split_at(2 + digits);
        let message = message.strip_prefix(": ").filter(|_| 0 < digits)?;
        let words = [
            ("error", Level::Error),
            ("warning", Level::Warning),
            ("message", Level::Info),
            ("suggestion", Level::Info),
        ];
        let (before, word, level) =
            words.iter().find_map(|(word, level)| Some((text[..at].strip_suffix(word)?, *word, *level)))?;
        let heading = Self { file: None, position: None, is_pretty: false, level, code, message };
        if before.is_empty() {
            return (word != "suggestion").then_some(heading);
        }
        let (file, position, is_pretty) = if let Some(before) = before.strip_suffix("): ") {
            let (before, column) = number(before)?;
            let (before, line) = number(before.strip_suffix(',')?)?;
            (before.strip_suffix('(')?, (line, column), false)
        } else {
            let (before, column) = number(before.strip_suffix(" - ")?)?;
            let (before, line) = number(before.strip_suffix(':')?)?;
            (before.strip_suffix(':')?, (line, column), true)
        };
        let is_file = !file.is_empty() && !file.starts_with(['\t', '\n', '\x0b', '\x0c', '\r', ' ']);
        is_file.then_some(Self { file: Some(file), position: Some(position), is_pretty, ..heading })
    }
}

/// Whether a text begins a finding in the plain layout, with no parenthesis before that of its location.
pub(crate) fn is_plain(text: &str) -> bool {
    let is_plain = |heading: &Heading<'_>| !heading.is_pretty && heading.level != Level::Info;
    Heading::read(text).filter(is_plain).and_then(|heading| heading.file).is_some_and(|file| !file.contains('('))
}

/// Splits the number from the end of a text.
fn number(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    (0 < digits).then(|| text.split_at(text.len() - digits))
}

#[derive(Default)]
pub(crate) struct Tsc {
    is_hinted: bool,
    findings: Findings,
    notes: Vec<String>,
    /// Findings and notes of earlier watch cycles. They are replaced once this cycle is over, which only a
    /// final count in watch mode shows: any program can print that a cycle begins.
    before: (Findings, Vec<String>),
    open: Option<Open>,
    /// Number of errors since the last final count.
    errors_listed: u64,
    /// Whether a final count was read that only watch mode prints.
    was_watching: bool,
    was_summed_up: bool,
    is_in_table: bool,
}

/// The finding whose lines are being read.
struct Open {
    diagnostic: Diagnostic,
    /// Whether the finding is only counted, and not kept.
    is_counted: bool,
    part: Part,
}

/// The part of a finding that is being read.
enum Part {
    Message {
        is_pretty: bool,
    },
    /// Its code frame, with the width of the line numbers once one was read.
    Frame {
        gutter: Option<usize>,
    },
    /// Related information, with whether its code frame is over and its message follows.
    Related {
        follows_frame: bool,
    },
}

impl Tsc {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.errors_listed += u64::from(open.diagnostic.level == Level::Error);
            if !open.is_counted {
                self.findings.add(open.diagnostic);
            }
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let Some(heading) = Heading::read(&line.text) else { return false };
        self.close();
        let Heading { file, position, is_pretty, level, code, message } = heading;
        let file =
            file.map(|file| if file.contains('\\') { Cow::Owned(text::path(file)) } else { Cow::Borrowed(file) });
        // A finding that is not kept is only counted, and its lines are recognized.
        let is_counted = self.findings.kept.is_full();
        let (tool, rule, message) = match (is_counted, is_pretty) {
            (true, _) => ("", "", ""),
            (false, true) => ("tsc", "tsc/pretty", message),
            (false, false) => ("tsc", "tsc/plain", message),
        };
        let mut found = diagnostic(tool, rule, line, level, message);
        if is_counted {
            self.findings.count(file.as_deref(), Some(code), level, false);
        } else {
            found.file = file.as_deref().map(name);
            found.code = Some(code.to_owned());
        }
        (found.line, found.column) =
            position.map_or((None, None), |(line, column)| (text::position(line), text::position(column)));
        self.open = Some(Open { diagnostic: found, is_counted, part: Part::Message { is_pretty } });
        true
    }

    fn sum_up(&mut self, line: &Line<'_>) -> bool {
        if !line.text.contains("Found ") {
            return false;
        }
        let Some(captures) = SUMMARY.captures(&line.text) else { return false };
        let Some(errors) = text::count(&captures["errors"]) else { return false };
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

    /// Adds the findings of this cycle to the earlier ones.
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

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.keep_before();
        let (findings, notes) = self.before;
        // Other tools print `Found 3 errors.` too: alone it counts only with a hint.
        let has_findings = findings.counts.by_rule.keys().any(|rule| !rule.is_empty());
        let is_recognized = has_findings || self.was_watching || (self.is_hinted && self.was_summed_up);
        is_recognized.then(|| Candidate::of("text", findings).notes(notes))
    }
}

impl Open {
    /// Reads a line that may belong to the finding, and returns whether it does.
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
                if let Some(found) = RELATED.find(text) {
                    candidate::relate(&mut self.diagnostic, [found.related()]);
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
                if let Some(found) = RELATED.find(text) {
                    *follows_frame = false;
                    candidate::relate(&mut self.diagnostic, [found.related()]);
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

fn add_to_related(diagnostic: &mut Diagnostic, text: &str) {
    let Some(place) = diagnostic.related.last_mut() else { return };
    if place.message.is_empty() {
        cut::head(text, RELATED_BYTES).clone_into(&mut place.message);
    } else {
        text::add_line(&mut place.message, text, RELATED_BYTES);
    }
}

fn is_squiggle(trimmed: &str) -> bool {
    trimmed.bytes().all(|byte| byte == b'~')
}

/// Reads a line of a code frame: a source line, the squiggle below one, or the mark for omitted lines.
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
    let Some(captures) = FRAME_SOURCE.captures(text) else { return false };
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
