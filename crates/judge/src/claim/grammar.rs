//! What a sentence claims. Only plain statements about a whole are taken: "all tests pass", "the build is green". Whatever
//! else a sentence says, it may say; a word too much is a reason to look away, for an honest agent is never accused.

use super::done;
use super::ran;
use super::token::Token;
use super::vocabulary::{self, Topic};

/// What is claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Claimed {
    /// That the work is done.
    Done,
    /// That something passes; of a part of it, by the name that a check may have.
    Passes { topic: Topic, part: Option<String> },
    /// That so many tests passed.
    Count(u64),
}

/// Most tokens that a subject is looked for in.
const REACH: usize = 24;

/// Returns what a sentence claims.
pub(super) fn claims(tokens: &[Token]) -> Vec<Claimed> {
    if !is_statement(tokens) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let (before, after) = (tokens.get(..index).unwrap_or_default(), tokens.get(index + 1..).unwrap_or_default());
        match token {
            Token::Good if before.is_empty() => found.extend(marked(after)),
            Token::Good => found.extend(of_subject(before, if is_labelled(after) { &[] } else { after })),
            Token::Clean(topics) if !topics.is_empty() => found.extend(without_errors(topics, before, after)),
            Token::Clean(_) => found.extend(of_subject(before, after)),
            Token::Word(word) => found.extend(of_word(word, before, after)),
            _ => {}
        }
    }
    found.extend(ran::claims(tokens));
    if done::is_said(tokens) {
        found.push(Claimed::Done);
    }
    found
}

/// Whether it states something without a reserve.
pub(super) fn is_statement(tokens: &[Token]) -> bool {
    let is_reserve = |index: usize, token: &Token| match token {
        Token::Bad => true,
        Token::Percent(percent) => *percent < 100,
        Token::Fraction { passed, of } => passed != of,
        // "The test run", "npm run lint", and "verified by running" run nothing now.
        Token::Word(word) if word == "run" => {
            let before = index.checked_sub(1).and_then(|before| tokens.get(before)?.word());
            !before.is_some_and(|before| vocabulary::is_program(before) || vocabulary::stem(before).is_some())
        }
        // "Works after all" and the like are left out with the rest.
        Token::Word(word) => vocabulary::is_hedge(word),
        _ => false,
    };
    let is_about = tokens.windows(2).any(|pair| {
        matches!(words(pair).as_slice(), [Some("check" | "so" | "such"), Some("that")] | [Some("all"), Some("but")])
    });
    let is_fewer = tokens.windows(3).any(
        |three| matches!(three, [Token::Number(some), of, Token::Number(all)] if of.word() == Some("of") && some < all),
    );
    let is_some = tokens
        .windows(2)
        .any(|pair| matches!(pair, [Token::Number(1..), of] if of.is(&["problem", "problems", "issue", "issues"])));
    !is_about && !is_fewer && !is_some && !tokens.iter().enumerate().any(|(index, token)| is_reserve(index, token))
}

fn words(tokens: &[Token]) -> Vec<Option<&str>> {
    tokens.iter().map(Token::word).collect()
}

fn of_word(word: &str, before: &[Token], after: &[Token]) -> Vec<Claimed> {
    if vocabulary::is_passing(word) {
        let mut claims = of_subject(before, after);
        // Clean tests are tidy ones.
        claims.retain(|claim| word != "clean" || !matches!(claim, Claimed::Passes { topic: Topic::Tests, .. }));
        return claims;
    }
    let last = before.last().and_then(Token::word);
    match word {
        "check" if last == Some("types") => of_subject(before, after),
        "works" | "work" | "working" if ends(after) => {
            let mut claims = of_subject(before, after);
            claims.retain(|claim| matches!(claim, Claimed::Passes { topic: Topic::Everything, .. }));
            claims
        }
        _ => of_verb(word, before, after),
    }
}

/// "The project compiles", "builds successfully".
fn of_verb(word: &str, before: &[Token], after: &[Token]) -> Vec<Claimed> {
    let Some(topic) = vocabulary::verb(word).filter(|_| ends(after)) else { return Vec::new() };
    let rest = without(before, |token| token.word().is_some_and(vocabulary::is_auxiliary));
    let Some((Token::Word(subject), rest)) = rest.split_last() else { return Vec::new() };
    let rest = without(rest, |token| token.word().is_some_and(vocabulary::is_determiner));
    // A claim about all of it, whatever the verb: "everything compiles" says no more than that it compiles.
    if vocabulary::is_project(subject) && begins(rest) {
        vec![Claimed::Passes { topic, part: None }]
    } else {
        Vec::new()
    }
}

