//! Splits a source into lines of code and comments, so that the content of a string literal is no suppression.
//!
//! Knows only as much of each language as that requires: an unterminated quote ends with its line, so that nothing
//! after it is lost.

use super::language::Language;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Line {
    /// Code of the line, with string literals blanked between their quotes, and comments blanked.
    pub code: String,
    /// Comments of the line, without their delimiters.
    pub comments: Vec<String>,
    pub texts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    BlockComment(&'static str, u32),
    /// Until this quote, or the end of the line.
    Quoted(char),
    /// Until three of this quote.
    Triple(char),
    Backtick,
    /// Until a quote and this many `#`.
    Raw(usize),
    /// A regular expression; true within `[]`.
    Regex(bool),
}

pub fn lines(text: &str, language: Language) -> Vec<Line> {
    let mut lexer = Lexer { language, state: State::Code, lines: vec![Line::default()], rest: text, last: '\n' };
    while let Some(character) = lexer.rest.chars().next() {
        lexer.step(character);
    }
    lexer.lines
}

struct Lexer<'a> {
    language: Language,
    state: State,
    lines: Vec<Line>,
    rest: &'a str,
    /// The last character of code that is not blank; a line break at the beginning of a line.
    last: char,
}

impl Lexer<'_> {
    fn step(&mut self, character: char) {
        if character == '\n' {
            self.end_line();
            return;
        }
        match self.state {
            State::Code => self.code(character),
            State::LineComment => self.comment(character),
            State::BlockComment(end, depth) => self.block(character, end, depth),
            State::Quoted(quote) => self.quoted(character, quote),
            State::Triple(quote) => {
                let closing: String = [quote; 3].iter().collect();
                self.until(character, &closing, true);
            }
            State::Backtick => self.until(character, "`", self.language != Language::Go),
            State::Raw(hashes) => {
                let closing = format!("\"{}", "#".repeat(hashes));
                self.until(character, &closing, false);
            }
            State::Regex(within) => self.regex(character, within),
        }
    }

    fn line(&mut self) -> &mut Line {
        if self.lines.is_empty() {
            self.lines.push(Line::default());
        }
        let last = self.lines.len() - 1;
        &mut self.lines[last]
    }

    fn skip(&mut self, text: &str) {
        self.rest = self.rest.get(text.len()..).unwrap_or_default();
    }

    fn end_line(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.lines.push(Line::default());
        self.state = match self.state {
            State::LineComment | State::Quoted(_) | State::Regex(_) => State::Code,
            State::BlockComment(end, depth) => {
                self.line().comments.push(String::new());
                State::BlockComment(end, depth)
            }
            other => other,
        };
        self.last = '\n';
    }

    fn code(&mut self, character: char) {
        if self.begins_comment(character) {
            return;
        }
        if self.begins_text(character) {
            return;
        }
        self.line().code.push(character);
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        if !character.is_whitespace() {
            self.last = character;
        }
    }

    fn begins_comment(&mut self, character: char) -> bool {
        if let Some((begin, end)) =
            self.language.block_comments().iter().find(|(begin, _)| self.rest.starts_with(begin))
        {
            self.open(begin, State::BlockComment(end, 0));
            return true;
        }
        let Some(begin) = self.language.line_comments().iter().find(|begin| self.rest.starts_with(**begin)) else {
            return false;
        };
        let after_blank =
            self.lines.last().is_none_or(|line| line.code.is_empty() || line.code.ends_with([' ', '\t', ';']));
        let is_word = self.language.comments_at_words() && !after_blank;
        // `#[…]` is an attribute; in a URL, `//` follows a colon.
        let is_attribute = self.language == Language::Php && self.rest.starts_with("#[");
        let is_url = character == '/' && self.last == ':' && !after_blank;
        if is_word || is_attribute || is_url {
            return false;
        }
        self.open(begin, State::LineComment);
        true
    }

    fn open(&mut self, begin: &str, state: State) {
        self.state = state;
        self.line().comments.push(String::new());
        self.line().code.push(' ');
        self.skip(begin);
    }

    fn begins_text(&mut self, character: char) -> bool {
        let language = self.language;
        let after_word = self.lines.last().and_then(|line| line.code.chars().next_back()).is_some_and(is_word);
        let state = match character {
            '"' | '\'' if language.has_triple_quotes() && self.rest.chars().take(3).all(|next| next == character) => {
                self.line().code.push(character);
                self.line().texts.push(String::new());
                self.rest = self.rest.get(3..).unwrap_or_default();
                self.state = State::Triple(character);
                self.last = character;
                return true;
            }
            '"' if language == Language::Rust && raw_hashes(&self.lines).is_some() => {
                State::Raw(raw_hashes(&self.lines).unwrap_or_default())
            }
            '"' => State::Quoted('"'),
            '\'' if language == Language::Rust => {
                let mut next = self.rest.chars().skip(1);
                match (next.next(), next.next()) {
                    (Some('\\'), _) | (Some(_), Some('\'')) => State::Quoted('\''),
                    _ => return false,
                }
            }
            // An apostrophe within a word, a digit separator.
            '\'' if after_word && (language.is_script() || matches!(language, Language::C | Language::Html)) => {
                return false;
            }
            '\'' => State::Quoted('\''),
            '`' if language.has_backticks() => State::Backtick,
            '/' if language.is_script() && "\n(,=:[!&|?{};>+".contains(self.last) => State::Regex(false),
            _ => return false,
        };
        self.line().code.push(character);
        self.line().texts.push(String::new());
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.state = state;
        self.last = character;
        true
    }

    fn comment(&mut self, character: char) {
        if let Some(comment) = self.line().comments.last_mut() {
            comment.push(character);
        }
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
    }

    fn block(&mut self, character: char, end: &'static str, depth: u32) {
        if self.rest.starts_with(end) {
            self.state = match depth {
                0 => State::Code,
                depth => State::BlockComment(end, depth - 1),
            };
            self.skip(end);
        } else if self.language == Language::Rust && self.rest.starts_with("/*") {
            self.state = State::BlockComment(end, depth.saturating_add(1));
            self.skip("/*");
        } else {
            self.comment(character);
        }
    }

    fn quoted(&mut self, character: char, quote: char) {
        if character == '\\' {
            self.escaped();
        } else {
            self.until(character, if quote == '"' { "\"" } else { "'" }, false);
        }
    }

    fn regex(&mut self, character: char, within: bool) {
        match character {
            '\\' => {
                self.escaped();
                return;
            }
            '[' => self.state = State::Regex(true),
            ']' => self.state = State::Regex(false),
            '/' if !within => self.state = State::Code,
            _ => {}
        }
        self.line().code.push(' ');
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
    }

    fn until(&mut self, character: char, closing: &str, escapes: bool) {
        if escapes && character == '\\' {
            self.escaped();
        } else if self.rest.starts_with(closing) {
            self.state = State::Code;
            self.line().code.push_str(closing.get(..1).unwrap_or_default());
            self.skip(closing);
        } else {
            self.line().code.push(' ');
            let line = self.line();
            match line.texts.last_mut() {
                Some(text) => text.push(character),
                None => line.texts.push(character.to_string()),
            }
            self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        }
    }

    /// Skips a backslash and the character that it escapes; a line break still ends the line.
    fn escaped(&mut self) {
        self.line().code.push(' ');
        self.rest = self.rest.get(1..).unwrap_or_default();
        match self.rest.chars().next() {
            Some(next) if next != '\n' => self.rest = self.rest.get(next.len_utf8()..).unwrap_or_default(),
            _ => {}
        }
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the number of `#` before a quote that begins a raw string literal in Rust. `None` for any other quote.
fn raw_hashes(lines: &[Line]) -> Option<usize> {
    let code = lines.last()?.code.as_str();
    let start = code.trim_end_matches('#');
    let before = start.strip_suffix('r')?;
    let before = before.strip_suffix(['b', 'c']).unwrap_or(before);
    (!before.ends_with(is_word)).then_some(code.len() - start.len())
}
