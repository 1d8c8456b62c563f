//! Prettier: `--check` and `--list-different`.
//!
//! `--check` writes its first line and its success message to standard output and everything else, marked
//! `[warn]` or `[error]`, to standard error. `--list-different` prints bare file names, which are recognized
//! only if the command is known.

use crate::candidate::NAME_BYTES;
use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("prettier", &[], Role::Format)
    .lines(&[LineFormat::new(
        &["[warn] ", "[error]", OPENING, ALL_CLEAR, "Error occurred when checking"],
        |is_hinted| Box::new(Prettier::new(is_hinted)),
    )])
    .merge(one_candidate);

const OPENING: &str = "Checking formatting...";
const ALL_CLEAR: &str = "All matched files use Prettier code style!";

/// A file that could not be parsed: file, message and, if printed, location.
static ERROR: Pattern =
    Pattern::new(r"^(?<file>\S.*?): (?<message>\w*Error: .*?)(?: \((?<line>\d+):(?<column>\d+)\))?$");

/// The final count of files with style issues. Before version 3.1 it did not end with a full stop.
static COUNT: Pattern =
    Pattern::new(r"^Code style issues (?:found )?in (?:(?<files>\d+) files?|the above file)[.?]? ?.*$");

/// The final count of files that could not be parsed. It is on standard output, the files are on standard
/// error.
static ERROR_COUNT: Pattern =
    Pattern::new(r"^Error occurred when checking code style in (?:(?<files>\d+) files?|the above file)\.$");

const CHECK: &str = "check";
const LIST_DIFFERENT: &str = "list-different";

/// The format of lines that both modes print: those about files that could not be parsed.
const EITHER: &str = "errors";

static EXTENSION: Pattern = Pattern::new(r"\.[0-9_-]{0,8}[A-Za-z][A-Za-z0-9_-]{0,15}$");

#[derive(Default)]
pub(crate) struct Prettier {
    is_hinted: bool,
    findings: Findings,
    notes: Vec<String>,
    /// Number of files with style issues.
    unformatted: u64,
    /// Number of files that could not be parsed, according to the final counts.
    unparsed: u64,
    /// Whether a line was read that only `--check` prints.
    is_check: bool,
    /// Whether a `[warn]` line with a file was read, or an `[error]` line.
    is_marked: bool,
    /// Whether a `[warn]` line with a file was read.
    has_warned: bool,
    /// The lines without a mark so far. `None` once one of them was not a file name.
    listed: Option<Findings>,
    is_in_error: bool,
}

impl Prettier {
    pub(crate) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, listed: is_hinted.then(Findings::default), ..Self::default() }
    }

    fn warning(&mut self, rest: &str, line: &Line<'_>) -> Use {
        if let Some(captures) = COUNT.find(rest) {
            self.is_check = true;
            let (files, listed) = (number_of_files(&captures), self.unformatted);
            if listed < files {
                self.note(format!("prettier sums up {files} files; {listed} were read one by one"));
            }
            self.findings.add_unlisted(Level::Warning, files.saturating_sub(listed));
            self.unformatted = 0;
            return Use::Line;
        }
        // Prettier also warns about its own options, in sentences.
        if !is_file(rest) {
            return Use::None;
        }
        self.is_marked = true;
        self.has_warned = true;
        self.unformatted += 1;
        self.findings.add(unformatted(rest, "prettier/check", line));
        Use::Line
    }

    fn error(&mut self, rest: &str, line: &Line<'_>) -> Use {
        if self.is_in_error && (rest.starts_with([' ', '>']) || rest.is_empty()) {
            return Use::Line;
        }
        self.is_in_error = false;
        let Some(captures) = ERROR.find(rest) else {
            // A problem of Prettier itself, which is not a finding.
            self.note(format!("prettier says: {}", cut::head(rest, NAME_BYTES)));
            return Use::None;
        };
        self.is_marked = true;
        self.is_in_error = true;
        self.findings.add(captures.diagnostic("prettier", "prettier/error", line, Level::Error));
        Use::Line
    }

    fn note(&mut self, note: String) {
        const NOTES: usize = 20;
        if self.notes.len() < NOTES {
            self.notes.push(note);
        }
    }

    /// Reads the final count of files that could not be parsed.
    fn sum_up_errors(&mut self, text: &str) -> bool {
        let Some(captures) = ERROR_COUNT.find(text) else { return false };
        self.is_check = true;
        self.unparsed += number_of_files(&captures);
        true
    }

    /// Reads a line without a mark, which `--list-different` could have printed.
    fn bare(&mut self, line: &Line<'_>) -> Use {
        // Package managers first print the command they run, and have warnings of their own.
        if ["> ", "$ ", "npm warn ", "npm notice "].iter().any(|start| line.text.starts_with(start)) {
            return Use::None;
        }
        let is_name = is_file(&line.text) && !line.text.starts_with(' ') && !line.is_cut;
        match &mut self.listed {
            Some(listed) if is_name => {
                listed.add(unformatted(&line.text, "prettier/list-different", line));
                Use::Line
            }
            _ => {
                self.listed = None;
                Use::None
            }
        }
    }
}

