//! What a message claims, all of it considered: what it admits itself is not held against it.

use super::grammar::{self, Claimed};
use super::markdown::{self, Sentence};
use super::token::{self, Token};
use super::vocabulary::{self, Topic};
use super::{handback, tongues};

/// Bytes of a message that are looked at, from its end: what an agent says last is what it comes to.
pub(super) const MESSAGE_BYTES: usize = 64 * 1024;

/// Longest quotation of a claim, in characters.
const WORDS_CHARACTERS: usize = 160;

/// A claim, and the words in which it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) claimed: Claimed,
    pub(super) words: String,
}

/// Returns what a message claims, in its order, each claim once. What a message admits takes back what it says of the same
/// elsewhere.
pub(super) fn said(message: &str) -> Vec<Said> {
    let end = ending(message);
    let mut found: Vec<Said> = Vec::new();
    let mut admitted = Admitted::default();
    let mut add = |claimed: Claimed, words: String| {
        if !found.iter().any(|said| said.claimed == claimed) {
            found.push(Said { claimed, words });
        }
    };
    for sentence in markdown::sentences(end) {
        let tokens = token::tokens(&sentence.text);
        admitted.look(&tokens);
        for claimed in grammar::claims(&tokens).into_iter().chain(tongues::claims(&sentence.text)) {
            add(claimed, words(&sentence));
        }
    }
    if let Some(words) = handback::done(end) {
        add(Claimed::Done, words);
    }
    found.retain(|said| !admitted.takes_back(&said.claimed));
    found
}

/// The end of a message, from the beginning of a line, and not from within a block of code.
fn ending(message: &str) -> &str {
    let Some(start) = message.len().checked_sub(MESSAGE_BYTES).filter(|start| *start > 0) else { return message };
    let tail = message.get(message.ceil_char_boundary(start)..).unwrap_or_default();
    let tail = tail.split_once('\n').map_or("", |(_, after)| after);
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    if tail.lines().filter(is_fence).count().is_multiple_of(2) {
        return tail;
    }
    tail.split_once("```").and_then(|(_, after)| after.split_once('\n')).map_or("", |(_, after)| after)
}

fn words(sentence: &Sentence) -> String {
    let plain: Vec<&str> = sentence.said.split_whitespace().collect();
    plain.join(" ").chars().filter(|character| *character != '*').take(WORDS_CHARACTERS).collect()
}

/// What a message admits.
#[derive(Debug, Default)]
struct Admitted {
    all: bool,
    topics: Vec<Topic>,
}

impl Admitted {
    /// Takes down what a sentence admits: that something fails, or was not done.
    fn look(&mut self, tokens: &[Token]) {
        let words = || tokens.iter().filter_map(Token::word);
        let is_part = |token: &Token| {
            matches!(token, Token::Fraction { passed, of } if passed < of) || matches!(token, Token::Bad)
        };
        let fails = tokens.iter().any(is_part) || words().any(vocabulary::is_failure);
        let denies = words().any(vocabulary::is_denial)
            && words().any(|word| {
                vocabulary::is_passing(word)
                    || vocabulary::is_done(word)
                    || matches!(
                        word,
                        "run"
                            | "ran"
                            | "test"
                            | "tests"
                            | "tested"
                            | "verify"
                            | "verified"
                            | "work"
                            | "works"
                            | "working"
                            | "check"
                    )
            });
        // "Fixed the failing test" is over; "still fails" is not.
        let lasts = words().any(|word| matches!(word, "fail" | "fails" | "still" | "remaining" | "remain" | "remains"));
        let is_over = words().any(vocabulary::is_mended) && !lasts;
        let is_supposed = words().any(|word| matches!(word, "if" | "when" | "whenever" | "would" | "unless"));
        if !(fails || denies) || is_over || is_supposed {
            return;
        }
        let heads = words()
            .filter_map(|word| vocabulary::head(word).map(|(topic, _)| topic).or_else(|| vocabulary::stem(word)));
        let topics: Vec<Topic> = heads.collect();
        self.all |= topics.is_empty() || topics.contains(&Topic::Everything);
        self.topics.extend(topics);
    }

    fn takes_back(&self, claimed: &Claimed) -> bool {
        let any = self.all || !self.topics.is_empty();
        match claimed {
            Claimed::Done | Claimed::Passes { topic: Topic::Everything, .. } => any,
            Claimed::Passes { topic, .. } => self.all || self.topics.contains(topic),
            Claimed::Count(_) => self.all || self.topics.contains(&Topic::Tests),
        }
    }
}
