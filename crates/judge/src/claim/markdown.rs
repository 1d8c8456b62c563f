//! Splits a message into statements, without markup, code, quotations and plans. A line break within a
//! paragraph is a space; list items, headings and table rows are statements of their own.

use super::scan::{self, QUOTATION};

#[derive(Debug, Clone, Default)]
pub(super) struct Statement {
    /// Text as in the message.
    pub(super) said: String,
    /// Text without quotations, and with inline code between single marks.
    pub(super) text: String,
    /// Whether it is not the agent's own statement: a question, a quotation, code, a plan, an unticked box.
    pub(super) is_aside: bool,
}

/// Opening quotation marks with their closing ones.
const QUOTES: [(char, char); 8] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('「', '」'), ('『', '』'), ('\'', '\''), ('‘', '’')];

/// Headings and lead-ins of plans, examples and requests.
const PLANS: &str = "plan next todo todos steps criteria requirements goal goals remaining acceptance checklist before when \
     definition need needs will until if once pending";
const SAMPLES: &str = "expected should example examples usage instructions asked want original prompt request sample";

/// Maximum length of an HTML tag, and of the address of a link, in bytes.
const TAG_BYTES: usize = 40;
const LINK_BYTES: usize = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Heading,
    Item,
    Row,
    Text,
}

/// Meaning of a heading or lead-in for the text below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Below {
    #[default]
    Statement,
    /// A plan; its ticked items are done.
    Plan,
    /// An example, or a quotation.
    Sample,
}

/// Line-by-line reader of a message.
#[derive(Default)]
struct Reader {
    found: Vec<Statement>,
    /// Block that is being read.
    block: Option<(Kind, String)>,
    is_quoted: bool,
    below: Below,
}

/// Splits a message into statements.
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

/// Removes HTML comments. An unclosed comment extends to the end.
fn without_comments(message: &str) -> String {
    let mut parts = message.split("<!--");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + part.split_once("-->").map_or("", |(_, behind)| behind))
}

/// Returns the fence at the beginning of a line.
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
        // A paragraph directly below a quotation continues it.
        self.is_quoted = trimmed.starts_with('>') || (self.is_quoted && kind == Kind::Text);
        let is_code = (line.starts_with("    ") || line.starts_with('\t')) && self.block.is_none();
        if self.is_quoted || is_code || trimmed.contains("~~") {
            self.finish();
            return self.aside(trimmed);
        }
        if kind == Kind::Row && content.chars().all(|character| matches!(character, '|' | '-' | ':' | ' ')) {
            // The row above the rule is the header.
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
        // A separate paragraph ends the scope of a lead-in.
        if kind == Kind::Text && self.block.is_none() && !trimmed.starts_with(scan::is_mark) {
            self.below = Below::Statement;
        }
        self.finish();
        self.block = Some((kind, content));
    }

    /// Ends the current block.
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

    /// Splits a block into sentences, and removes markup and quotations.
    fn split(&mut self, block: &str) {
        let mut sentence = Statement::default();
        // An opening mark without an end is searched for only once per block.
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

/// Returns the kind of a line and its text without markers. A ticked box becomes a mark, an unticked one a quotation.
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

/// Recognizes a prefix that is not prose: code, a quotation, a tag, the address of a link. Returns its length
/// and its replacement.
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
