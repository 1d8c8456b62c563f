//! What is said of a run that was just told of: "I ran the tests and they all pass", "verified by running npm test"; and of
//! all of it, in two words: "all green".

use super::grammar::{self, Claimed};
use super::token::Token;
use super::vocabulary::{self, Topic};

/// Returns what a sentence claims that tells of a run.
pub(super) fn claims(tokens: &[Token]) -> Vec<Claimed> {
    let mut found = verified(tokens);
    found.extend(ran(tokens));
    let plain: Vec<&Token> = tokens.iter().filter(|token| **token != Token::Good).collect();
    if let [all, good] = plain.as_slice()
        && all.is(&["all"])
        && good.is(&["green", "passing", "passed"])
    {
        found.push(Claimed::Passes { topic: Topic::Everything, part: None });
    }
    found
}

/// "I ran `npm test` and everything passed": everything of that.
fn ran(tokens: &[Token]) -> Vec<Claimed> {
    let Some(index) = tokens.iter().position(|token| token.is(&["ran", "reran", "executed"])) else {
        return Vec::new();
    };
    let (before, after) = (tokens.get(..index).unwrap_or_default(), tokens.get(index + 1..).unwrap_or_default());
    let begins = match before.last() {
        None | Some(Token::Pause) => true,
        Some(token) => token.is(&["i", "we", "ive", "weve", "and", "then", "also", "have"]),
    };
    let is_joint = |token: &Token| matches!(token, Token::Pause | Token::Colon) || token.is(&["and"]);
    let Some(end) = after.iter().position(is_joint).filter(|_| begins) else { return Vec::new() };
    let (what, told) = (after.get(..end).unwrap_or_default(), after.get(end..).unwrap_or_default());
    let is_of_it = |token: &Token| {
        is_joint(token)
            || token.is(&["everything", "they", "it", "both"])
            || token.word().is_some_and(vocabulary::is_auxiliary)
    };
    let lead = told.iter().take_while(|token| is_of_it(token)).count();
    let Some((good, further)) = told.get(lead..).and_then(<[Token]>::split_first) else { return Vec::new() };
    let is_good = *good == Token::Good || good.word().is_some_and(vocabulary::is_passing);
    match grammar::subject(what) {
        Some((subject, [])) if is_good && grammar::ends(further) => subject.claims(&[]),
        _ => Vec::new(),
    }
}

/// "Verified by running npm test".
fn verified(tokens: &[Token]) -> Vec<Claimed> {
    let found = tokens
        .iter()
        .position(|token| token.word().is_some_and(|word| matches!(word, "verified" | "confirmed" | "validated")));
    let Some(after) = found.and_then(|index| tokens.get(index + 1..)) else { return Vec::new() };
    let after = match after {
        [Token::Word(by), Token::Word(running), rest @ ..]
            if matches!(by.as_str(), "by" | "via") && running == "running" =>
        {
            rest
        }
        [Token::Word(with), rest @ ..] if matches!(with.as_str(), "with" | "via") => rest,
        _ => return Vec::new(),
    };
    let clause = after.split(|token| matches!(token, Token::Colon | Token::Pause) || token.word() == Some("and"));
    match clause.into_iter().next().and_then(grammar::subject) {
        Some((subject, [])) if subject.topic != Topic::Everything => subject.claims(&[]),
        _ => Vec::new(),
    }
}
