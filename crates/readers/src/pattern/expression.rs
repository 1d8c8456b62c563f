//! A regular expression, and what its groups match.

use std::ops::Range;
use std::sync::OnceLock;

use regex::{Captures, Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};
use smallvec::SmallVec;

use super::backtrack::{UNSET, position};
use super::literal::Literal;
use super::program::Program;

/// Maximum nesting depth of an expression.
pub(crate) const NESTING: u32 = 64;

/// Maximum memory of one compiled expression that a user wrote, in bytes; also that of the states which an automaton keeps.
const COMPILED_BYTES: usize = 4 * 1024 * 1024;

/// Number of positions that are kept without a memory of their own: those of eleven groups and the whole match.
const SLOTS: usize = 24;

/// A regular expression. It is matched by its [`Program`]; where it has none, or gives up, by an automaton, which is
/// made when it is first needed.
#[derive(Debug)]
pub(crate) struct Expression {
    written: String,
    ignores_case: bool,
    program: Option<Program>,
    /// A text that every match contains.
    required: Option<Literal>,
    automaton: OnceLock<Regex>,
    /// The groups that have names, in the order of the names with their digits.
    named: Vec<Named>,
    /// Number of groups, including the whole match.
    groups: usize,
}

/// A group with a name, without the digit that distinguishes alternatives.
#[derive(Debug)]
struct Named {
    key: u32,
    name: String,
    group: usize,
}

/// Where the groups of a match are: the start and the end of each, or [`UNSET`].
pub(super) type Slots = SmallVec<[u32; SLOTS]>;

impl Expression {
    /// Parses an expression in the syntax of the `regex` crate.
    pub(crate) fn new(written: &str, ignores_case: bool) -> Result<Self, regex::Error> {
        let parsed = ParserBuilder::new().case_insensitive(ignores_case).nest_limit(NESTING).build().parse(written);
        let hir = parsed.map_err(|error| regex::Error::Syntax(error.to_string()))?;
        let program = Program::of(&hir);
        let mut groups = Vec::new();
        collect_groups(&hir, &mut groups);
        // The number of a group that can match nothing, such as `(a){0}`, is left out.
        let last = groups.iter().map(|(_, group)| *group).max().unwrap_or_default();
        groups.sort_unstable();
        let named = |(name, group): (Option<&str>, usize)| {
            let name = base(name?);
            Some(Named { key: key(name), name: name.to_owned(), group })
        };
        Ok(Self {
            written: written.to_owned(),
            ignores_case,
            program,
            required: Literal::of(&hir),
            automaton: OnceLock::new(),
            named: groups.into_iter().filter_map(named).collect(),
            groups: last + 1,
        })
    }

    /// Makes the automaton at once, which fails if the expression is too large.
    pub(crate) fn compiled(self) -> Result<Self, regex::Error> {
        let automaton = self.compile(COMPILED_BYTES)?;
        Ok(Self { automaton: OnceLock::from(automaton), ..self })
    }

    fn compile(&self, size_limit: usize) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.written)
            .case_insensitive(self.ignores_case)
            .size_limit(size_limit)
            .dfa_size_limit(COMPILED_BYTES)
            .nest_limit(NESTING)
            .build()
    }

    fn automaton(&self) -> &Regex {
        // What a user wrote was compiled within its limit at once.
        self.automaton.get_or_init(|| self.compile(usize::MAX).expect("the expression is parsed, and has no limit"))
    }

    /// Returns the number of groups, including the whole match.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// Returns the first match in a text.
    pub(crate) fn find<'e, 't>(&'e self, text: &'t str) -> Option<Groups<'e, 't>> {
        if self.required.as_ref().is_some_and(|required| !required.is_in(text.as_bytes())) {
            return None;
        }
        let found = self.program.as_ref().and_then(|program| {
            let mut slots = SmallVec::from_elem(UNSET, 2 * self.groups);
            let is_match = program.matches(text, &mut slots).ok()?;
            Some(is_match.then_some(slots))
        });
        #[cfg(test)]
        if let Some(found) = &found {
            assert_eq!(*found, self.find_by_automaton(text), "{} {text:?}", self.written);
        }
        let slots = found.unwrap_or_else(|| self.find_by_automaton(text))?;
        Some(Groups { expression: self, text, slots })
    }

    fn find_by_automaton(&self, text: &str) -> Option<Slots> {
        self.automaton().captures(text).map(|captures| slots(&captures))
    }

    /// Returns all matches in a text, none of which overlap.
    pub(crate) fn find_iter<'e, 't>(&'e self, text: &'t str) -> impl Iterator<Item = Groups<'e, 't>> {
        let automaton = self.automaton();
        automaton.captures_iter(text).map(move |captures| Groups { expression: self, text, slots: slots(&captures) })
    }
}

fn slots(captures: &Captures<'_>) -> Slots {
    let of_group = |group: Option<regex::Match<'_>>| {
        group.map_or([UNSET; 2], |group| [position(group.start()), position(group.end())])
    };
    captures.iter().flat_map(of_group).collect()
}

