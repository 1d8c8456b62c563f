//! RuboCop's formatters for terminals and for editors.

use crate::prelude::*;

/// `lib/calc.rb:5:3: C: [Correctable] Layout/EmptyLineBetweenDefs: Expected …`. TAP output has `# ` before it.
static OFFENSE: Pattern = Pattern::new(
    r"^(?:# )?(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>[CRWEFI]): (?:\[(?:(?<fix>Correctable)|(?<corrected>Corrected)|Todo)\] )?(?:(?<code>(?:[A-Z]\w+/)+[A-Z]\w+): )?(?<message>.*)$",
);

/// `C:  5:  3: [Correctable] Layout/EmptyLineBetweenDefs: Expected …`, below `== lib/calc.rb ==`.
static SIMPLE: Pattern = Pattern::new(
    r"^(?<level>[CRWEFI]): *(?<line>\d+): *(?<column>\d+): (?:\[(?:(?<fix>Correctable)|(?<corrected>Corrected)|Todo)\] )?(?:(?<code>(?:[A-Z]\w+/)+[A-Z]\w+): )?(?<message>.*)$",
);

/// `6 files inspected, 41 offenses detected, …`.
static SUMMARY: Pattern = Pattern::new(r"^\d+ files? inspected, (?<number>no|\d+) off[ec]n[sc]es? detected(?:, .*)?$");

/// The mark below a source line.
static CARETS: Pattern = Pattern::new(r"^(?:# )?(?<indent>\s*)(?<mark>\^+|\^\{\})$");

/// Maximum number of lines below an offense: more of its message, its source line, the mark.
const LINES: u8 = 6;

#[derive(Default)]
pub(super) struct Text {
    is_hinted: bool,
    findings: Findings,
    /// The offense whose source line may follow, the number of lines read below it, and whether it was
    /// corrected.
    open: Option<(Diagnostic, u8, bool)>,
    below: Option<String>,
    /// The current file in the simple format.
    file: Option<String>,
    listed: u64,
    has_codes: bool,
    has_summary: bool,
    notes: Vec<String>,
}

impl Text {
    pub(super) fn new(is_hinted: bool) -> Self {
        Self { is_hinted, ..Self::default() }
    }

    fn close(&mut self) {
        self.below = None;
        if let Some((found, _, is_corrected)) = self.open.take() {
            self.listed += 1;
            if !is_corrected {
                self.findings.add(found);
            }
        }
    }

    fn begin(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        let (captures, rule) = match (OFFENSE.find(text), &self.file) {
            (Some(captures), _) => (captures, "rubocop/clang"),
            (None, Some(_)) => match SIMPLE.find(text) {
                Some(captures) => (captures, "rubocop/simple"),
                None => return false,
            },
            (None, None) => return false,
        };
        let mut found = captures.diagnostic("rubocop", rule, line, Level::Info);
        found.file = found.file.or_else(|| self.file.clone());
        // Without a cop's name, the line counts only with a hint or for a Ruby file.
        if found.code.is_none() && !self.is_hinted && !found.file.as_deref().is_some_and(is_ruby) {
            return false;
        }
        self.close();
        self.has_codes |= found.code.is_some();
        self.open = Some((found, 0, captures.has("corrected")));
        true
    }

    fn sum_up(&mut self, text: &str) -> bool {
        let Some(captures) = SUMMARY.find(text) else { return false };
        self.close();
        let number = captures.number("number");
        let unlisted = number.saturating_sub(std::mem::take(&mut self.listed));
        if 0 < unlisted && self.notes.len() < 20 {
            self.notes.push(format!("rubocop counts {number} offenses; {unlisted} of them were not listed"));
        }
        self.findings.add_unlisted(Level::Warning, unlisted);
        self.has_summary = true;
        true
    }

    /// Reads a line below an offense.
    fn below(&mut self, line: &Line<'_>) -> bool {
        let Some((found, lines, _)) = &mut self.open else { return false };
        let text = line.text.trim_end();
        if text.is_empty() || *lines == LINES {
            self.close();
            return false;
        }
        *lines += 1;
        found.origin.end = line.end;
        if let Some(captures) = CARETS.find(text) {
            let source = self.below.take();
            let column = u32::try_from(captures.text("indent").chars().count() + 1).ok();
            let length = captures.text("mark").chars().filter(|_| !captures.text("mark").ends_with('}')).count();
            let is_whole = source.as_ref().is_some_and(|source| !source.ends_with(" ..."));
            if column == found.column && 0 < length && is_whole {
                found.end_line = found.line;
                found.end_column = found.column.and_then(|column| column.checked_add(u32::try_from(length).ok()?));
            }
            found.source = source;
            self.close();
            return true;
        }
        // Further lines of a message precede the source line.
        if let Some(more) = self.below.replace(cut::head(text, limit::MESSAGE_BYTES).to_owned()) {
            text::add_line(&mut found.message, &more, limit::MESSAGE_BYTES);
        }
        true
    }
}

/// Whether a file is a Ruby source, judged by its name.
fn is_ruby(file: &str) -> bool {
    text::has_extension(file, &["rb", "rake", "ru", "gemspec", "rbi"])
        || file.ends_with("Gemfile")
        || file.ends_with("Rakefile")
}

impl LineReader for Text {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.contains(": ") && self.begin(line) || text.contains(" inspected, ") && self.sum_up(text) {
            return Use::Line;
        }
        if let Some(file) = text.strip_prefix("== ").and_then(|text| text.strip_suffix(" ==")) {
            self.close();
            self.file = Some(name(&text::path(file)));
            return Use::Line;
        }
        let is_own = self.below(line)
            || (self.has_codes && text == "Offenses:")
            || (text.starts_with("Inspecting ") && (text.ends_with(" files") || text.ends_with(" file")));
        if is_own { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_findings = 0 < self.findings.counts.total();
        let is_recognized = self.has_summary || (has_findings && (self.has_codes || self.is_hinted));
        is_recognized.then(|| Candidate::of("text", self.findings).notes(self.notes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_counts_are_read_in_their_forms() {
        for (text, number) in [
            ("1 file inspected, no offenses detected", Some(0)),
            ("6 files inspected, 41 offenses detected, 31 offenses autocorrectable", Some(41)),
            ("1 file inspected, 1 offence detected", Some(1)),
            ("2 files inspected, 3 lints detected", None),
        ] {
            assert_eq!(SUMMARY.find(text).and_then(|found| found.count("number")), number, "{text}");
        }
    }
}
