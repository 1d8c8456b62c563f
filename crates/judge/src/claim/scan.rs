//! Matches the words of a sentence to phrases.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use referee_model::plan::Role;

use super::phrases;

/// Placeholder for a quotation in a text.
pub(super) const QUOTATION: char = '\u{e000}';

/// Arguments of a command that do not narrow its scope.
const HARMLESS: &str = "./... . ci all exec check warnings tool run -- -d --noemit --workspace --all --all-targets \
     --all-features --locked --ci --run --silent --coverage --check --max-warnings=0 --verbose -v -race --passwithnotests \
     --no-fail-fast";

/// Number of words of a command that are examined.
const COMMAND_WORDS: usize = 12;

/// A part of a sentence with its meaning: a letter of the table, `n` for a number, `=` for a number that is the
/// total.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'text> {
    pub(super) says: char,
    words: &'text [String],
}

impl Item<'_> {
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().flat_map(|word| word.split(['`', ' '])).filter(|word| !word.is_empty())
    }

    /// Returns whether its words have another meaning together than individually.
    pub(super) fn is_idiom(&self) -> bool {
        self.words.len() > 1 && " z".contains(self.says)
    }

    /// Returns whether it names something that can pass or fail.
    pub(super) fn is_subject(&self) -> bool {
        "sz".contains(self.says) || self.words().any(|word| self.says == 'o' && phrases::is_in("KIND", word))
    }

    pub(super) fn role(&self) -> Option<Role> {
        phrases::role(self.words())
    }

    /// Returns the roles of its words, one by one.
    pub(super) fn roles(&self) -> Vec<Role> {
        let mut roles: Vec<Role> = self.words().flat_map(phrases::roles).collect();
        roles.dedup();
        roles
    }

    /// Returns the parts or the tool that it names.
    pub(super) fn names(&self) -> Vec<String> {
        let named = |is_name: fn(&str) -> bool| -> Vec<String> {
            self.words().filter(|word| is_name(word)).map(str::to_owned).collect()
        };
        let is_name = |word: &str| phrases::is_in("PART", word) || phrases::tool(word).is_some();
        let names = named(is_name);
        if names.is_empty() { named(phrases::is_ecosystem) } else { names }
    }

    pub(super) fn number(&self) -> Option<u64> {
        self.words().find_map(|word| fraction(word).map_or_else(|| word.parse().ok(), |(passed, _)| Some(passed)))
    }
}

/// One word of a phrase, and whether it is optional.
type Element = (Vec<&'static str>, bool);

/// Meaning of a phrase and its words.
type Phrase = (char, Vec<Element>);

/// Phrases by their first word.
static PHRASES: LazyLock<BTreeMap<&'static str, Vec<Phrase>>> = LazyLock::new(|| {
    let mut by_first: BTreeMap<&'static str, Vec<Phrase>> = BTreeMap::new();
    for (says, phrase) in phrases::english() {
        let elements: Vec<Element> = phrase.split(' ').map(element).collect();
        let leading = elements.iter().take_while(|(_, is_optional)| *is_optional).count();
        for word in elements.iter().take(leading + 1).flat_map(|(words, _)| words) {
            by_first.entry(word).or_default().push((says, elements.clone()));
        }
    }
    by_first
});

fn element(written: &'static str) -> Element {
    let (words, is_optional) = written.strip_suffix('?').map_or((written, false), |words| (words, true));
    let words = words.split('|').flat_map(|word| phrases::set(word).unwrap_or(word).split('|'));
    (words.collect(), is_optional)
}

/// Returns the items of a sentence.
pub(super) fn items(words: &[String]) -> Vec<Item<'_>> {
    let mut found = Vec::new();
    let mut rest = words;
    while let Some(first) = rest.first() {
        let (says, length) = phrase(rest).unwrap_or_else(|| (alone(first), 1));
        let (words, after) = rest.split_at(length);
        found.push(Item { says, words });
        rest = after;
    }
    found
}

fn phrase(words: &[String]) -> Option<(char, usize)> {
    let first = words.first()?;
    let phrases = [first.as_str(), class(first)].into_iter().filter_map(|key| PHRASES.get(key)).flatten();
    let found = phrases.filter_map(|(says, elements)| Some((*says, length(elements, words)?)));
    found.reduce(|best, other| if other.1 > best.1 { other } else { best })
}

/// Returns how many of the first words the phrase matches.
fn length(elements: &[Element], words: &[String]) -> Option<usize> {
    let Some(((choice, is_optional), further)) = elements.split_first() else { return Some(0) };
    let taken = words.first().filter(|word| choice.contains(&word.as_str()) || choice.contains(&class(word)));
    let with = taken.and_then(|_| length(further, words.get(1..)?)).map(|length| length + 1);
    with.or_else(|| if *is_optional { length(further, words) } else { None })
}

/// Returns the notation of phrases for a word of its class.
fn class(word: &str) -> &'static str {
    let unit = word.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    match unit {
        "" | "%" if unit.len() < word.len() => "#",
        "s" | "ms" | "sec" | "m" | "min" if unit.len() < word.len() => "~",
        _ => "",
    }
}

