//! The prefilter: does the beginning of any secret, or any word that announces one, occur at all? Nearly all
//! output is passed on after this single pass, so it is designed for vector instructions: few, short,
//! case-sensitive words.

use aho_corasick::packed;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::memchr;

use super::private_key;
use super::rules::{self, Follows};

/// Maximum distance of an assignment after a word, in bytes: the rest of the longest key, quotes and spaces.
const ASSIGNMENT_BYTES: usize = 48;

/// Maximum distance of the `@` after `://`, in bytes: the longest user name and password that a rule accepts.
const AT_BYTES: usize = 1_024;

/// Searches for all triggers at once.
#[derive(Debug)]
pub(super) struct Trigger {
    search: Search,
    /// For each word, in the search's order, the text that must follow.
    follows: Vec<Follows>,
}

#[derive(Debug)]
enum Search {
    /// Uses vector instructions; only if there are few enough words for the processor.
    Packed(Box<packed::Searcher>),
    Automaton(Box<AhoCorasick>),
}

impl Trigger {
    /// Builds the search from the words of the rules and the beginnings of this run's secrets.
    pub(super) fn new(literals: impl Iterator<Item = Vec<u8>>) -> Self {
        let mut words: Vec<(Vec<u8>, Follows)> =
            rules::triggers().map(|(word, follows)| (word.as_bytes().to_vec(), follows)).collect();
        words.push((private_key::TRIGGER.as_bytes().to_vec(), Follows::Anything));
        words.extend(literals.map(|word| (word, Follows::Anything)));
        // Of equal words with different conditions the weakest remains, because it sorts first.
        words.sort();
        words.dedup_by(|later, earlier| later.0 == earlier.0);
        let (words, mut follows): (Vec<_>, Vec<_>) = words.into_iter().unzip();
        // A word that is a prefix of a longer one is found in its place, so its condition must not be stricter.
        for (short, word) in words.iter().enumerate() {
            let longer = words[short + 1..].iter().take_while(|longer| longer.starts_with(word)).count();
            follows[short] = follows[short..=short + longer].iter().copied().min().unwrap_or(Follows::Anything);
        }
        let search = match packed::Config::new().builder().extend(&words).build() {
            Some(searcher) => Search::Packed(Box::new(searcher)),
            None => Search::Automaton(Box::new(
                AhoCorasick::builder()
                    .match_kind(MatchKind::LeftmostFirst)
                    .build(&words)
                    .expect("an environment is megabytes, the automaton takes gigabytes"),
            )),
        };
        Self { search, follows }
    }

    /// Returns the position of the first trigger at or after `from` that is followed by the required text.
    pub(super) fn find(&self, text: &[u8], mut from: usize) -> Option<usize> {
        loop {
            let (start, end, word) = self.search.next(text, from)?;
            let within = |limit: usize| line(&text[end..text.len().min(end + limit)]);
            let follows = match self.follows[word] {
                Follows::Anything => true,
                Follows::Assignment => within(ASSIGNMENT_BYTES).iter().any(|byte| matches!(byte, b':' | b'=')),
                Follows::At => memchr(b'@', within(AT_BYTES)).is_some(),
            };
            if follows {
                return Some(start);
            }
            from = start + 1;
        }
    }
}

impl Search {
    /// Returns start, end and index of the first word at or after `from`.
    fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize, usize)> {
        let found = match self {
            Self::Packed(searcher) => searcher.find_in(text, (from..text.len()).into()),
            Self::Automaton(automaton) => automaton.find(aho_corasick::Input::new(text).range(from..)),
        }?;
        Some((found.start(), found.end(), found.pattern().as_usize()))
    }
}

/// Returns the first line of a text.
fn line(text: &[u8]) -> &[u8] {
    &text[..memchr(b'\n', text).unwrap_or(text.len())]
}
