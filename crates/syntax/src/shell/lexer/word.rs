//! Words: quotes, escapes, substitutions.

use super::super::{Script, Word, is_assignment};
use super::{DEEPEST, LONGEST_ARITHMETIC, Lexer};

impl Lexer<'_> {
    /// Reads a word; empty if none begins here.
    pub(super) fn word(&mut self) -> Word {
        let mut word = Word::default();
        while let Some(next) = self.peek() {
            let start = self.at;
            match next {
                '<' | '>' if self.rest()[1..].starts_with('(') => {
                    self.at += 2;
                    self.substitution(&mut word);
                    self.keep(&mut word, start);
                }
                '(' if !word.is_quoted && word.text.ends_with('=') && is_assignment(&word.text) => {
                    self.at += 1;
                    self.enclosed(&mut word, ")");
                    self.keep(&mut word, start);
                }
                ' ' | '\t' | '\n' | '|' | '&' | ';' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.at += 1;
                    word.is_quoted = true;
                    let (inner, _) = self.rest().split_once('\'').unwrap_or_else(|| {
                        self.is_whole = false;
                        (self.rest(), "")
                    });
                    word.text.push_str(inner);
                    self.at = (self.at + inner.len() + 1).min(self.text.len());
                }
                '"' => self.double(&mut word),
                '\\' if self.eat("\\\n") => {}
                '\\' => {
                    self.at += 1;
                    word.is_quoted = true;
                    let escaped = self.next();
                    self.is_whole &= escaped.is_some();
                    word.text.extend(escaped);
                }
                '$' => self.dollar(&mut word, false),
                '`' => self.backquoted(&mut word, false),
                other => {
                    self.at += other.len_utf8();
                    word.is_special |= "*?[]{}~!#".contains(other);
                    word.text.push(other);
                }
            }
        }
        word
    }

    /// Reads `((…))` or `[[…]]` as one word, if one begins here.
    pub(super) fn compound(&mut self) -> Option<Word> {
        let start = self.at;
        let mut word = Word::default();
        if let Some(length) = self.arithmetic() {
            self.at += length;
        } else if self.rest().starts_with("[[") && self.rest()[2..].starts_with([' ', '\t', '\n']) {
            self.at += 2;
            self.enclosed(&mut word, "]]");
        } else {
            return None;
        }
        self.keep(&mut word, start);
        Some(word)
    }

    /// Appends the text since `start` as written.
    fn keep(&self, word: &mut Word, start: usize) {
        word.text.push_str(&self.text[start..self.at]);
        word.is_expanded = true;
    }

    /// Reads all words, and the text between them, up to a closing delimiter.
    fn enclosed(&mut self, word: &mut Word, end: &str) {
        if !self.deepen() {
            return;
        }
        loop {
            let inner = self.word();
            let is_end = !inner.is_quoted && inner.text == end;
            word.nested.extend(inner.nested);
            if is_end {
                break;
            }
            match self.peek() {
                Some(')') if end == ")" => {
                    self.at += 1;
                    break;
                }
                // A character between words.
                Some(sign) => self.at += sign.len_utf8(),
                None => {
                    self.is_whole = false;
                    break;
                }
            }
        }
        self.depth -= 1;
    }

    /// Returns the length of `((…))` at this position, if its parentheses are balanced and the last two are adjacent.
    fn arithmetic(&self) -> Option<usize> {
        let inner = self.rest().strip_prefix("((")?.as_bytes();
        let mut depth = 1_usize;
        let end = inner.iter().take(LONGEST_ARITHMETIC).position(|sign| {
            match sign {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        (inner.get(end + 1) == Some(&b')')).then_some(end + 4)
    }

    fn double(&mut self, word: &mut Word) {
        self.at += 1;
        word.is_quoted = true;
        while let Some(next) = self.peek() {
            match next {
                '"' => {
                    self.at += 1;
                    return;
                }
                '$' => self.dollar(word, true),
                '`' => self.backquoted(word, true),
                '\\' if self.eat("\\\n") => {}
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some(escaped @ ('"' | '\\' | '$' | '`')) => {
                            self.at += 1;
                            word.text.push(escaped);
                        }
                        Some(_) => word.text.push('\\'),
                        None => {}
                    }
                }
                other => {
                    self.at += other.len_utf8();
                    word.text.push(other);
                }
            }
        }
        self.is_whole = false;
    }

    /// Reads an expansion that begins with `$`. The rest of a variable name is read like other characters.
    fn dollar(&mut self, word: &mut Word, is_in_double: bool) {
        let start = self.at;
        self.at += 1;
        match self.peek() {
            Some('(') => {
                if let Some(length) = self.arithmetic() {
                    self.at += length;
                } else {
                    self.at += 1;
                    self.substitution(word);
                }
            }
            Some('{') => {
                self.at += 1;
                self.braced(word, is_in_double);
            }
            Some('\'') if !is_in_double => {
                self.at += 1;
                word.is_quoted = true;
                self.ansi_quoted(word);
                return;
            }
            // The quote of a translated text (`$"…"`) is read like any other.
            Some('"') if !is_in_double => return,
            Some(sign) if sign.is_ascii_alphanumeric() || "_@*#?$!-".contains(sign) => self.at += 1,
            _ => {
                word.text.push('$');
                return;
            }
        }
        self.keep(word, start);
    }

    /// Reads the rest of `$'…'`. Numeric escapes are kept as written.
    fn ansi_quoted(&mut self, word: &mut Word) {
        while let Some(next) = self.next() {
            match (next, self.peek()) {
                ('\'', _) => return,
                ('\\', Some(escaped)) => {
                    let meant = match escaped {
                        'n' => Some('\n'),
                        't' => Some('\t'),
                        '\\' | '\'' | '"' => Some(escaped),
                        _ => None,
                    };
                    self.at += meant.map_or(0, char::len_utf8);
                    word.is_expanded |= meant.is_none();
                    word.text.push(meant.unwrap_or('\\'));
                }
                (other, _) => word.text.push(other),
            }
        }
        self.is_whole = false;
    }

    /// Reads the rest of `${…}`.
    fn braced(&mut self, word: &mut Word, is_in_double: bool) {
        if !self.deepen() {
            return;
        }
        let mut inner = Word::default();
        loop {
            match self.peek() {
                Some('"') => self.double(&mut inner),
                Some('$') => self.dollar(&mut inner, is_in_double),
                Some('`') => self.backquoted(&mut inner, is_in_double),
                Some('\'') if !is_in_double => {
                    self.at += 1;
                    let length = self.rest().find('\'').map_or(self.rest().len(), |end| end + 1);
                    self.at += length;
                }
                Some(other) => {
                    self.at += other.len_utf8();
                    match other {
                        '}' => break,
                        '\\' => drop(self.next()),
                        _ => {}
                    }
                }
                None => {
                    self.is_whole = false;
                    break;
                }
            }
        }
        word.nested.extend(inner.nested);
        self.depth -= 1;
    }

    /// Reads the rest of `$(…)`, `<(…)` or `>(…)`.
    fn substitution(&mut self, word: &mut Word) {
        if self.deepen() {
            let mut inner = Lexer::new(self.text, self.at, self.depth);
            inner.run(true);
            self.at = inner.at;
            self.is_whole &= inner.is_whole;
            word.nested.push(Script { tokens: inner.tokens, is_whole: inner.is_whole });
            self.depth -= 1;
        }
    }

    fn backquoted(&mut self, word: &mut Word, is_in_double: bool) {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => match self.peek() {
                    Some(escaped) if "`\\$".contains(escaped) || (is_in_double && escaped == '"') => {
                        self.at += 1;
                        text.push(escaped);
                    }
                    _ => text.push('\\'),
                },
                Some(other) => text.push(other),
                None => {
                    self.is_whole = false;
                    break;
                }
            }
        }
        self.keep(word, start);
        if self.deepen() {
            let mut inner = Lexer::new(&text, 0, self.depth);
            inner.run(false);
            word.nested.push(Script { tokens: inner.tokens, is_whole: inner.is_whole });
            self.depth -= 1;
        }
    }

    /// Enters a nested substitution. If the nesting is too deep, skips the rest of the text.
    fn deepen(&mut self) -> bool {
        if self.depth >= DEEPEST {
            self.at = self.text.len();
            self.is_whole = false;
            return false;
        }
        self.depth += 1;
        true
    }
}
