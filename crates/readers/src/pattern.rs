//! Patterns for lines, and the meaning of their groups.
//!
//! A pattern knows the bytes that a matching line can begin and end with, the longest text that every such line must
//! contain, and all such texts in their order, so that most lines are rejected by a look at their ends or by a search
//! for those texts; it is compiled when a line first contains them. A last group that takes whatever is left of a line
//! is not matched but cut off. Where the groups of the last match were not asked for, those of the next one are found
//! only when they are.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use referee_model::limit;
use referee_model::reading::{Diagnostic, Level, RelatedPlace, TestFailure};
use referee_syntax::cut;
use regex::{Captures, Regex};

use self::ends::Ends;
use self::landmarks::Landmarks;
use self::literal::Literal;
use crate::candidate::{self, diagnostic, name, path};
use crate::level::level;
use crate::scan::Line;
use crate::text;

pub(crate) mod ends;
mod landmarks;
pub(crate) mod literal;

/// A pattern written in this crate. Its character classes are those of ASCII ([`text::pattern`]).
///
/// Groups have names. Where alternatives mean the same, their groups are numbered from 2: `line`, `line2`.
pub(crate) struct Pattern {
    written: Cow<'static, str>,
    ends: OnceLock<Ends>,
    required: OnceLock<(Option<Literal>, Landmarks)>,
    whole: OnceLock<Compiled>,
    /// The pattern with its last group open at the end, and the number of that group.
    open: OnceLock<Option<(Compiled, usize)>>,
    /// Whether the last text matched and its groups were asked for: then it is likely that those of the next one are, too.
    are_wanted: AtomicBool,
}

struct Compiled {
    regex: Regex,
    /// Group names without the closing digit, in the order of the digits, each with the number of the group.
    groups: Vec<Group>,
}

struct Group {
    key: u32,
    name: String,
    number: usize,
}

impl Pattern {
    pub(crate) const fn new(written: &'static str) -> Self {
        Self::of(Cow::Borrowed(written))
    }

    pub(crate) const fn of(written: Cow<'static, str>) -> Self {
        Self {
            written,
            ends: OnceLock::new(),
            required: OnceLock::new(),
            whole: OnceLock::new(),
            open: OnceLock::new(),
            are_wanted: AtomicBool::new(true),
        }
    }

    /// Returns whether this pattern is another row's, written once.
    pub(crate) fn is(&self, other: &Self) -> bool {
        std::ptr::eq(&raw const *self.written, &raw const *other.written)
    }

    pub(crate) fn find<'p, 't>(&'p self, text: &'t str) -> Option<Groups<'p, 't>> {
        if !self.may_match(text) {
            return None;
        }
        let open = self.open.get_or_init(|| {
            let compiled = Compiled::new(&without_rest(&self.written)?);
            let last = compiled.regex.captures_len() - 1;
            Some((compiled, last))
        });
        if let Some((compiled, rest)) = open {
            let groups = self.groups_in(compiled, *rest, text)?;
            let goes_on = |from: usize| memchr::memchr(b'\n', &text.as_bytes()[from..]).is_some();
            if !goes_on(0) || !goes_on(groups.captures().get_match().end()) {
                return Some(groups);
            }
        }
        self.groups_in(self.whole(), usize::MAX, text)
    }

    /// Matches a text. Its groups are found only where they are likely to be asked for, as that takes several times as
    /// long.
    fn groups_in<'p, 't>(&'p self, compiled: &'p Compiled, rest: usize, text: &'t str) -> Option<Groups<'p, 't>> {
        let captures = if self.are_wanted.load(Ordering::Relaxed) {
            self.are_wanted.store(false, Ordering::Relaxed);
            OnceCell::from(compiled.regex.captures(text)?)
        } else {
            compiled.regex.is_match(text).then(OnceCell::new)?
        };
        Some(Groups { text, compiled, captures, rest, are_wanted: &self.are_wanted })
    }

    /// Matches a text, for a reader that handles the groups itself.
    pub(crate) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if !self.may_match(text) {
            return None;
        }
        let regex = &self.whole().regex;
        let is_match = self.are_wanted.load(Ordering::Relaxed) || regex.is_match(text);
        let captures = is_match.then(|| regex.captures(text)).flatten();
        self.are_wanted.store(captures.is_some(), Ordering::Relaxed);
        captures
    }

    /// Returns all matches in a text.
    pub(crate) fn find_iter<'p, 't>(&'p self, text: &'t str) -> impl Iterator<Item = Groups<'p, 't>> {
        let (compiled, are_wanted) = (self.whole(), &self.are_wanted);
        compiled.regex.captures_iter(text).map(move |captures| {
            let captures = OnceCell::from(captures);
            Groups { text, compiled, captures, rest: usize::MAX, are_wanted }
        })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.may_match(text) && self.whole().regex.is_match(text)
    }

    /// Returns the bytes that a matching text can begin and end with.
    pub(crate) fn ends(&self) -> &Ends {
        self.ends.get_or_init(|| Ends::of(&text::with_ascii_classes(&self.written)))
    }

    fn may_match(&self, text: &str) -> bool {
        if !self.ends().admit(text) {
            return false;
        }
        let (literal, landmarks) = self.required.get_or_init(|| {
            let pattern = text::with_ascii_classes(&self.written);
            (Literal::of(&pattern, false), Landmarks::of(&pattern))
        });
        let bytes = text.as_bytes();
        literal.as_ref().is_none_or(|literal| literal.is_in(bytes)) && landmarks.are_in(bytes)
    }

    fn whole(&self) -> &Compiled {
        self.whole.get_or_init(|| Compiled::new(&self.written))
    }
}

