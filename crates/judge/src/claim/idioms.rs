//! Turns of phrase that say something else than their words: "no type errors" denies nothing, "error handling" is no failure.

use super::token::Token;
use super::vocabulary;

/// Takes "no type errors" and "exits with 0" as what they say, so that their "no" denies nothing.
pub(super) fn clean(tokens: &[Token]) -> Vec<Token> {
    let mut found = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    let writes = tokens.iter().any(|token| token.is(WRITES));
    while let Some((first, after)) = rest.split_first() {
        if let Some((token, length)) = nothing_wrong(rest).or_else(|| exit(rest)) {
            found.push(token);
            rest = rest.get(length..).unwrap_or_default();
        } else if let Some(length) = idiom(rest).or_else(|| idiom_behind(&found, rest, writes)) {
            rest = rest.get(length..).unwrap_or_default();
        } else {
            found.push(first.clone());
            rest = after;
        }
    }
    found
}

/// "No errors", "0 failed", "without any type errors or warnings".
fn nothing_wrong(tokens: &[Token]) -> Option<(Token, usize)> {
    let (first, after) = tokens.split_first()?;
    if *first != Token::Number(0) && !first.is(&["no", "zero", "without"]) {
        return None;
    }
    let mut topics = Vec::new();
    let mut end = None;
    for (index, token) in after.iter().enumerate().take(8) {
        let Some(word) = token.word() else { break };
        if matches!(
            word,
            "error"
                | "errors"
                | "failure"
                | "failures"
                | "failed"
                | "failing"
                | "fails"
                | "fail"
                | "warning"
                | "warnings"
                | "issue"
                | "issues"
                | "problem"
                | "problems"
                | "regressions"
                | "violations"
                | "complaints"
        ) {
            end = Some(index + 2);
            continue;
        }
        let topic = vocabulary::of_error(word);
        topics.extend(topic);
        if end.is_some() && matches!(word, "tests" | "test" | "remain" | "remains" | "remaining") {
            end = Some(index + 2);
            continue;
        }
        if topic.is_none()
            && !matches!(
                word,
                "any" | "more" | "single" | "outstanding" | "remaining" | "blocking" | "or" | "and" | "further"
            )
        {
            break;
        }
    }
    let end = end?;
    // "No errors and the build": what comes after the last fault is not of it.
    let within = after.get(..end - 1).unwrap_or_default();
    topics.retain(|topic| within.iter().filter_map(Token::word).any(|word| vocabulary::of_error(word) == Some(*topic)));
    topics.dedup();
    Some((Token::Clean(topics), end))
}

/// "Exits with 0", "exit code 2".
fn exit(tokens: &[Token]) -> Option<(Token, usize)> {
    let (first, after) = tokens.split_first()?;
    if !first.is(&["exit", "exits", "exited", "exiting"]) {
        return None;
    }
    let between = after
        .iter()
        .take_while(|token| token.is(&["with", "code", "status", "a", "an", "of"]) || **token == Token::Colon)
        .count();
    match after.get(between)? {
        Token::Number(0) => Some((Token::Clean(Vec::new()), between + 2)),
        Token::Number(_) => Some((Token::Word("nonzero".to_owned()), between + 2)),
        _ => None,
    }
}

/// What is said beside and changes nothing: "as expected", "after my changes", "no longer fails".
fn idiom(tokens: &[Token]) -> Option<usize> {
    let words: Vec<Option<&str>> = tokens.iter().take(6).map(Token::word).collect();
    let is_change = |word: &str| {
        matches!(
            word.strip_suffix('s').unwrap_or(word),
            "change" | "fix" | "fixe" | "refactor" | "refactoring" | "edit" | "update"
        )
    };
    match words.as_slice() {
        [Some("after"), Some("the" | "my" | "this" | "these"), Some(change), ..] if is_change(change) => Some(3),
        [Some("as"), Some("expected" | "intended" | "requested" | "required" | "planned"), ..]
        | [Some("in"), Some("total"), ..]
        | [Some("at"), Some("this"), ..] => Some(2),
        [Some("no"), Some("longer"), Some(fault), ..] if is_fault(fault) => Some(3),
        [Some("nothing"), Some("is" | "was"), Some(fault), ..] if is_fault(fault) => Some(3),
        [Some("nothing"), Some(fault), ..] if is_fault(fault) => Some(2),
        [Some("so"), Some("you"), Some("can"), Some("merge" | "ship" | "review" | "deploy"), Some(it), ..]
            if matches!(*it, "it" | "this" | "that" | "now") =>
        {
            Some(5)
        }
        [Some("so"), Some("you"), Some("can"), Some("merge" | "ship" | "review" | "deploy"), ..] => Some(4),
        _ => None,
    }
}

/// What nothing does that works.
fn is_fault(word: &str) -> bool {
    matches!(
        word,
        "fail" | "fails" | "failed" | "failing" | "breaks" | "broke" | "broken" | "crashes" | "crashed" | "errors"
    )
}

/// Deeds of whoever writes code that has to do with errors.
const WRITES: &[&str] = &[
    "added",
    "adds",
    "add",
    "improved",
    "improves",
    "implemented",
    "fixed",
    "updated",
    "extended",
    "refactored",
    "changed",
    "rewrote",
    "clearer",
    "better",
    "proper",
];

/// What is an idiom only where something else is said too: "error handling" was added, "the failing test" was fixed, and
/// "(previously 1 was failing)" stands beside.
fn idiom_behind(before: &[Token], tokens: &[Token], writes: bool) -> Option<usize> {
    let words: Vec<Option<&str>> = tokens.iter().take(4).map(Token::word).collect();
    let speaks = match before.last() {
        None | Some(Token::Pause | Token::Colon | Token::Good) => true,
        Some(token) => token.is(&["i", "ive", "we", "weve", "have", "also", "and", "successfully"]),
    };
    let broken = |word: &str| matches!(word, "failing" | "failed" | "broken" | "red");
    let thing = |word: &str| matches!(word, "test" | "tests" | "build" | "suite" | "check" | "checks" | "spec");
    match words.as_slice() {
        [Some("error" | "errors"), Some(noun), ..] if writes && is_of_errors(noun) => Some(2),
        [Some("fixed" | "repaired" | "resolved"), Some("the" | "all"), Some(how), Some(what)]
            if speaks && broken(how) && thing(what) =>
        {
            Some(4)
        }
        [None, Some("previously" | "formerly" | "earlier" | "originally"), ..]
            if tokens.first() == Some(&Token::Pause) =>
        {
            let aside: Vec<&Token> =
                tokens.iter().skip(1).take_while(|token| **token != Token::Pause).take(9).collect();
            let tells = aside.iter().any(|token| token.word().is_some_and(vocabulary::is_failure));
            let lasts = aside.iter().any(|token| token.is(&["now", "still", "and", "fails", "fail"]));
            (tells && !lasts && aside.len() < 9).then_some(aside.len() + 1)
        }
        _ => None,
    }
}

fn is_of_errors(noun: &str) -> bool {
    matches!(
        noun,
        "handling"
            | "handler"
            | "handlers"
            | "message"
            | "messages"
            | "boundary"
            | "boundaries"
            | "path"
            | "paths"
            | "case"
            | "cases"
            | "reporting"
    )
}
