//! A message as sentences: without code, quotations and what is only planned.

use super::token::{self, Token};
use super::vocabulary;

/// Something that is said, and by nobody else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sentence {
    /// As it stands in the message.
    pub(super) said: String,
    /// With code and quotations taken out.
    pub(super) text: String,
    /// Whether it is no statement of the agent's own: a question, a quotation, code, a plan, a box that is not ticked.
    pub(super) aside: bool,
}

/// Quotation marks, and what ends each.
const QUOTES: [(char, char); 6] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』')];

impl Sentence {
    fn aside(said: &str) -> Self {
        Self { said: said.to_owned(), text: String::new(), aside: true }
    }
}

/// Reads the sentences of a message. Questions are asides, and so is what stands under headings such as "Next steps".
pub(super) fn sentences(message: &str) -> Vec<Sentence> {
    let mut found = Vec::new();
    let mut fence: Option<char> = None;
    let mut planned = false;
    let mut after_blank = true;
    for line in message.lines() {
        let trimmed = line.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}');
        if let Some(mark) = fence_mark(trimmed) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                Some(open) => Some(open),
            };
            continue;
        }
        if fence.is_some() || trimmed.starts_with('>') || trimmed.starts_with("<!--") || trimmed.contains("~~") {
            found.push(Sentence::aside(trimmed));
            continue;
        }
        if trimmed.is_empty() {
            after_blank = true;
            continue;
        }
        let Some(Line { content, kind }) = read(trimmed) else {
            found.push(Sentence::aside(trimmed));
            continue;
        };
        match kind {
            Kind::Heading => planned = is_plan(&content),
            Kind::Text if is_lead_in(trimmed) => planned = is_plan(&content),
            // A paragraph of its own ends what a lead-in began.
            Kind::Text if after_blank => planned = false,
            Kind::Text | Kind::Item | Kind::Row => {}
        }
        after_blank = false;
        if planned {
            found.push(Sentence::aside(trimmed));
        } else {
            split(&content, &mut found);
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Item,
    Row,
    Text,
}

struct Line {
    content: String,
    kind: Kind,
}

fn fence_mark(line: &str) -> Option<char> {
    ['`', '~'].into_iter().find(|mark| line.chars().take_while(|character| character == mark).count() >= 3)
}

/// Takes the marks of a line away. None: it says nothing, or a box that is not ticked.
fn read(line: &str) -> Option<Line> {
    if line.starts_with('#') {
        return Some(Line { content: line.trim_start_matches('#').to_owned(), kind: Kind::Heading });
    }
    if line.starts_with('|') {
        let is_rule = line.chars().all(|character| matches!(character, '|' | '-' | ':' | ' '));
        return (!is_rule).then(|| Line { content: line.trim_matches('|').to_owned(), kind: Kind::Row });
    }
    let item = line
        .strip_prefix("- ")
        .or_else(|| line.strip_prefix("* "))
        .or_else(|| line.strip_prefix("+ "))
        .or_else(|| line.strip_prefix("• "));
    let item = item.or_else(|| {
        let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
        let behind = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
        behind.filter(|_| rest.len() < line.len())
    });
    let Some(item) = item.map(str::trim_start) else {
        return Some(Line { content: line.to_owned(), kind: Kind::Text });
    };
    if item.starts_with("[ ]") {
        return None;
    }
    let ticked = item.strip_prefix("[x]").or_else(|| item.strip_prefix("[X]"));
    let content = ticked.map_or_else(|| item.to_owned(), |rest| format!("✅{rest}"));
    Some(Line { content, kind: Kind::Item })
}

fn is_lead_in(line: &str) -> bool {
    line.trim_end_matches(['*', '_', ' ']).ends_with([':', '：'])
}

fn is_plan(text: &str) -> bool {
    token::tokens(text).iter().filter_map(Token::word).any(vocabulary::is_plan)
}

/// Splits a line into sentences, and takes code and quotations out.
fn split(line: &str, found: &mut Vec<Sentence>) {
    let mut sentence = Sentence { said: String::new(), text: String::new(), aside: false };
    // An opening mark without an end is looked for but once a line.
    let mut unclosed: Vec<char> = Vec::new();
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        let closing = closing(character, &sentence.said).filter(|closing| !unclosed.contains(closing));
        if let Some(closing) = closing {
            if let Some(length) = after.find(closing) {
                let inside = after.get(..length).unwrap_or_default();
                let stands_for = if closing == '`' { token::of_code(inside) } else { token::OTHER.to_string() };
                sentence.text.push_str(&stands_for);
                let whole = character.len_utf8() + length + closing.len_utf8();
                sentence.said.push_str(rest.get(..whole).unwrap_or_default());
                rest = rest.get(whole..).unwrap_or_default();
                continue;
            }
            unclosed.push(closing);
        }
        rest = after;
        let asks = matches!(character, '?' | '？');
        if asks || is_end(character, after) {
            finish(&mut sentence, asks, found);
            continue;
        }
        sentence.said.push(character);
        if !matches!(character, '*' | '~') && !token::is_placeholder(character) {
            sentence.text.push(character);
        }
    }
    finish(&mut sentence, false, found);
}

/// What ends the quotation or code that a character begins.
fn closing(character: char, before: &str) -> Option<char> {
    let begins_word = before.chars().next_back().is_none_or(|last| last.is_whitespace() || last == '(');
    match character {
        '`' => Some('`'),
        '\'' | '‘' if begins_word => Some(if character == '\'' { '\'' } else { '’' }),
        _ => QUOTES.iter().find(|(opening, _)| *opening == character).map(|(_, closing)| *closing),
    }
}

fn is_end(character: char, after: &str) -> bool {
    match character {
        '!' | ';' | '。' | '！' | '；' | '…' => true,
        '.' => after.chars().next().is_none_or(|next| next.is_whitespace() || matches!(next, '*' | ')' | '_' | '|')),
        _ => false,
    }
}

fn finish(sentence: &mut Sentence, asks: bool, found: &mut Vec<Sentence>) {
    let empty = Sentence { said: String::new(), text: String::new(), aside: false };
    let whole = std::mem::replace(sentence, empty);
    if !whole.text.trim().is_empty() {
        found.push(Sentence { aside: asks, ..whole });
    }
}
