//! A message as statements: without markup, code, quotations and what is only planned. A line break inside a paragraph is a
//! blank; list items, headings and rows of tables stand by themselves.

use super::scan::{self, QUOTATION};

#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    /// As it stands in the message.
    pub(super) said: String,
    /// With quotations taken out, and code between single marks.
    pub(super) text: String,
    /// Whether it is no statement of the agent's own: a question, a quotation, code, a plan, a box that is not ticked.
    pub(super) is_aside: bool,
}

/// Quotation marks, and what ends each.
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('\'', '\''), ('‘', '’')];

/// Headings and lead-ins of what is planned; and of examples, and of what is asked for.
const PLANS: &str = "plan next todo todos steps criteria requirements goal goals remaining acceptance checklist before when \
     definition need needs will until if once pending";
const SAMPLES: &str = "expected should example examples usage instructions asked want original prompt request sample";

/// Longest HTML tag, and longest address of a link, in bytes.
const TAG_BYTES: usize = 40;
const LINK_BYTES: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Item,
    Row,
    Text,
}

/// What a heading or a lead-in says of that which stands below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Below {
    #[default]
    Statement,
    /// A plan, of which what is ticked is done.
    Plan,
    /// An example, or what somebody else said.
    Sample,
}

/// Reads a message line by line.
#[derive(Default)]
struct Reader {
    found: Vec<Statement>,
    /// The block that is being read.
    block: Option<(Kind, String)>,
    is_quoted: bool,
    below: Below,
}

/// Reads the statements of a message.
pub(super) fn statements(message: &str) -> Vec<Statement> {
    let message = without_comments(message);
    let mut reader = Reader::default();
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
    let mut parts = message.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once("-->").map_or("", |(_, behind)| behind))
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
        self.found.push(Statement { said: said.to_owned(), text: String::new(), is_aside: true });
    }

    fn line(&mut self, line: &str, trimmed: &str) {
        if trimmed.is_empty() {
            self.finish();
            self.is_quoted = false;
            return;
        }
        let (kind, content) = read(trimmed);
        // A paragraph that goes on below a quotation belongs to it.
        self.is_quoted = trimmed.starts_with('>') || (self.is_quoted && kind == Kind::Text);
        let is_code = (line.starts_with("    ") || line.starts_with('\t')) && self.block.is_none();
        if self.is_quoted || is_code || trimmed.contains("~~") {
            self.finish();
            return self.aside(trimmed);
        }
        if kind == Kind::Row && content.chars().all(|character| matches!(character, '|' | '-' | ':' | ' ')) {
            // What stands above the rule says what the columns are.
            if let Some((_, text)) = self.block.take_if(|(kind, _)| *kind == Kind::Row) {
                self.below = self.below.max(below(&text));
                self.aside(&text);
            }
            return;
        }
        let goes_on = |first: char| first.is_alphanumeric() || first.is_ascii_punctuation();
        if let (Some((_, text)), Kind::Text, true) = (&mut self.block, kind, trimmed.starts_with(goes_on)) {
            text.push(if trimmed.starts_with(char::is_uppercase) { '\n' } else { ' ' });
            text.push_str(trimmed);
            return;
        }
        // A paragraph of its own ends what a lead-in began.
        if kind == Kind::Text && self.block.is_none() && !trimmed.starts_with(scan::is_mark) {
            self.below = Below::Statement;
        }
        self.finish();
        self.block = Some((kind, content));
    }

    /// Ends the block that is being read.
    fn finish(&mut self) {
        let Some((kind, text)) = self.block.take() else { return };
        let plain = text.trim_matches(['*', '_', ' ']);
        let is_bold = text.starts_with("**") && text.ends_with("**") && !plain.contains("**");
        if kind == Kind::Heading || (kind == Kind::Text && (is_bold || plain.ends_with([':', '：']))) {
            self.below = below(&text);
        }
        let is_ticked = text.starts_with(scan::is_mark);
        if text.starts_with(QUOTATION) || self.below == Below::Sample || (!is_ticked && self.below == Below::Plan) {
            self.aside(&text);
        } else {
            let is_title = kind == Kind::Heading && !is_ticked && !plain.ends_with(['.', '!', '?', ':', '✅']);
            self.split(if is_title { format!("{text}:") } else { text }.as_str());
        }
    }

    /// Splits a block into sentences, and takes markup and quotations out.
    fn split(&mut self, block: &str) {
        let mut sentence = Statement::default();
        // An opening mark without an end is looked for but once a block.
        let mut unclosed: Vec<&str> = Vec::new();
        let mut rest = block;
        while let Some(character) = rest.chars().next() {
            let (length, stands_for) = span(rest, &sentence.said, &mut unclosed).unwrap_or_else(|| {
                let is_markup = matches!(character, '*' | '~' | '[' | '`' | QUOTATION);
                (character.len_utf8(), if is_markup { String::new() } else { character.to_string() })
            });
            let (span, after) = rest.split_at(length);
            rest = after;
            let asks = matches!(character, '?' | '？');
            if asks || is_end(character, rest) {
                self.end(&mut sentence, asks);
            } else {
                sentence.said.push_str(span);
                sentence.text.push_str(&stands_for);
            }
        }
        self.end(&mut sentence, false);
    }

    fn end(&mut self, sentence: &mut Statement, is_aside: bool) {
        let sentence = std::mem::take(sentence);
        if !sentence.text.trim().is_empty() {
            self.found.push(Statement { is_aside, ..sentence });
        }
    }
}

