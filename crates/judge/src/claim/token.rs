//! A sentence as words, numbers and marks.

use super::vocabulary::{self, Topic};

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
    /// A mark that something is good.
    Good,
    /// A mark that something is bad.
    Bad,
    /// A comma, a bracket, a dash.
    Pause,
    /// A colon, an arrow, the rule between two cells.
    Colon,
    /// "No errors", "0 failed", and what it says that of.
    Clean(Vec<Topic>),
    /// A command that looks at the whole project.
    Command(Topic),
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

/// Longest word that can mean anything here, in bytes.
const WORD_BYTES: usize = 40;

/// Whether a character stands for something here, and is dropped from texts.
pub(super) fn is_placeholder(character: char) -> bool {
    ('\u{e000}'..='\u{e00f}').contains(&character)
}

/// Returns what stands for a span of code: a command that looks at all of something, or anything else.
pub(super) fn of_code(code: &str) -> char {
    let topic = command(code);
    COMMANDS.iter().find(|(_, found)| Some(*found) == topic).map_or(OTHER, |(character, _)| *character)
}

/// What a command line looks at. None: at something else, or only at a part.
fn command(code: &str) -> Option<Topic> {
    let mut topic = None;
    for part in code.split_whitespace().take(12) {
        let word = part.trim_matches('`').to_lowercase().replace('-', "");
        let is_plain = part.starts_with('-')
            || matches!(part, "./..." | "." | "ci" | "all" | "exec" | "check" | "warnings" | "-D" | "tool")
            || vocabulary::is_program(&word);
        let found = match word.as_str() {
            "check" if topic.is_none() && code.starts_with("cargo") => Some(Topic::Build),
            "lint" | "build" | "fmt" | "format" | "typecheck" => vocabulary::head(&word).map(|(topic, _)| topic),
            _ => vocabulary::stem(&word)
                .or_else(|| vocabulary::head(&word).filter(|(_, tool)| *tool).map(|(topic, _)| topic)),
        };
        match found {
            Some(found) if topic.is_none() => topic = Some(found),
            _ if is_plain => {}
            _ => return None,
        }
    }
    topic.filter(|topic| *topic != Topic::Everything)
}

/// Splits a sentence.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character.is_alphanumeric() {
            let end = word_end(rest);
            let (word, after) = rest.split_at(end);
            of_word(word, &mut found);
            rest = after;
            continue;
        }
        rest = rest.get(character.len_utf8()..).unwrap_or_default();
        let token = match character {
            '✅' | '✓' | '✔' | '☑' | '🟢' | '💚' => Token::Good,
            '❌' | '✗' | '✘' | '🔴' | '⚠' | '❎' | '🟡' | '⏳' | '🚧' | '❓' | '⏭' => Token::Bad,
            ',' | '(' | ')' | '[' | ']' | '—' | '–' | '、' | '-' => Token::Pause,
            ':' | '→' | '=' | '|' | '：' => Token::Colon,
            '&' | '+' => Token::Word("and".to_owned()),
            OTHER => Token::Other,
            _ => match COMMANDS.iter().find(|(command, _)| *command == character) {
                Some((_, topic)) => Token::Command(*topic),
                None => continue,
            },
        };
        found.push(token);
    }
    clean(&found)
}

/// Where the word ends that a text begins with.
fn word_end(text: &str) -> usize {
    let belongs = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '\'' | '’' | '-' | '/' | '%' | '.' | '@' | '#' | '\\')
    };
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
    let trimmed = word.trim_end_matches(['.', '-', '\'', '’', '/', '\\', '#', '@']);
    trimmed.len().max(1).min(text.len())
}