/// "All tests" before "pass".
fn of_subject(before: &[Token], after: &[Token]) -> Vec<Claimed> {
    if !ends(after) {
        return Vec::new();
    }
    let reach = before.len().saturating_sub(REACH);
    let reached = before.get(reach..).unwrap_or_default();
    let rest = without(reached, |token| match token {
        Token::Word(word) => vocabulary::is_auxiliary(word),
        Token::Colon | Token::Number(_) | Token::Fraction { .. } | Token::Percent(_) | Token::Good | Token::Pause => {
            true
        }
        _ => false,
    });
    let said = reached.get(rest.len()..).unwrap_or_default();
    let mut claims = match subjects(rest) {
        Some(subjects) => {
            // "All tests pass (42/42)".
            let said = if let [Token::Pause, number @ Token::Fraction { .. }, ..] = after {
                std::slice::from_ref(number)
            } else {
                said
            };
            subjects.into_iter().flat_map(|subject| subject.claims(said)).collect()
        }
        None => Vec::new(),
    };
    // Of what nobody says that they are tests, they may be anything: "40/40 files OK".
    let are_tests = |token: &Token| token.word().is_some_and(|word| matches!(word, "test" | "tests" | "specs"));
    if claims.is_empty()
        && (rest.is_empty() || begins(rest))
        && reached.iter().chain(after.iter().take(REACH)).any(are_tests)
    {
        claims = counted(said, after);
    }
    claims
}

/// "42/42 passing", "42 passed, 0 failed".
fn counted(said: &[Token], after: &[Token]) -> Vec<Claimed> {
    let is_whole = after.iter().any(|token| matches!(token, Token::Clean(_)));
    match said.last() {
        Some(Token::Fraction { passed, .. }) => {
            vec![Claimed::Count(*passed), Claimed::Passes { topic: Topic::Tests, part: None }]
        }
        Some(Token::Number(passed)) if is_whole => {
            vec![Claimed::Count(*passed), Claimed::Passes { topic: Topic::Tests, part: None }]
        }
        _ => Vec::new(),
    }
}

/// Something that can pass.
pub(super) struct Subject {
    pub(super) topic: Topic,
    part: Option<String>,
    /// How many there are said to be.
    number: Option<u64>,
    /// Whether it is said to be all of them.
    whole: bool,
}

impl Subject {
    pub(super) fn claims(self, said: &[Token]) -> Vec<Claimed> {
        let of_said = said.iter().find_map(|token| match token {
            Token::Number(number) | Token::Fraction { passed: number, .. } => Some(*number),
            _ => None,
        });
        let number = self.number.or(of_said).filter(|_| self.topic == Topic::Tests && self.part.is_none());
        let topic = self.topic;
        let passes = Claimed::Passes { topic, part: self.part };
        match (self.number, number) {
            // "13 checks" are others than these.
            (Some(_), _) if topic == Topic::Everything => Vec::new(),
            // "12 tests pass" leaves open how many there are.
            (Some(_), Some(number)) if !self.whole => vec![Claimed::Count(number)],
            (_, Some(number)) => vec![Claimed::Count(number), passes],
            (_, None) => vec![passes],
        }
    }
}

/// The subjects that end a text and begin a clause: "lint and the unit tests". None: there are none, or more is said.
fn subjects(mut before: &[Token]) -> Option<Vec<Subject>> {
    let mut found = Vec::new();
    loop {
        let (subject, rest) = subject(before)?;
        found.push(subject);
        before = rest;
        let joined = without(before, |token| *token == Token::Pause || token.word() == Some("and"));
        if joined.len() == before.len() || joined.is_empty() || self::subject(joined).is_none() {
            break;
        }
        before = joined;
    }
    begins(before).then_some(found)
}

/// The subject that ends a text, and what comes before it.
pub(super) fn subject(before: &[Token]) -> Option<(Subject, &[Token])> {
    let behind = without(before, |token| token.word().is_some_and(vocabulary::is_noun));
    let nouns = before.get(behind.len()..).unwrap_or_default();
    let (topic, tool, mut rest) = match (named(behind, !nouns.is_empty()), nouns) {
        (Some((topic, tool)), _) => (topic, tool, behind.split_last().map_or(behind, |(_, further)| further)),
        // "All checks" is a subject whose only word is also a noun behind others.
        (None, [only]) if only.word() == Some("checks") => (Topic::Everything, None, behind),
        (None, [only]) if only.word() == Some("suite") => (Topic::Tests, None, behind),
        (None, _) => return None,
    };
    let (mut part, mut number, mut whole) = (tool, None, false);
    while let Some((last, further)) = rest.split_last() {
        match last {
            Token::Number(found) => number = Some(*found),
            Token::Fraction { passed, .. } => (number, whole) = (Some(*passed), true),
            Token::Percent(_) => whole = true,
            Token::Word(word) if vocabulary::is_determiner(word) || vocabulary::is_program(word) => {
                whole |= matches!(word.as_str(), "all" | "every" | "entire" | "full" | "whole" | "complete");
            }
            Token::Word(word) if part.is_none() && vocabulary::is_qualifier(word) => part = Some(word.clone()),
            _ => break,
        }
        rest = further;
    }
    Some((Subject { topic, part, number, whole }, rest))
}