/// Tells what kind of line it is, and takes its marks away. A box that is ticked becomes a mark, one that is not a quotation.
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
        Some("[ ]") => format!("{QUOTATION}{item}"),
        Some("[x]" | "[X]") => format!("✅{}", item.get(3..).unwrap_or_default()),
        _ => item.to_owned(),
    };
    (Kind::Item, content)
}

fn below(text: &str) -> Below {
    let words = scan::words(text);
    let has = |list: &str| list.split(' ').any(|word| words.iter().any(|other| other == word));
    if has(SAMPLES) {
        Below::Sample
    } else if has(PLANS) {
        Below::Plan
    } else {
        Below::Statement
    }
}

/// What a text begins with that is no text of its own: code, a quotation, a tag, the address of a link. Returns its length,
/// and what stands for it.
fn span<'text>(text: &'text str, before: &str, unclosed: &mut Vec<&'text str>) -> Option<(usize, String)> {
    let first = text.chars().next()?;
    let mark_length = if first == '`' { text.len() - text.trim_start_matches('`').len() } else { first.len_utf8() };
    let (mark, inside) = text.split_at_checked(mark_length)?;
    let within = |bytes: usize, end: u8| {
        let length = inside.bytes().take(bytes).position(|byte| byte == end)?;
        Some((mark_length + length + 1, String::new()))
    };
    if first == '<' && inside.starts_with(|next: char| next.is_alphabetic() || next == '/') {
        return within(TAG_BYTES, b'>');
    }
    if first == ']' && inside.starts_with('(') {
        return within(LINK_BYTES, b')');
    }
    let begins_word = before.chars().next_back().is_none_or(|last| last.is_whitespace() || last == '(');
    if unclosed.contains(&mark) || (matches!(first, '\'' | '‘') && !begins_word) {
        return None;
    }
    let found = if first == '`' {
        let code = inside.find(mark).and_then(|length| inside.get(..length));
        code.map(|code| {
            let stands_for = if code.contains('`') { QUOTATION.to_string() } else { format!("`{code}`") };
            (code.len() + 2 * mark_length, stands_for)
        })
    } else {
        let (_, closing) = QUOTES.iter().find(|(opening, _)| *opening == first)?;
        let is_apostrophe = |end: usize| {
            let behind = inside.get(end + closing.len_utf8()..).unwrap_or_default();
            matches!(closing, '\'' | '’') && behind.starts_with(char::is_alphanumeric)
        };
        let end = inside.match_indices(*closing).map(|(end, _)| end).find(|end| !is_apostrophe(*end));
        end.map(|length| (mark_length + length + closing.len_utf8(), QUOTATION.to_string()))
    };
    if found.is_none() {
        unclosed.push(mark);
    }
    found
}

fn is_end(character: char, after: &str) -> bool {
    match character {
        '!' | ';' | '。' | '！' | '；' | '…' => true,
        '.' => after.chars().next().is_none_or(|next| next.is_whitespace() || "*)_|]<".contains(next)),
        _ => false,
    }
}
