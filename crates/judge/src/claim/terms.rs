//! A sentence as what its phrases say.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::table::{SETS, Sense, TABLE};
use super::token::Token;
use super::words::{self, Topic};

/// What a part of a sentence says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Term {
    Says(Sense),
    Number(u64),
    Fraction(u64),
    /// All of them, in per cent.
    Hundred,
    Mark,
    /// A word, code or a quotation that says nothing that is known.
    Unknown,
    And,
    Pause,
    Colon,
    Break,
    Open,
    Close,
}

/// A term, and the tokens that it was read from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'tokens> {
    pub(super) term: Term,
    pub(super) tokens: &'tokens [Token],
}

/// One word of a phrase.
struct Element {
    words: Vec<&'static str>,
    is_optional: bool,
}

struct Phrase {
    sense: Sense,
    elements: Vec<Element>,
}

/// The table, and which of its phrases begin with a word.
struct Index {
    phrases: Vec<Phrase>,
    by_first: BTreeMap<&'static str, Vec<usize>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let written = TABLE.iter().flat_map(|(sense, phrases)| phrases.split(';').map(move |phrase| (*sense, phrase)));
    let voids = words::VOIDS.iter().flat_map(|(_, list)| list.split_ascii_whitespace()).map(|word| (Sense::Void, word));
    let phrases: Vec<Phrase> = written
        .chain(voids)
        .map(|(sense, phrase)| Phrase { sense, elements: phrase.split_ascii_whitespace().map(element).collect() })
        .collect();
    let mut by_first: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    for (number, phrase) in phrases.iter().enumerate() {
        let leading = phrase.elements.iter().take_while(|element| element.is_optional).count();
        for element in phrase.elements.iter().take(leading + 1) {
            for word in &element.words {
                by_first.entry(word).or_default().push(number);
            }
        }
    }
    Index { phrases, by_first }
});

fn element(written: &'static str) -> Element {
    let (words, is_optional) = written.strip_suffix('?').map_or((written, false), |words| (words, true));
    let set = SETS.iter().find(|(name, _)| *name == words).map_or(words, |(_, set)| set);
    Element { words: set.split('|').collect(), is_optional }
}

/// Reads the terms of a sentence.
pub(super) fn read(tokens: &[Token]) -> Vec<Item<'_>> {
    let mut found = Vec::new();
    let mut rest = tokens;
    while let Some(first) = rest.first() {
        let (term, length) =
            phrase(rest).map_or_else(|| (alone(first), 1), |(sense, length)| (Term::Says(sense), length));
        let (tokens, after) = rest.split_at(length.min(rest.len()));
        found.push(Item { term, tokens });
        rest = after;
    }
    found
}

/// The longest phrase that a text begins with, of several the first of the table.
fn phrase(tokens: &[Token]) -> Option<(Sense, usize)> {
    let key = match tokens.first()? {
        Token::Word(word) => word.as_str(),
        Token::Number(0) => "0",
        Token::Number(_) | Token::Percent(_) => "#",
        _ => return None,
    };
    let numbered = INDEX.by_first.get("#").filter(|_| key == "0").into_iter().flatten();
    let candidates = INDEX.by_first.get(key).into_iter().flatten().chain(numbered);
    let mut best: Option<(Sense, usize)> = None;
    for phrase in candidates.filter_map(|number| INDEX.phrases.get(*number)) {
        if let Some(length) = length(&phrase.elements, tokens)
            && best.is_none_or(|(_, longest)| length > longest)
        {
            best = Some((phrase.sense, length));
        }
    }
    best
}

/// How many tokens a phrase takes that a text begins with.
fn length(elements: &[Element], tokens: &[Token]) -> Option<usize> {
    let Some((element, further)) = elements.split_first() else { return Some(0) };
    let taken = tokens.first().filter(|token| element.words.iter().any(|word| is_word(word, token)));
    let with = taken.and_then(|_| length(further, tokens.get(1..)?)).map(|length| length + 1);
    with.or_else(|| if element.is_optional { length(further, tokens) } else { None })
}

fn is_word(word: &str, token: &Token) -> bool {
    match token {
        Token::Word(found) => word == found || word == "*",
        Token::Number(0) => matches!(word, "0" | "#"),
        Token::Number(_) | Token::Percent(_) => word == "#",
        Token::Duration => word == "~",
        Token::Colon => word == ":",
        _ => false,
    }
}

/// What a token says that no phrase begins with.
fn alone(token: &Token) -> Term {
    match token {
        Token::Word(word) if word == "and" => Term::And,
        Token::Number(number) => Term::Number(*number),
        Token::Fraction { passed, of } if passed == of => Term::Fraction(*passed),
        Token::Percent(100) => Term::Hundred,
        Token::Fraction { .. } | Token::Percent(_) | Token::Bad => Term::Says(Sense::Void),
        Token::Good => Term::Mark,
        Token::Pause => Term::Pause,
        Token::Break => Term::Break,
        Token::Colon => Term::Colon,
        Token::Open => Term::Open,
        Token::Close => Term::Close,
        Token::Command(topic, _) => Term::Says(Sense::Subject(*topic)),
        Token::Duration => Term::Says(Sense::Filler),
        Token::Word(_) | Token::Other => Term::Unknown,
    }
}

impl Item<'_> {
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().filter_map(Token::word)
    }

    /// The tool that it names.
    pub(super) fn tool(&self) -> Option<String> {
        if let [Token::Command(_, tool)] = self.tokens {
            return tool.clone();
        }
        self.words().find(|word| words::tool(word).is_some()).map(str::to_owned)
    }

    /// The topics that its words name.
    pub(super) fn topics(&self) -> Vec<Topic> {
        let mut topics: Vec<Topic> = self.words().filter_map(words::of_error).collect();
        topics.dedup();
        topics
    }

    /// Whether its words say something else together than each by itself.
    pub(super) fn is_idiom(&self) -> bool {
        match self.term {
            Term::Says(Sense::Clean | Sense::Thing) => true,
            Term::Says(Sense::Filler | Sense::Parting | Sense::Good | Sense::Tidy) => self.tokens.len() > 1,
            _ => false,
        }
    }
}
