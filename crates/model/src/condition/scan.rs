//! Scanner for the characters of a condition: names, numbers, texts.

use super::SyntaxError;

/// A position in a text that is being scanned.
#[derive(Debug, Clone)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Reserved words of JavaScript that cannot name fields.
const RESERVED: [&str; 23] = [
    "Infinity",
    "NaN",
    "Array",
    "await",
    "case",
    "class",
    "const",
    "delete",
    "else",
    "for",
    "function",
    "if",
    "in",
    "instanceof",
    "let",
    "new",
    "return",
    "this",
    "typeof",
    "var",
    "void",
    "while",
    "yield",
];

/// Returns whether a word is reserved in JavaScript and cannot name a field.
pub(super) fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Returns whether a character can begin a name.
pub(super) fn begins_name(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '_' | '$')
}

/// Returns whether a character can continue a name.
pub(super) fn continues_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the offset of the next character, in bytes.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the text that was consumed since an offset.
    pub(super) fn since(&self, offset: usize) -> &'a str {
        &self.text[offset..self.at]
    }

    /// Returns the text that was not consumed yet.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Consumes a text if it comes next.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        let comes = self.rest().starts_with(expected);
        if comes {
            self.at += expected.len();
        }
        comes
    }

    /// Consumes the next characters while they meet a condition; there may be none.
    pub(super) fn take_while(&mut self, holds: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|character| !holds(character)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Consumes a name if one comes next.
    pub(super) fn name(&mut self) -> Option<&'a str> {
        self.peek().filter(|next| begins_name(*next))?;
        Some(self.take_while(continues_name))
    }

    pub(super) fn error_here(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { offset: self.at, message: message.into() }
    }

    /// Returns whether a number comes next, possibly with a sign.
    pub(super) fn number_comes(&self) -> bool {
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
        digits.starts_with(|first: char| first.is_ascii_digit())
    }

    /// Consumes the next number: decimal, with sign, fraction and exponent.
    pub(super) fn number(&mut self) -> Result<f64, SyntaxError> {
        let start = self.at;
        self.take("-");
        let whole = self.take_while(|next| next.is_ascii_digit());
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        if self.take(".") {
            self.take_while(|next| next.is_ascii_digit());
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.at += 1;
            if !self.take("-") {
                self.take("+");
            }
            if self.take_while(|next| next.is_ascii_digit()).is_empty() {
                return Err(self.error_here("a digit is expected in the exponent"));
            }
        }
        let text = &self.text[start..self.at];
        if leading_zero || self.peek().is_some_and(continues_name) {
            self.take_while(continues_name);
            let text = &self.text[start..self.at];
            let message = format!("`{text}` is not a number as conditions know them: digits, a fraction, an exponent");
            return Err(SyntaxError { offset: start, message });
        }
        let number: Option<f64> = text.parse().ok();
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| SyntaxError { offset: start, message: format!("the number `{text}` is too large") })
    }

    /// Consumes the next quoted text.
    pub(super) fn quoted(&mut self, quote: char) -> Result<String, SyntaxError> {
        let start = self.at;
        self.at += quote.len_utf8();
        let mut value = String::new();
        loop {
            let Some(next) = self.peek().filter(|next| !matches!(next, '\n' | '\r')) else {
                let message = format!("the text that begins here is not closed: `{quote}` is missing");
                return Err(SyntaxError { offset: start, message });
            };
            let escape = self.at;
            self.at += next.len_utf8();
            match next {
                '\\' => value.extend(self.escaped(escape)?),
                next if next == quote => return Ok(value),
                next => value.push(next),
            }
        }
    }

    /// Consumes an escape sequence after its backslash, and returns the character that it denotes. None: a line
    /// continuation.
    fn escaped(&mut self, escape: usize) -> Result<Option<char>, SyntaxError> {
        let wrong = |what: &str| SyntaxError { offset: escape, message: what.to_owned() };
        let next = self.peek().ok_or_else(|| wrong("something is missing after `\\`"))?;
        self.at += next.len_utf8();
        Ok(Some(match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => '\0',
            '0'..='9' => return Err(wrong("`\\` and a digit is not known: write `\\x` or `\\u`")),
            'x' => {
                let unit =
                    self.hexadecimal(2).ok_or_else(|| wrong("two hexadecimal digits are expected after `\\x`"))?;
                char::from_u32(unit).ok_or_else(|| wrong("this is not a character"))?
            }
            'u' => self.unicode(escape)?,
            '\r' => {
                self.take("\n");
                return Ok(None);
            }
            '\n' | '\u{2028}' | '\u{2029}' => return Ok(None),
            other => other,
        }))
    }

    /// Consumes the part of an escape sequence after `\u`: four digits, a surrogate pair, or digits in braces.
    fn unicode(&mut self, escape: usize) -> Result<char, SyntaxError> {
        let wrong = || SyntaxError {
            offset: escape,
            message: "`\\u` needs four hexadecimal digits, or some in braces, that are a character".to_owned(),
        };
        if self.take("{") {
            let digits = self.take_while(|next| next.is_ascii_hexdigit());
            let unit = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
            return if self.take("}") { char::from_u32(unit).ok_or_else(wrong) } else { Err(wrong()) };
        }
        let high = self.hexadecimal(4).ok_or_else(wrong)?;
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high).ok_or_else(wrong);
        }
        let low = if self.take("\\u") { self.hexadecimal(4) } else { None };
        let low = low.filter(|low| (0xdc00..0xe000).contains(low)).ok_or_else(wrong)?;
        char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)).ok_or_else(wrong)
    }

    fn hexadecimal(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        self.at += count;
        u32::from_str_radix(digits, 16).ok()
    }
}