impl Compiled {
    fn new(written: &str) -> Self {
        let regex = text::pattern(written);
        let names = regex.capture_names().enumerate();
        let mut names: Vec<_> = names.filter_map(|(number, name)| Some((name?, number))).collect();
        names.sort_unstable();
        let group = |(name, number)| {
            let name = base(name);
            Group { key: key(name), name: name.to_owned(), number }
        };
        let groups = names.into_iter().map(group).collect();
        Self { regex, groups }
    }
}

/// Splits off what lets the last group of a pattern take all that is left: `.*)$`, `.+)$`. Returns the pattern up to
/// that, with the group closed: whatever comes before matches the same with or without.
fn without_rest(written: &str) -> Option<String> {
    let (head, least) = match written.strip_suffix(".*)$") {
        Some(head) => (head, ""),
        None => (written.strip_suffix(".+)$")?, "."),
    };
    let (_, last) = head.rsplit_once("(?<")?;
    let (_, begun) = last.split_once('>')?;
    matches!(begun, "" | r"\S").then(|| format!("{head}{least})"))
}

/// Returns a number that tells most names of groups apart without a comparison of their bytes.
fn key(group: &str) -> u32 {
    let bytes = group.as_bytes();
    let ends = [bytes.first(), bytes.last()].map(|byte| u32::from(byte.copied().unwrap_or_default()));
    u32::try_from(bytes.len()).unwrap_or(u32::MAX) << 16 | ends[0] << 8 | ends[1]
}

/// Returns a group's name without the closing digit (2 to 9) that distinguishes alternatives.
fn base(group: &str) -> &str {
    group.trim_end_matches(|last| matches!(last, '2'..='9'))
}

pub(crate) struct Groups<'p, 't> {
    text: &'t str,
    compiled: &'p Compiled,
    captures: OnceCell<Captures<'t>>,
    /// The number of the group that takes the rest of the text, if there is such a group.
    rest: usize,
    are_wanted: &'p AtomicBool,
}

