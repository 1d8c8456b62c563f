//! A sentence as words, numbers and marks.

use super::words::{self, Topic};

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// In lower case, without hyphens and apostrophes.
    Word(String),
    Number(u64),
    /// So many of so many.
    Fraction {
        passed: u64,
        of: u64,
    },
    /// In per cent.
    Percent(u64),
    /// "1.3s".
    Duration,
    /// A mark that something is good.
    Good,
    /// A mark that something is bad.
    Bad,
    /// A comma, a dash.
    Pause,
    /// A line break before what may be another statement.
    Break,
    /// A colon, an arrow, the rule between two cells.
    Colon,
    Open,
    Close,
    /// A command that looks at the whole project, and the tool that it names, if it names one.
    Command(Topic, Option<String>),
    /// A path, a quotation, other code.
    Other,
}

/// Stands for a quotation or code in a text.
pub(super) const OTHER: char = '\u{e000}';

/// Stand for commands in a text.
const COMMANDS: [(char, Topic); 5] = [
    ('\u{e001}', Topic::Tests),
    ('\u{e002}', Topic::Types),
    ('\u{e003}', Topic::Build),
    ('\u{e004}', Topic::Lint),
    ('\u{e005}', Topic::Format),
];

/// Ends the tool that stands behind such a character.
const TOOL_END: char = '\u{e006}';

/// Longest word that can mean anything here, in bytes.
const WORD_BYTES: usize = 40;

/// Whether a character stands for something here, and is dropped from texts.
pub(super) fn is_placeholder(character: char) -> bool {
    ('\u{e000}'..='\u{e00f}').contains(&character)
}

/// Whether a character says that something is good.
pub(super) fn is_mark(character: char) -> bool {
    "✅✓✔☑🟢🟩💚".contains(character)
}

/// Returns what stands for a span of code: a command that looks at all of something, with its tool, or anything else.
pub(super) fn of_code(code: &str) -> String {
    if !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/') {
        return code.to_owned();
    }
    let Some(topic) = command(code) else { return OTHER.to_string() };
    let Some((character, _)) = COMMANDS.iter().find(|(_, found)| *found == topic) else { return OTHER.to_string() };
    format!("{character}{}{TOOL_END}", tool(code).unwrap_or_default())
}

/// The tool that a command line names. None: what it runs is written elsewhere, as with `npm test`.
fn tool(code: &str) -> Option<String> {
    let words = || code.split_whitespace().take(12).map(str::to_lowercase);
    let named = words().find(|word| words::tool(word).is_some());
    named.or_else(|| words().find(|word| words::is_among(words::OWN_PROGRAMS, word)))
}

/// What a command line looks at. None: at something else, or only at a part.
fn command(code: &str) -> Option<Topic> {
    let mut topic = None;
    for part in code.split_whitespace().take(12) {
        let word = part.trim_matches('`').to_lowercase().replace('-', "");
        let found = match word.as_str() {
            "check" if topic.is_none() && code.starts_with("cargo") => Some(Topic::Build),
            _ => words::scripted(&word).or_else(|| words::tool(&word)),
        };
        match found {
            Some(found) if topic.is_none() => topic = Some(found),
            _ if words::is_among(words::HARMLESS, part) || words::is_among(words::PROGRAMS, &word) => {}
            _ => return None,
        }
    }
    topic
}

