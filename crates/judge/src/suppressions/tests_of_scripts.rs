//! Tests of JavaScript and TypeScript that are skipped, run alone or expected to fail.

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_syntax::program::{Language, is_word};

use super::table::{CALLS, MODIFIERS, OPTIONS, declares};

/// The language under which the table has what is said of scripts.
const SCRIPT: Language = Language::JavaScript;

/// Finds such tests in a line of code. Only calls count, not a word alone.
pub(super) fn find(code: &str) -> Vec<(Kind, String)> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(rest) = code.get(place..).filter(|rest| !rest.is_empty()) {
        let Some(start) = rest.find(is_word) else { break };
        let word = word_at(&rest[start..]);
        let before = code.get(..place + start).and_then(|before| before.chars().next_back());
        let after = &rest[start + word.len()..];
        if before != Some('.') || code.get(..place + start).is_some_and(|before| before.ends_with("Deno.")) {
            let kind = said(word, after);
            found.extend(kind.map(|kind| (kind, called(code.get(place + start..).unwrap_or_default()))));
        }
        place += start + word.len();
    }
    // Within a test: `this.skip()` of Mocha, `t.skip()` of node:test, tap and AVA.
    for (call, kind) in
        [("this.skip(", Kind::SkippedTest), ("t.skip(", Kind::SkippedTest), ("t.todo(", Kind::SkippedTest)]
    {
        let alone = |place: &usize| {
            !code.get(..*place).is_some_and(|before| before.ends_with(|last| is_word(last) || last == '.'))
        };
        found.extend(code.find(call).filter(alone).map(|_| (kind, call.to_owned())));
    }
    let alone = |(at, _): &(usize, &str)| !code.get(..*at).is_some_and(|before| before.ends_with(is_word));
    for (kind, option) in OPTIONS.of(SCRIPT) {
        found.extend(code.match_indices(option).find(alone).map(|_| (kind, option.to_owned())));
    }
    found
}

/// Returns the called expression, without arguments.
fn called(code: &str) -> String {
    code.split(['(', '`']).next().unwrap_or_default().trim_end().to_owned()
}

/// Returns the kind of suppression in the name of a test function and its modifiers.
fn said(word: &str, after: &str) -> Option<Kind> {
    let named = CALLS.kind(SCRIPT, word);
    if named.is_none() && !declares(SCRIPT, word) {
        return None;
    }
    let mut rest = after;
    let mut found = named;
    while let Some(chained) = rest.strip_prefix('.') {
        let word = word_at(chained);
        found = found.or_else(|| MODIFIERS.kind(SCRIPT, word));
        rest = chained.get(word.len()..).filter(|_| !word.is_empty())?;
    }
    found.filter(|_| is_called(rest))
}

/// Whether the text after a name calls it, possibly with type arguments.
fn is_called(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with(['(', '`']) || (after.starts_with('<') && after.contains(">("))
}

fn word_at(text: &str) -> &str {
    let end = text.find(|character: char| !is_word(character)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
