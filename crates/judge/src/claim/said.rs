//! What a message claims, all of it considered: what it admits itself is not held against it.

use super::admitted::Admitted;
use super::sentence::{self, Claimed};
use super::words::{self, Class, Topic};
use super::{handback, languages, markdown, statement, terms, token};

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

/// A sentence of a message, or an aside in it, and what it claims.
#[derive(Debug)]
pub(super) struct Told {
    /// As it stands in the message.
    pub(super) said: String,
    /// Whether it states that tests were written, which says nothing of how they come out.
    pub(super) is_writing: bool,
    /// None of an aside.
    pub(super) claims: Vec<Claimed>,
}

/// A message that was read.
#[derive(Debug)]
pub(super) struct Message {
    /// What it claims, in its order, each claim once. What it admits takes back what it says of the same elsewhere.
    pub(super) claims: Vec<Said>,
    pub(super) told: Vec<Told>,
}

/// Reads a message.
pub(super) fn read(message: &str) -> Message {
    let end = ending(message);
    let reservations = languages::reservations(end);
    let mut reader = sentence::Reader::new();
    let (mut claims, mut told): (Vec<Said>, Vec<Told>) = (Vec::new(), Vec::new());
    let mut admitted = Admitted::default();
    let mut add = |claimed: Claimed, words: String| {
        if !claims.iter().any(|said| said.claimed == claimed) {
            claims.push(Said { claimed, words });
        }
    };
    for sentence in markdown::sentences(end) {
        let mut told_here = Told { said: sentence.said, is_writing: false, claims: Vec::new() };
        if !sentence.aside {
            let tokens = token::tokens(&sentence.text);
            let items = terms::read(&tokens);
            admitted.look(&items);
            let writes = tokens.iter().filter_map(token::Token::word).any(|word| words::is(word, Class::Writing));
            told_here.is_writing = writes && statement::is_plain(&items);
            told_here.claims = reader.claims(&items);
            told_here.claims.extend(languages::claims(&sentence.text, &reservations));
        }
        for claimed in &told_here.claims {
            add(claimed.clone(), quoted(&told_here.said));
        }
        told.push(told_here);
    }
    if let Some(words) = handback::done(end) {
        add(Claimed::Done, words);
    }
    claims.retain(|said| !admitted.takes_back(&said.claimed));
    Message { claims, told }
}

impl Message {
    /// Whether more than one number of tests is told, or more than one runner of tests, so that a number may be of any.
    pub(super) fn tells_of_several(&self) -> bool {
        let numbers = self.claims.iter().filter(|said| matches!(said.claimed, Claimed::Count(_))).count();
        let mut runners: Vec<String> = Vec::new();
        for told in &self.told {
            let lower = told.said.to_lowercase();
            let mut before = "";
            for word in lower.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
                let is_tool = words::tool(word) == Some(Topic::Tests);
                let found = if is_tool { Some(word) } else { Some(before).filter(|_| word == "test") };
                let is_runner = |found: &&str| is_tool || words::is_among(words::OWN_PROGRAMS, found);
                let found = found.filter(is_runner).filter(|found| !runners.iter().any(|runner| runner == found));
                runners.extend(found.map(str::to_owned));
                before = word;
            }
        }
        numbers > 1 || runners.len() > 1
    }
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

fn quoted(said: &str) -> String {
    let plain: Vec<&str> = said.split_whitespace().collect();
    plain.join(" ").chars().filter(|character| *character != '*').take(WORDS_CHARACTERS).collect()
}
