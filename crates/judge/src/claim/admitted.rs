//! What a message admits: that something fails, was not done, or is left.

use super::sentence::Claimed;
use super::table::Sense;
use super::terms::{Item, Term};
use super::token::Token;
use super::words::{self, Class, Topic};

/// What a message admits.
#[derive(Debug, Default)]
pub(super) struct Admitted {
    all: bool,
    topics: Vec<Topic>,
    /// That something is left, of whatever.
    rest: bool,
}

impl Admitted {
    /// Takes down what a sentence admits.
    pub(super) fn look(&mut self, items: &[Item<'_>]) {
        let tokens: Vec<&Token> = items.iter().filter(|item| !item.is_idiom()).flat_map(|item| item.tokens).collect();
        let has = |class| tokens.iter().filter_map(|token| token.word()).any(|word| words::is(word, class));
        let says = |list: &str| tokens.iter().filter_map(|token| token.word()).any(|word| words::is_among(list, word));
        let parts = items.iter().any(|item| item.term == Term::Says(Sense::Parting));
        self.rest |= is_for_later(&tokens) || (!parts && is_asked(&tokens));
        let is_part = |token: &&Token| match token {
            Token::Fraction { passed, of } => passed < of,
            Token::Bad => true,
            _ => false,
        };
        let fails = tokens.iter().any(is_part) || has(Class::Failure);
        let denies = has(Class::Denial) && has(Class::Deniable) && !has(Class::Unchanged);
        let leaves = is_left(&tokens);
        let mentions = has(Class::Reservation) || says("problem problems");
        // "Fixed the failing test" is over; "still fails" is not, nor "did not fix".
        let lasts = has(Class::Denial) || says("fail fails still remaining remain remains");
        let is_over = has(Class::Over) && !lasts;
        let is_supposed = says("if when whenever would unless");
        if !(fails || denies || leaves || mentions) || (is_over && !leaves) || is_supposed {
            return;
        }
        let topics: Vec<Topic> = tokens.iter().filter_map(|token| topic(token)).collect();
        self.rest = true;
        self.all |= (topics.is_empty() && (fails || denies || leaves)) || topics.contains(&Topic::Everything);
        self.topics.extend(topics);
    }

    /// Whether that takes a claim back.
    pub(super) fn takes_back(&self, claimed: &Claimed) -> bool {
        match claimed {
            Claimed::Done | Claimed::Passes { topic: Topic::Everything, .. } => self.rest,
            Claimed::Passes { topic, .. } => self.all || self.topics.contains(topic),
            Claimed::Count(_) => self.all || self.topics.contains(&Topic::Tests),
        }
    }
}

fn topic(token: &Token) -> Option<Topic> {
    match token {
        Token::Command(topic, _) => Some(*topic),
        Token::Word(word) => words::head(word).or_else(|| words::of_error(word)),
        _ => None,
    }
}

/// Whether something is for somebody else, or for later: who says so has not said that all of it is done.
fn is_for_later(tokens: &[&Token]) -> bool {
    let has = |list: &str| tokens.iter().filter_map(|token| token.word()).any(|word| words::is_among(list, word));
    let is_excepted = tokens.windows(2).any(|pair| is(pair, 0, "exception") && is(pair, 1, "of"));
    tokens.iter().filter_map(|token| token.word()).any(|word| words::is(word, Class::Later))
        || (has("left") && !has("nothing no none"))
        || is_excepted
}

/// "It needs your approval", but for "let me know if you need anything".
fn is_asked(tokens: &[&Token]) -> bool {
    let has = |list: &str| tokens.iter().filter_map(|token| token.word()).any(|word| words::is_among(list, word));
    has("need needs") && has("you your someone somebody decision maintainer")
}

/// "Known issue", "one open item", "two problems left", "skipped".
fn is_left(tokens: &[&Token]) -> bool {
    let counted = |pair: &[&Token]| matches!(pair, [Token::Number(1..), _]) || is(pair, 0, "one two three");
    tokens.iter().filter_map(|token| token.word()).any(|word| words::is(word, Class::Left))
        || tokens.windows(2).any(|pair| {
            is_thing(pair, 1) && (counted(pair) || is(pair, 0, "known open outstanding"))
                || is_thing(pair, 0) && is(pair, 1, "left open")
        })
}

/// Whether one of several tokens is one of several words.
fn is(tokens: &[&Token], index: usize, list: &str) -> bool {
    tokens.get(index).and_then(|token| token.word()).is_some_and(|word| words::is_among(list, word))
}

fn is_thing(tokens: &[&Token], index: usize) -> bool {
    tokens.get(index).and_then(|token| token.word()).is_some_and(|word| words::is(word, Class::Thing))
}