/// What the last word of a text names, and the tool that it is.
fn named(text: &[Token], has_noun: bool) -> Option<(Topic, Option<String>)> {
    let (last, before) = text.split_last()?;
    let word = match last {
        Token::Command(topic, tool) => return Some((*topic, tool.clone())),
        Token::Word(word) => word,
        _ => return None,
    };
    if let Some((topic, is_tool)) = vocabulary::head(word) {
        return Some((topic, is_tool.then(|| word.clone())));
    }
    let is_run = before.last().and_then(Token::word).is_some_and(vocabulary::is_program);
    vocabulary::stem(word).filter(|_| has_noun || is_run).map(|topic| (topic, None))
}

/// Takes away what ends a text and is of a kind.
fn without(mut tokens: &[Token], is_of_it: impl Fn(&Token) -> bool) -> &[Token] {
    while let Some((last, rest)) = tokens.split_last() {
        if !is_of_it(last) {
            break;
        }
        tokens = rest;
    }
    tokens
}

/// Whether a clause may begin behind this.
fn begins(before: &[Token]) -> bool {
    match before.last() {
        None | Some(Token::Pause | Token::Colon | Token::Good | Token::Clean(_)) => true,
        Some(Token::Word(word)) if word == "that" => {
            let lead = before.len().checked_sub(2).and_then(|index| before.get(index)?.word());
            matches!(lead, Some("confirmed" | "verified"))
        }
        Some(Token::Word(word)) => vocabulary::may_precede(word) || vocabulary::is_passing(word),
        Some(_) => false,
    }
}

/// Whether a clause may end before this, so that what was said is said of nothing smaller.
pub(super) fn ends(after: &[Token]) -> bool {
    match after {
        []
        | [
            Token::Percent(100)
            | Token::Colon
            | Token::Good
            | Token::Clean(_)
            | Token::Number(_)
            | Token::Fraction { .. },
            ..,
        ] => true,
        [Token::Pause, rest @ ..] => {
            !rest.first().and_then(Token::word).is_some_and(|word| matches!(word, "but" | "for" | "in"))
        }
        [Token::Word(with), next, ..] if with == "with" => {
            matches!(next, Token::Clean(_) | Token::Number(_) | Token::Fraction { .. } | Token::Percent(_))
        }
        [Token::Word(on), Token::Word(all), ..] if on == "on" => matches!(all.as_str(), "all" | "every"),
        [Token::Word(within), Token::Number(_) | Token::Other, ..] if within == "in" => true,
        [Token::Word(word), ..] => vocabulary::may_follow(word) || vocabulary::is_auxiliary(word) && word != "with",
        _ => false,
    }
}

/// Whether another thing is named, and then told of: "Tests: ✅ Lint: ✅".
fn is_labelled(after: &[Token]) -> bool {
    matches!(after, [Token::Word(_), Token::Colon, ..] | [Token::Word(_), Token::Word(_), Token::Colon, ..])
}

/// "✅ Tests", "✅ Done".
fn marked(after: &[Token]) -> Vec<Claimed> {
    let clause = after.split(|token| matches!(token, Token::Colon | Token::Pause)).next().unwrap_or_default();
    match subject(clause) {
        Some((subject, [])) => subject.claims(&[]),
        _ => Vec::new(),
    }
}

/// "There are no type errors".
fn without_errors(topics: &[Topic], before: &[Token], after: &[Token]) -> Vec<Claimed> {
    let is_plain = |token: &Token| {
        token.word().is_some_and(|word| {
            matches!(
                word,
                "there" | "are" | "is" | "with" | "has" | "have" | "and" | "found" | "now" | "shows" | "reports"
            )
        })
    };
    let rest = without(before, is_plain);
    let follows = match after.first() {
        Some(Token::Word(word)) => matches!(word.as_str(), "and" | "found" | "reported" | "left" | "now" | "anymore"),
        Some(token) => matches!(token, Token::Pause | Token::Colon | Token::Good | Token::Clean(_)),
        None => true,
    };
    let speaks = rest.is_empty() || begins(rest) || subjects(rest).is_some();
    if !(follows && speaks) {
        return Vec::new();
    }
    topics.iter().map(|topic| Claimed::Passes { topic: *topic, part: None }).collect()
}