/// Returns the meaning of a word with which no phrase begins.
fn alone(word: &str) -> char {
    match fraction(word) {
        Some((passed, of)) if passed == of => '=',
        Some(_) => '-',
        None if word == "100%" => '=',
        None if word.parse::<u64>().is_ok() => 'n',
        None if word.ends_with('%') => 'V',
        None if is_command(word) => 's',
        None => 'o',
    }
}

fn fraction(word: &str) -> Option<(u64, u64)> {
    let (passed, of) = word.split_once('/')?;
    Some((passed.parse().ok()?, of.parse().ok()?))
}

/// Returns whether code is a command that runs one kind of check, without narrowing its scope.
fn is_command(code: &str) -> bool {
    let Some(code) = code.strip_prefix('`') else { return false };
    let mut roles: Vec<Role> = Vec::new();
    for word in code.trim_end_matches('`').split_whitespace().take(COMMAND_WORDS) {
        let plain = word.replace('-', "");
        let is_script = matches!(plain.as_str(), "test" | "lint" | "build" | "fmt" | "format" | "typecheck");
        if let Some(role) = phrases::tool(&plain).or_else(|| phrases::roles(&plain).next().filter(|_| is_script)) {
            roles.push(role);
        } else if !HARMLESS.split(' ').any(|harmless| harmless == word) && !phrases::is_in("PROGRAM", &plain) {
            return false;
        }
    }
    roles.len() == 1 || (roles.is_empty() && code.starts_with("cargo check"))
}

/// Splits a sentence into lower-case words, without hyphens and apostrophes; separators are words, too.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        if character.is_alphanumeric() {
            let (word, after) = rest.split_at(word_end(rest));
            push_word(word, &mut found);
            rest = after;
        } else {
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
            let word = match character {
                '`' => {
                    let (code, after) = rest.split_once('`').unwrap_or((rest, ""));
                    rest = after;
                    let is_number = code.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
                    if is_number { code.to_owned() } else { format!("`{}", code.to_lowercase()) }
                }
                _ => match joint(character) {
                    "" => continue,
                    joint => joint.to_owned(),
                },
            };
            found.push(word);
        }
        join_fraction(&mut found);
    }
    found
}

fn joint(character: char) -> &'static str {
    match character {
        mark if is_mark(mark) => "✅",
        '❌' | '✗' | '✘' | '🔴' | '🟥' | '⚠' | '❎' | '🟡' | '⏳' | '🚧' | '❓' | '⏭' | '⛔' | '🚫' => {
            "❌"
        }
        ',' | '—' | '–' | '、' | '-' | '•' | '·' => ",",
        ':' | '→' | '=' | '|' | '：' => ":",
        '(' => "(",
        ')' => ")",
        '\n' => "\n",
        '&' | '+' => "and",
        '/' => "of",
        QUOTATION => "\u{e000}",
        _ => "",
    }
}

/// Returns whether a character is a mark of success.
pub(super) fn is_mark(character: char) -> bool {
    "✅✓✔☑🟢🟩💚".contains(character)
}

/// Joins "40 of 42", "40 out of 42" and "40 / 42" into "40/42".
fn join_fraction(words: &mut Vec<String>) {
    let is_number = |word: &String| word.parse::<u64>().is_ok();
    let (length, passed, of) = match words.as_slice() {
        [.., passed, out, by, of] if out == "out" && by == "of" => (4, passed, of),
        [.., passed, by, of] if by == "of" => (3, passed, of),
        _ => return,
    };
    if is_number(passed) && is_number(of) {
        let fraction = format!("{passed}/{of}");
        words.truncate(words.len() - length);
        words.push(fraction);
    }
}

/// Returns the end of the first word of a text.
fn word_end(text: &str) -> usize {
    let belongs = |character: char| character.is_alphanumeric() || "_'’-/%.@#\\".contains(character);
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let in_number =
        |index: usize| bytes[index] == b',' && is_digit(bytes.get(index - 1)) && is_digit(bytes.get(index + 1));
    let end = text.char_indices().find(|(index, character)| !belongs(*character) && !in_number(*index));
    let word = text.split_at(end.map_or(text.len(), |(index, _)| index)).0;
    word.trim_end_matches(['.', '-', '\'', '’', '/', '\\', '#', '@', '_']).len()
}

fn push_word(word: &str, found: &mut Vec<String>) {
    let lower = word.to_lowercase().replace('’', "'");
    let parts: Vec<&str> = lower.split('/').collect();
    if lower == "we're" {
        // Without its apostrophe this would be another word.
        found.push("we".to_owned());
    } else if parts.len() > 1 && parts.iter().all(|part| phrases::is_in("KIND", part)) {
        for part in parts {
            found.extend([if part == "test" { "tests" } else { part }.to_owned(), ",".to_owned()]);
        }
        found.pop();
    } else if word.contains(char::is_alphabetic) {
        found.push(lower.replace(['-', '\''], ""));
    } else {
        found.push(lower.replace(',', ""));
    }
}