/// Splits a sentence.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character.is_alphanumeric() {
            let (word, after) = rest.split_at(word_end(rest));
            of_word(word, &mut found);
            rest = after;
            continue;
        }
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        let token = match character {
            mark if is_mark(mark) => Token::Good,
            '❌' | '✗' | '✘' | '🔴' | '🟥' | '⚠' | '❎' | '🟡' | '⏳' | '🚧' | '❓' | '⏭' | '⛔' | '🚫' => {
                Token::Bad
            }
            ',' | '—' | '–' | '、' | '-' | '•' | '·' => Token::Pause,
            ':' | '→' | '=' | '|' | '：' => Token::Colon,
            '(' => Token::Open,
            ')' => Token::Close,
            '\n' => Token::Break,
            '&' | '+' => Token::Word("and".to_owned()),
            '/' => Token::Word("of".to_owned()),
            OTHER => Token::Other,
            _ => match COMMANDS.iter().find(|(command, _)| *command == character) {
                Some((_, topic)) => {
                    let (tool, behind) = rest.split_once(TOOL_END).unwrap_or(("", rest));
                    rest = behind;
                    Token::Command(*topic, (!tool.is_empty()).then(|| tool.to_owned()))
                }
                None => continue,
            },
        };
        found.push(token);
    }
    with_fractions(found)
}

/// Takes "40 of 42", "40 out of 42" and "40 / 42" as "40/42".
fn with_fractions(tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        found.push(token);
        let is = |token: &Token, word: &str| token.word() == Some(word);
        let (length, fraction) = match found.as_slice() {
            [.., Token::Number(passed), out, of, Token::Number(all)] if is(out, "out") && is(of, "of") => {
                (4, Token::Fraction { passed: *passed, of: *all })
            }
            [.., Token::Number(passed), of, Token::Number(all)] if is(of, "of") => {
                (3, Token::Fraction { passed: *passed, of: *all })
            }
            _ => continue,
        };
        found.truncate(found.len() - length);
        found.push(fraction);
    }
    found
}

/// Where the word ends that a text begins with.
fn word_end(text: &str) -> usize {
    let belongs = |character: char| character.is_alphanumeric() || "_'’-/%.@#\\".contains(character);
    let mut end = 0;
    let mut characters = text.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        let next_is_digit = characters.peek().is_some_and(|(_, next)| next.is_ascii_digit());
        let in_number = character == ','
            && next_is_digit
            && text.get(..index).is_some_and(|before| before.ends_with(|last: char| last.is_ascii_digit()));
        if !belongs(character) && !in_number {
            break;
        }
        end = index + character.len_utf8();
    }
    let word = text.get(..end).unwrap_or_default();
    let trimmed = word.trim_end_matches(['.', '-', '\'', '’', '/', '\\', '#', '@', '_']);
    trimmed.len().max(1).min(text.len())
}

fn of_word(word: &str, found: &mut Vec<Token>) {
    let digits = word.replace(',', "");
    let unit = digits.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    if let Ok(number) = digits.parse::<u64>() {
        found.push(Token::Number(number));
    } else if let Some(Ok(number)) =
        digits.strip_suffix('%').map(|digits| digits.split('.').next().unwrap_or_default().parse::<u64>())
    {
        found.push(Token::Percent(number));
    } else if let Some((Ok(passed), Ok(of))) = digits.split_once('/').map(|(passed, of)| (passed.parse(), of.parse())) {
        found.push(Token::Fraction { passed, of });
    } else if unit.len() < digits.len() && matches!(unit, "s" | "ms" | "sec" | "m" | "min") {
        found.push(Token::Duration);
    } else if word.len() > WORD_BYTES || word.contains(['.', '_', '@', '#', '\\']) {
        found.push(Token::Other);
    } else if word.contains('/') {
        let parts: Vec<String> = word.split('/').map(plain).collect();
        if parts.iter().all(|part| words::head(part).is_some() || part == "test" || part == "and" || part == "or") {
            for part in parts {
                let part = if part == "test" { "tests".to_owned() } else { part };
                found.extend([Token::Word(part), Token::Word("and".to_owned())]);
            }
            found.pop();
        } else {
            found.push(Token::Other);
        }
    } else {
        found.push(Token::Word(plain(word)));
    }
}

fn plain(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    // Without its apostrophe it would be another word.
    if lower == "we're" { "we".to_owned() } else { lower.replace(['-', '\''], "") }
}

impl Token {
    /// Returns the word that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}
