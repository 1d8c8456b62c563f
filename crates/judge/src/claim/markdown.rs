//! A message as sentences: without markup, code, quotations and what is only planned. A line break inside a paragraph is a
//! blank; list items, headings, rows of tables and labelled lines stand by themselves.

use super::token::{self, Token};
use super::words::{self, Class};

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
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('\'', '\''), ('‘', '’')];

/// Longest label of a line, and longest HTML tag, in bytes.
const LABEL_BYTES: usize = 40;

/// Longest address of a link, in bytes.
const LINK_BYTES: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Item,
    Row,
    Text,
}

/// What a heading or a lead-in says of that which stands below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Below {
    Statement,
    /// A plan, of which what is ticked is done.
    Plan,
    /// An example, or what somebody else said.
    Sample,
}

/// Reads a message line by line.
struct Reader {
    found: Vec<Sentence>,
    /// The block that is being read.
    block: Option<(Kind, String)>,
    /// Whether the block is a list item, so that indented text belongs to it.
    in_list: bool,
    quoted: bool,
    below: Below,
    table: Option<Below>,
}

/// Reads the sentences of a message. Questions are asides, and so is what stands under headings such as "Next steps".
pub(super) fn sentences(message: &str) -> Vec<Sentence> {
    let message = without_comments(message);
    let mut reader =
        Reader { found: Vec::new(), block: None, in_list: false, quoted: false, below: Below::Statement, table: None };
    let mut fence: Option<&str> = None;
    for line in message.lines() {
        let trimmed = line.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}');
        match (fence, fence_of(trimmed)) {
            (None, Some(mark)) => {
                reader.finish();
                fence = Some(mark);
            }
            (Some(open), Some(mark)) if mark.starts_with(open) && mark.len() == trimmed.len() => fence = None,
            (Some(_), _) => reader.aside(trimmed),
            (None, None) => reader.line(line, trimmed),
        }
    }
    reader.finish();
    reader.found
}

/// Takes away what HTML does not show. A comment that is not closed goes on to the end.
fn without_comments(message: &str) -> String {
    let mut shown = String::with_capacity(message.len());
    let mut rest = message;
    while let Some((before, after)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, behind)| behind);
    }
    shown.push_str(rest);
    shown
}

/// The mark of a fence that a line begins with.
fn fence_of(line: &str) -> Option<&str> {
    ['`', '~'].into_iter().find_map(|mark| {
        let rest = line.trim_start_matches(mark);
        let length = line.len() - rest.len();
        (length >= 3 && !rest.contains(mark)).then(|| line.get(..length)).flatten()
    })
}

impl Reader {
    fn aside(&mut self, said: &str) {
        self.found.push(Sentence { said: said.to_owned(), text: String::new(), aside: true });
    }

    fn line(&mut self, line: &str, trimmed: &str) {
        let is_indented = line.starts_with("    ") || line.starts_with('\t');
        if trimmed.is_empty() {
            self.finish();
            self.quoted = false;
            return;
        }
        // A paragraph that goes on below a quotation belongs to it.
        let (kind, content) = read(trimmed);
        if trimmed.starts_with('>') || (self.quoted && kind == Kind::Text) {
            self.finish();
            self.quoted = true;
            return self.aside(trimmed);
        }
        self.quoted = false;
        if kind == Kind::Row && content.chars().all(|character| matches!(character, '|' | '-' | ':' | ' ')) {
            // What stands above the rule says what the columns are.
            if let Some((_, text)) = self.block.take_if(|(kind, _)| *kind == Kind::Row) {
                self.table = Some(below(&text));
                self.aside(&text);
            }
            return;
        }
        let is_code = is_indented && !self.in_list && self.block.is_none() && kind != Kind::Row;
        if is_code || trimmed.contains("~~") {
            self.finish();
            return self.aside(trimmed);
        }
        match (&mut self.block, kind) {
            (Some((_, text)), Kind::Text) if !begins_anew(trimmed) => {
                let joins = trimmed.starts_with(|first: char| first.is_uppercase());
                text.push(if joins { '\n' } else { ' ' });
                text.push_str(trimmed);
            }
            (block, _) => {
                let goes_on = block.is_some();
                self.finish();
                // A paragraph of its own ends what a lead-in began, and a list.
                if kind == Kind::Text && !goes_on {
                    self.in_list &= is_indented;
                    if !self.in_list && !trimmed.starts_with(token::is_mark) {
                        self.below = Below::Statement;
                    }
                }
                self.in_list = kind == Kind::Item || (self.in_list && kind == Kind::Text);
                self.block = Some((kind, content));
            }
        }
        if kind != Kind::Row {
            self.table = None;
        }
    }

    /// Ends the block that is being read.
    fn finish(&mut self) {
        let Some((kind, text)) = self.block.take() else { return };
        let plain = text.trim_matches(['*', '_', ' ']);
        let is_bold = text.starts_with("**") && text.ends_with("**") && !plain.contains("**");
        let is_lead_in = plain.ends_with([':', '：']);
        if kind == Kind::Heading || (kind == Kind::Text && (is_bold || is_lead_in)) {
            self.below = below(&text);
        }
        let below = match kind {
            Kind::Row => self.table.unwrap_or(Below::Statement),
            Kind::Heading | Kind::Item | Kind::Text => Below::Statement,
        };
        let is_ticked = text.starts_with(token::is_mark);
        let is_open = text.starts_with(token::OTHER) || [below, self.below].contains(&Below::Sample);
        if is_open || (!is_ticked && [below, self.below].contains(&Below::Plan)) {
            self.aside(&text);
        } else {
            let is_title = kind == Kind::Heading && !is_ticked && !plain.ends_with(is_stop);
            split(if is_title { format!("{text}:") } else { text }.as_str(), &mut self.found);
        }
    }
}