fn of_word(word: &str, found: &mut Vec<Token>) {
    let digits = word.replace(',', "");
    if let Ok(number) = digits.parse::<u64>() {
        found.push(Token::Number(number));
    } else if let Some(Ok(number)) =
        digits.strip_suffix('%').map(|digits| digits.split('.').next().unwrap_or_default().parse::<u64>())
    {
        found.push(Token::Percent(number));
    } else if let Some((Ok(passed), Ok(of))) = digits.split_once('/').map(|(passed, of)| (passed.parse(), of.parse())) {
        found.push(Token::Fraction { passed, of });
    } else if word.len() > WORD_BYTES || word.contains(['.', '_', '@', '#', '\\']) {
        found.push(Token::Other);
    } else if word.contains('/') {
        let parts: Vec<String> = word.split('/').map(plain).collect();
        if parts.iter().all(|part| {
            vocabulary::head(part).is_some() || vocabulary::stem(part).is_some() || part == "and" || part == "or"
        }) {
            for part in parts {
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
    word.to_lowercase().replace(['-', '\'', '’'], "")
}

impl Token {
    /// Returns the word that it is.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }

    fn is(&self, words: &[&str]) -> bool {
        self.word().is_some_and(|word| words.contains(&word))
    }
}

/// Takes "no type errors" and "exits with 0" as what they say, so that their "no" denies nothing.
fn clean(tokens: &[Token]) -> Vec<Token> {
    let mut found = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        if let Some((token, length)) = nothing_wrong(rest).or_else(|| exit_of_zero(rest)) {
            found.push(token);
            rest = rest.get(length..).unwrap_or_default();
        } else if let Some(length) = idiom(rest) {
            rest = rest.get(length..).unwrap_or_default();
        } else {
            found.push(first.clone());
            rest = after;
        }
    }
    found
}

/// "No errors", "0 failed", "without any type errors or warnings".
fn nothing_wrong(tokens: &[Token]) -> Option<(Token, usize)> {
    let (first, after) = tokens.split_first()?;
    if *first != Token::Number(0) && !first.is(&["no", "zero", "without"]) {
        return None;
    }
    let mut topics = Vec::new();
    let mut end = None;
    for (index, token) in after.iter().enumerate().take(8) {
        let Some(word) = token.word() else { break };
        if matches!(
            word,
            "error"
                | "errors"
                | "failure"
                | "failures"
                | "failed"
                | "failing"
                | "fails"
                | "fail"
                | "warning"
                | "warnings"
                | "issue"
                | "issues"
                | "problem"
                | "problems"
                | "regressions"
                | "violations"
                | "complaints"
        ) {
            end = Some(index + 2);
            continue;
        }
        let topic = vocabulary::of_error(word);
        topics.extend(topic);
        if end.is_some() && matches!(word, "tests" | "test") {
            end = Some(index + 2);
            continue;
        }
        if topic.is_none()
            && !matches!(word, "any" | "more" | "single" | "outstanding" | "blocking" | "or" | "and" | "further")
        {
            break;
        }
    }
    let end = end?;
    // "No errors and the build": what comes after the last fault is not of it.
    let within = after.get(..end - 1).unwrap_or_default();
    topics.retain(|topic| within.iter().filter_map(Token::word).any(|word| vocabulary::of_error(word) == Some(*topic)));
    topics.dedup();
    Some((Token::Clean(topics), end))
}

/// "Exits with 0", "exit code 0".
fn exit_of_zero(tokens: &[Token]) -> Option<(Token, usize)> {
    let (first, after) = tokens.split_first()?;
    if !first.is(&["exit", "exits", "exited", "exiting"]) {
        return None;
    }
    let between =
        after.iter().take_while(|token| token.is(&["with", "code", "status"]) || **token == Token::Colon).count();
    (after.get(between) == Some(&Token::Number(0))).then(|| (Token::Clean(Vec::new()), between + 2))
}

/// What is said beside and changes nothing: "as expected", "after my changes".
fn idiom(tokens: &[Token]) -> Option<usize> {
    let words: Vec<Option<&str>> = tokens.iter().take(4).map(Token::word).collect();
    let of_change = |word: Option<&str>| {
        matches!(
            word,
            Some(
                "change"
                    | "changes"
                    | "fix"
                    | "fixes"
                    | "refactor"
                    | "refactoring"
                    | "edit"
                    | "edits"
                    | "update"
                    | "updates"
            )
        )
    };
    match words.as_slice() {
        [Some("after"), Some("the" | "my" | "this" | "these"), change, ..] if of_change(*change) => Some(3),
        [Some("as"), Some("expected" | "intended" | "requested" | "required" | "planned"), ..]
        | [Some("in"), Some("total"), ..]
        | [Some("at"), Some("this"), ..] => Some(2),
        _ => None,
    }
}