/// Collects the groups: their names, if they have one, and numbers.
fn collect_groups<'h>(hir: &'h Hir, groups: &mut Vec<(Option<&'h str>, usize)>) {
    match hir.kind() {
        HirKind::Capture(group) => {
            groups.push((group.name.as_deref(), group.index as usize));
            collect_groups(&group.sub, groups);
        }
        HirKind::Repetition(repetition) => collect_groups(&repetition.sub, groups),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            for part in parts {
                collect_groups(part, groups);
            }
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => {}
    }
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

/// A match, and what its groups matched.
pub(crate) struct Groups<'e, 't> {
    expression: &'e Expression,
    text: &'t str,
    slots: Slots,
}

impl<'t> Groups<'_, 't> {
    /// Returns where a group is, by its number; 0 is the whole match.
    fn range(&self, group: usize) -> Option<Range<usize>> {
        let (start, end) = (*self.slots.get(2 * group)?, *self.slots.get(2 * group + 1)?);
        (start != UNSET && end != UNSET).then_some(start as usize..end as usize)
    }

    /// Returns the text that a group matched, by its number; 0 is the whole match.
    pub(crate) fn at(&self, group: usize) -> Option<&'t str> {
        self.range(group).map(|found| &self.text[found])
    }

    fn named(&self, name: &str) -> Option<Range<usize>> {
        let key = key(name);
        let mut named = self.expression.named.iter().filter(|known| known.key == key && known.name == name);
        named.find_map(|name| self.range(name.group))
    }

    /// Returns the text that a group matched, or that of the alternative which took part.
    pub(crate) fn get(&self, group: &str) -> Option<&'t str> {
        self.named(group).map(|found| &self.text[found])
    }

    /// Returns the offset at which a group begins.
    pub(crate) fn start(&self, group: &str) -> Option<usize> {
        self.named(group).map(|found| found.start)
    }

    /// Returns whether a group took part in the match.
    pub(crate) fn has(&self, group: &str) -> bool {
        self.named(group).is_some()
    }

    /// Returns the text that a group matched, or an empty string.
    pub(crate) fn text(&self, group: &str) -> &'t str {
        self.get(group).unwrap_or_default()
    }

    /// Returns where the whole match is.
    pub(crate) fn whole(&self) -> Range<usize> {
        self.range(0).unwrap_or_default()
    }

    /// Returns the text that matched.
    pub(crate) fn matched(&self) -> &'t str {
        &self.text[self.whole()]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Matches by both ways, which are compared in [`Expression::find`].
    fn find(written: &str, text: &str) -> Option<Vec<Option<String>>> {
        let expression = Expression::new(written, false).unwrap();
        assert!(expression.program.is_some(), "{written}");
        let found = expression.find(text)?;
        Some((0..expression.groups).map(|group| found.at(group).map(str::to_owned)).collect())
    }

    #[test]
    fn groups_are_those_of_the_first_alternative_that_matches() {
        for (written, text, groups) in [
            (r"^(.*?)\((\d+),(\d+)\): (.*)$", "a(b)(1,2): no", Some(vec!["a(b)", "1", "2", "no"])),
            (r"^(.+):(\d+)(?::(\d+))?$", "a:b:3:4", Some(vec!["a:b:3", "4", ""])),
            (r"^(.+?):(\d+)(?::(\d+))?$", "a:b:3:4", Some(vec!["a:b", "3", "4"])),
            (r"^(?:(a)x|a(b)|(.*))$", "ab", Some(vec!["", "b", ""])),
            (r"^((?:[a-z]+/)*)([a-z]+)$", "a/b/c", Some(vec!["a/b/", "c"])),
            (r"^([^ü]*)(ü{2})(.{1,2})$", "aüüßü", Some(vec!["a", "üü", "ßü"])),
            (r"([0-9]{2,3}?) (passed|failed)", "1 of 123 passed", Some(vec!["123", "passed"])),
            (r"^(a+)(a|b)$", "aaa", Some(vec!["aa", "a"])),
            (r"^[✓×] (.*) [─-]+$", "✓ größe ──", Some(vec!["größe"])),
            (r"^(a+)$", "aab", None),
            (r"^(a){0}(b)(c){0}$", "b", Some(vec!["", "b"])),
            (r"(?-u:\b)in(?-u:\b) (.)", "inner in ü", Some(vec!["ü"])),
        ] {
            let groups = groups.map(|groups| groups.into_iter().map(str::to_owned).collect::<Vec<_>>());
            let found = find(written, text);
            let found = found.map(|found| found.into_iter().skip(1).map(Option::unwrap_or_default).collect::<Vec<_>>());
            assert_eq!(found, groups, "{written} {text}");
        }
    }

    #[test]
    fn what_takes_too_long_is_left_to_the_automaton() {
        let expression = Expression::new("^(?:a|b|ab)+(?:a|ba)+(?:a|ab|b)+c$", false).unwrap();
        let text = "ab".repeat(400);
        let program = expression.program.as_ref().unwrap();
        assert!(program.matches(&text, &mut [UNSET; 2]).is_err());
        assert!(expression.find(&text).is_none() && expression.find(&(text + "c")).is_some());
    }

    #[test]
    fn what_can_follow_many_empty_alternatives_is_found_out_at_once() {
        assert_eq!(find(&format!("^{}(b)$", "(?:|)".repeat(200)), "b").unwrap()[1].as_deref(), Some("b"));
    }

    #[test]
    fn an_expression_that_has_no_program_is_matched() {
        let expression = Expression::new("(?m)^(?:a?)*(?<x>b)$", false).unwrap();
        assert!(expression.program.is_none());
        assert_eq!(expression.find("c\naab").unwrap().text("x"), "b");
    }

    proptest! {
        #[test]
        fn any_expression_finds_what_its_automaton_finds(
            written in "\\^?(\\(?[a-bü:.]([*+?]|\\{1,2\\}|\\{2\\}|\\{0\\}|)\\??\\)?[|:]?|\\(a[:.]*\\|b\\)[*+?]?\\??|[.][*+]\\??|\\[\\^:\\][*+]|\\[a-ü\\]\\+){1,7}\\$?",
            lines in proptest::collection::vec("[a-bü:€]{0,9}", 1..20),
            ignores_case: bool,
        ) {
            if let Ok(expression) = Expression::new(&written, ignores_case) {
                for line in lines {
                    expression.find(&line);
                }
            }
        }
    }
}