impl<'t> Groups<'_, 't> {
    fn captures(&self) -> &Captures<'t> {
        self.are_wanted.store(true, Ordering::Relaxed);
        self.captures.get_or_init(|| self.compiled.regex.captures(self.text).expect("the text matches"))
    }

    fn group(&self, name: &str) -> Option<Range<usize>> {
        let key = key(name);
        let mut named = self.compiled.groups.iter().filter(|group| group.key == key && group.name == name);
        let range = |group: &Group| {
            let found = self.captures().get(group.number)?.range();
            Some(if group.number == self.rest { found.start..self.text.len() } else { found })
        };
        named.find_map(range)
    }

    /// Returns the text that a group matched, or that of the alternative which took part.
    pub(crate) fn get(&self, group: &str) -> Option<&'t str> {
        self.group(group).map(|found| &self.text[found])
    }

    /// Returns the offset at which a group begins.
    pub(crate) fn start(&self, group: &str) -> Option<usize> {
        self.group(group).map(|found| found.start)
    }

    /// Returns whether a group took part in the match.
    pub(crate) fn has(&self, group: &str) -> bool {
        self.group(group).is_some()
    }

    /// Returns the text that a group matched, or an empty string.
    pub(crate) fn text(&self, group: &str) -> &'t str {
        self.get(group).unwrap_or_default()
    }

    /// Returns where the whole match is.
    pub(crate) fn whole(&self) -> Range<usize> {
        let found = self.captures().get_match().range();
        if self.captures().get(self.rest).is_some() { found.start..self.text.len() } else { found }
    }

    /// Returns the text that matched.
    pub(crate) fn matched(&self) -> &'t str {
        &self.text[self.whole()]
    }

    /// Parses a 1-based number.
    pub(crate) fn position(&self, group: &str) -> Option<u32> {
        text::position(self.get(group)?)
    }

    /// Parses a 0-based number and returns it 1-based. For an inclusive end, this is the position after it.
    pub(crate) fn successor(&self, group: &str) -> Option<u32> {
        self.get(group)?.parse::<u32>().ok()?.checked_add(1)
    }

    /// Parses a number of findings or tests; `no` means 0.
    pub(crate) fn count(&self, group: &str) -> Option<u64> {
        let digits = self.get(group)?;
        if digits.eq_ignore_ascii_case("no") { Some(0) } else { text::count(digits) }
    }

    /// Parses a number of findings or tests; 0 if the group took no part.
    pub(crate) fn number(&self, group: &str) -> u64 {
        self.count(group).unwrap_or_default()
    }

    /// Returns a path in its stored form.
    pub(crate) fn file(&self, group: &str) -> Option<String> {
        self.get(group).filter(|file| !file.is_empty()).map(path)
    }

    /// Returns the level that the group `level` names.
    pub(crate) fn level(&self) -> Option<Level> {
        self.get("level").and_then(level)
    }

    /// Creates a finding; `otherwise` is its level if the pattern does not give one.
    pub(crate) fn diagnostic(&self, tool: &str, rule: &str, line: &Line<'_>, otherwise: Level) -> Diagnostic {
        self.saying(self.text("message").trim_end(), tool, rule, line, otherwise)
    }

    /// Creates a finding with this message.
    pub(crate) fn saying(&self, said: &str, tool: &str, rule: &str, line: &Line<'_>, otherwise: Level) -> Diagnostic {
        let level = self.level().unwrap_or(otherwise);
        let mut made = diagnostic(tool, rule, line, level, said);
        self.locate(&mut made);
        made.code = self.code();
        made.fixable = self.has("fix");
        made
    }

    /// Creates a failed test from its `name`, location and `message`.
    pub(crate) fn failure(&self, rule: &str, line: &Line<'_>) -> TestFailure {
        TestFailure {
            file: self.file("file"),
            line: self.position("line"),
            column: self.position("column"),
            message: cut::head(self.text("message").trim_end(), limit::MESSAGE_BYTES).to_owned(),
            ..candidate::failure(self.text("name"), rule, line)
        }
    }

    /// Creates a related location from a location and a `message`.
    pub(crate) fn related(&self) -> RelatedPlace {
        let column = self.position("column").or_else(|| self.successor("column0"));
        let message = self.text("message").trim().to_owned();
        RelatedPlace { file: self.file("file"), line: self.position("line"), column, message }
    }

    pub(crate) fn code(&self) -> Option<String> {
        self.get("code").filter(|code| !code.is_empty()).map(name)
    }

    /// Fills in those parts of a finding's location that are not set yet and that the pattern gives.
    pub(crate) fn locate(&self, made: &mut Diagnostic) {
        made.file = made.file.take().or_else(|| self.file("file"));
        made.line = made.line.or_else(|| self.position("line")).or_else(|| self.successor("line0"));
        let column = made.column.or_else(|| self.position("column")).or_else(|| self.successor("column0"));
        made.column = column.filter(|_| made.line.is_some());
        let last = self.successor("last_column");
        made.end_column = made.end_column.or_else(|| self.position("end_column")).or(last);
        made.end_line = made.end_line.or_else(|| self.position("end_line")).or(made.line.filter(|_| last.is_some()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_alternatives_are_one_group() {
        static PLACE: Pattern = Pattern::new(r"^(?<file>\S+)(?::(?<line>\d+)|\((?<line2>\d+)\)): (?<count>\d+|no)$");
        for (text, line, count) in [("a:3: 4", 3, 4), ("a(5): no", 5, 0)] {
            let found = PLACE.find(text).unwrap();
            assert_eq!((found.text("file"), found.position("line"), found.number("count")), ("a", Some(line), count));
        }
        assert!(PLACE.find("a: 3").is_none() && !PLACE.is_match(""));
    }

    #[test]
    fn the_last_group_takes_the_rest_of_a_line() {
        static SAID: Pattern = Pattern::new(r"^(?<code>[A-Z]+)(?:: (?<level>\w+))?: (?<message>\S.*)$");
        let message = |text| SAID.find(text).map(|found| (found.text("message").to_owned(), found.whole()));
        assert_eq!(message("A: error: no "), Some(("no ".to_owned(), 0..13)));
        assert_eq!(message("A: no: no"), Some(("no".to_owned(), 0..9)));
        assert_eq!((message("A:  no"), message("A: n\no")), (None, None));
        assert_eq!(without_rest(r"^(?<a>x)(?<b>.+)$").as_deref(), Some(r"^(?<a>x)(?<b>.)"));
        assert!(without_rest(r"^(?<a>x).*$").is_none() && without_rest(r"^(?<a>x(?:y|.*)$)").is_none());
    }

    #[test]
    fn places_are_counted_from_one_and_end_behind_their_last_column() {
        static PLACE: Pattern = Pattern::new(r"^(?<line0>\d+):(?<column0>\d+)-(?<last_column>\d+)$");
        let line = Line::new("0:4-6", referee_model::record::Stream::Stdout, 0..5);
        let made = PLACE.find(&line.text).unwrap().diagnostic("tool", "tool/text", &line, Level::Error);
        assert_eq!((made.line, made.column, made.end_line, made.end_column), (Some(1), Some(5), Some(1), Some(7)));
    }
}