impl LineReader for Prettier {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(rest) = text.strip_prefix("[warn] ") {
            return self.warning(rest, line);
        }
        if let Some(rest) = text.strip_prefix("[error]") {
            return self.error(rest.strip_prefix(' ').unwrap_or(rest), line);
        }
        match text {
            OPENING => {
                self.listed = None;
                Use::Line
            }
            ALL_CLEAR => {
                self.is_check = true;
                self.listed = None;
                Use::Line
            }
            "" => Use::None,
            _ if text.starts_with("Error occurred ") && self.sum_up_errors(text) => {
                self.listed = None;
                Use::Line
            }
            _ if self.listed.is_some() => self.bare(line),
            _ => Use::None,
        }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        let listed = self.listed.take().filter(|listed| 0 < listed.counts.total() && !self.is_check);
        let format = match listed {
            Some(_) if self.has_warned => CHECK,
            Some(_) => LIST_DIFFERENT,
            None if self.is_check || self.has_warned => CHECK,
            None => EITHER,
        };
        let is_recognized = self.is_check || listed.is_some() || (self.is_hinted && self.is_marked);
        // Messages about Prettier's own problems qualify a success message in the other stream, but are no
        // result alone.
        let is_tentative = !is_recognized && (self.is_marked || !self.notes.is_empty());
        if let Some(listed) = listed {
            self.findings.append(listed);
        }
        (is_recognized || is_tentative).then(|| Candidate {
            format,
            findings: self.findings,
            notes: self.notes,
            errors_summed_up: self.unparsed,
            is_tentative,
            ..Candidate::default()
        })
    }
}

/// Merges the candidates of both streams: `--list-different` prints errors on standard error and names on
/// standard output.
pub(crate) fn one_candidate(mut candidates: Vec<(Stream, Candidate)>) -> Option<Candidate> {
    let lists = candidates.iter().any(|(_, candidate)| candidate.format == LIST_DIFFERENT);
    let checks = candidates.iter().any(|(_, candidate)| candidate.format == CHECK);
    let mode = if lists && !checks { LIST_DIFFERENT } else { CHECK };
    for (_, candidate) in candidates.iter_mut().filter(|(_, candidate)| candidate.format == EITHER) {
        candidate.format = mode;
    }
    candidate::most_severe(candidates)
}

fn number_of_files(captures: &Groups<'_, '_>) -> u64 {
    if captures.has("files") { captures.number("files") } else { 1 }
}

fn unformatted(file: &str, rule: &str, line: &Line<'_>) -> Diagnostic {
    let file = Some(name(&text::path(file)));
    let message = "not formatted with Prettier";
    Diagnostic { file, fixable: true, ..diagnostic("prettier", rule, line, Level::Warning, message) }
}

/// Whether a text looks like a file name rather than a sentence: no spaces, or an extension at its end.
fn is_file(text: &str) -> bool {
    let has_extension = EXTENSION.is_match(text);
    let is_word = !text.contains(' ') && text.contains('/') && !text.ends_with(['/', '.', ':']);
    !text.is_empty() && (has_extension || is_word)
}