fn is_stop(character: char) -> bool {
    matches!(character, '.' | '!' | '?' | ':') || token::is_mark(character)
}

/// Tells what kind of line it is, and takes its marks away. A box that is ticked becomes a mark, one that is not stands for
/// something else.
fn read(line: &str) -> (Kind, String) {
    if line.starts_with('#') {
        return (Kind::Heading, line.trim_start_matches('#').trim_start().to_owned());
    }
    if line.starts_with('|') {
        return (Kind::Row, line.trim_matches('|').to_owned());
    }
    let item = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark)).or_else(|| {
        let rest = line.trim_start_matches(|character: char| character.is_ascii_digit());
        let behind = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
        behind.filter(|_| rest.len() < line.len())
    });
    let Some(item) = item.map(str::trim_start) else { return (Kind::Text, line.to_owned()) };
    let content = match item.get(..3) {
        Some("[ ]") => format!("{}{item}", token::OTHER),
        Some("[x]" | "[X]") => format!("✅{}", item.get(3..).unwrap_or_default()),
        _ => item.to_owned(),
    };
    (Kind::Item, content)
}

/// Whether a line stands by itself although no blank line is before it: it has a mark or a label.
fn begins_anew(line: &str) -> bool {
    let is_label = || {
        let (label, _) = line.split_once(": ").unwrap_or_default();
        !label.is_empty() && label.len() <= LABEL_BYTES && label.split(' ').count() <= 4
    };
    let is_text = |first: char| first.is_alphanumeric() || first.is_ascii_punctuation() || "“‘«–—…".contains(first);
    !line.starts_with(is_text) || is_label()
}

fn below(text: &str) -> Below {
    let tokens = token::tokens(text);
    let has = |class| tokens.iter().filter_map(Token::word).any(|word| words::is(word, class));
    if has(Class::Sample) {
        Below::Sample
    } else if has(Class::Plan) {
        Below::Plan
    } else {
        Below::Statement
    }
}

/// Splits a block into sentences, and takes markup, code and quotations out.
fn split(block: &str, found: &mut Vec<Sentence>) {
    let mut sentence = Sentence { said: String::new(), text: String::new(), aside: false };
    // An opening mark without an end is looked for but once a block.
    let mut unclosed: Vec<&str> = Vec::new();
    let mut rest = block;
    while let Some(character) = rest.chars().next() {
        if let Some((length, stands_for)) = span(rest, &sentence.said, &mut unclosed) {
            sentence.text.push_str(&stands_for);
            let (span, after) = rest.split_at(length);
            sentence.said.push_str(span);
            rest = after;
            continue;
        }
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        let asks = matches!(character, '?' | '？');
        if asks || is_end(character, rest) {
            finish(&mut sentence, asks, found);
            continue;
        }
        sentence.said.push(character);
        if !matches!(character, '*' | '~' | '[') && !token::is_placeholder(character) {
            sentence.text.push(character);
        }
    }
    finish(&mut sentence, false, found);
}

/// What a text begins with that is no text of its own: code, a quotation, a tag, the address of a link. Returns its length,
/// and what stands for it.
fn span<'text>(text: &'text str, before: &str, unclosed: &mut Vec<&'text str>) -> Option<(usize, String)> {
    let first = text.chars().next()?;
    let mark_length = if first == '`' { text.len() - text.trim_start_matches('`').len() } else { first.len_utf8() };
    let (mark, inside) = text.split_at_checked(mark_length)?;
    let begins_word = before.chars().next_back().is_none_or(|last| last.is_whitespace() || last == '(');
    let close = |length: usize, end: usize, stands_for: String| Some((mark_length + length + end, stands_for));
    match first {
        '<' if inside.starts_with(|next: char| next.is_alphabetic() || next == '/') => {
            let length = inside.bytes().take(LABEL_BYTES).position(|byte| byte == b'>')?;
            close(length, 1, String::new())
        }
        ']' if inside.starts_with('(') => {
            let length = inside.bytes().take(LINK_BYTES).position(|byte| byte == b')')?;
            close(length, 1, String::new())
        }
        _ if unclosed.contains(&mark) => None,
        '`' => {
            let found = inside.find(mark).and_then(|length| {
                let code = inside.get(..length)?;
                close(length, mark_length, token::of_code(code))
            });
            found.or_else(|| leave(mark, unclosed))
        }
        '\'' | '‘' if !begins_word => None,
        _ => {
            let (_, closing) = QUOTES.iter().find(|(opening, _)| *opening == first)?;
            let is_apostrophe = |end: usize| {
                let behind = inside.get(end + closing.len_utf8()..).unwrap_or_default();
                matches!(closing, '\'' | '’') && behind.starts_with(char::is_alphanumeric)
            };
            let end = inside.match_indices(*closing).map(|(end, _)| end).find(|end| !is_apostrophe(*end));
            end.and_then(|length| close(length, closing.len_utf8(), token::OTHER.to_string()))
                .or_else(|| leave(mark, unclosed))
        }
    }
}

/// Notes that nothing closes a mark.
fn leave<'text, T>(mark: &'text str, unclosed: &mut Vec<&'text str>) -> Option<T> {
    unclosed.push(mark);
    None
}

fn is_end(character: char, after: &str) -> bool {
    match character {
        '!' | ';' | '。' | '！' | '；' | '…' => true,
        '.' => after.chars().next().is_none_or(|next| next.is_whitespace() || "*)_|]<".contains(next)),
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
