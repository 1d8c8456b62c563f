//! Decides which readers see a line, by the texts that it must contain.
//!
//! Each text that readers wait for is represented by three of its bytes. A small bit table shows whether three bytes of
//! a line may be among them; only then are the texts compared. An automaton over all texts gives the same result but
//! is several times as slow: its table does not fit into the nearest cache, and each byte depends on the one before.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::packed::Searcher;

/// Number of bytes that represent a literal.
const GRAM: usize = 3;

/// Number of bits of a table index.
const TABLE_BITS: u32 = 16;

/// Number of words that hold one bit for each table entry.
const WORDS: usize = (1 << TABLE_BITS) / 64;

/// Number of readers up to which a search for the texts of each is faster than the table.
const SEARCHED: usize = 4;

/// Number of texts up to which it is tried to search for all of them at once.
const TEXTS_SEARCHED: usize = 128;

/// Number of consecutive fruitless wakes after which a literal is doubted.
const FRUITLESS: u8 = 128;

/// Finds the readers that a line wakes. Readers are identified by their index in the list given to
/// [`Compiled::new`].
pub(crate) struct Prefilter<'a> {
    compiled: &'a Compiled,
    /// The last line in which each reader found a text, and which of the texts that it waits for together: it is reported
    /// once per line.
    woken_at: Vec<(u64, u8)>,
    line: u64,
    /// For each literal, the number of consecutive times that it woke its reader and the reader used no line.
    fruitless: Vec<u8>,
}

/// A reader to wake, and the index of the literal that woke it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Woken {
    pub(crate) reader: u16,
    pub(crate) literal: u16,
    /// One bit for each of the two lists in [`Waits::both`] that the literal stands for.
    lists: u8,
}

/// The texts that one reader waits for.
pub(crate) struct Waits {
    /// Texts each of which wakes the reader.
    pub(crate) any: Vec<&'static str>,
    /// Two lists of texts: one of each list must be in a line.
    pub(crate) both: [&'static [&'static str]; 2],
}

impl Waits {
    pub(crate) fn any(lists: &[&[&'static str]]) -> Self {
        Self { any: lists.concat(), both: [&[]; 2] }
    }
}

/// The bits of both lists.
const BOTH: u8 = 0b11;

/// The texts that all readers wait for, prepared once for all streams.
pub(crate) struct Compiled {
    /// One bit for each table entry: whether a text is represented by three bytes with this index.
    bits: Box<[u64; WORDS]>,
    /// The same for these bytes with the next one, as far as the text tells it. It is asked only where the first table says
    /// so, and rejects most of what is left.
    longer: Box<[u64; WORDS]>,
    /// Where the texts of each table entry begin, and, one beyond the last entry, where they end.
    starts: Vec<u16>,
    /// The texts, each once, by table entry.
    texts: Vec<Text>,
    /// Number of literals: pairs of a text and a reader that waits for it.
    literals: usize,
    readers: usize,
    /// Find out whether a line contains a text of each reader, by vector instructions. Empty if there are too many
    /// readers, as of all tools together; `None` if there are too many texts, or the processor has no such instructions.
    any: Vec<Option<Searcher>>,
    /// Finds out the same of all readers at once; `None` as above.
    pub(crate) any_of_all: Option<Searcher>,
}

/// A text that readers wait for.
struct Text {
    written: &'static str,
    /// Whether it counts only at the start of a line.
    is_first: bool,
    /// Offset within the text of the three bytes that represent it.
    gram: usize,
    /// Up to eight of its first bytes, and which of eight they are.
    first: u64,
    mask: u64,
    wakes: Vec<Woken>,
}

impl Text {
    /// Creates a text that is represented by the three of its bytes at an offset.
    fn new(text: &'static str, gram: usize, wakes: Vec<Woken>) -> Self {
        let written = bare(text);
        let is_first = written.len() < text.len();
        let mut first = [0; 8];
        let compared = written.len().min(first.len());
        first[..compared].copy_from_slice(&written.as_bytes()[..compared]);
        let mask = u64::MAX >> (8 * (8 - compared));
        Self { written, is_first, gram, first: u64::from_le_bytes(first), mask, wakes }
    }

    /// Returns whether a line contains the text, given the offset `at` of its three representative bytes.
    fn is_at(&self, line: &[u8], at: usize) -> bool {
        let start = at.checked_sub(self.gram).filter(|start| *start == 0 || !self.is_first);
        let Some(line) = start.map(|start| &line[start..]) else { return false };
        match line.first_chunk() {
            Some(first) => {
                u64::from_le_bytes(*first) & self.mask == self.first
                    && (self.written.len() <= 8 || line.starts_with(self.written.as_bytes()))
            }
            None => line.starts_with(self.written.as_bytes()),
        }
    }

    /// Returns the three bytes that represent the text, the first of them lowest.
    fn gram(&self) -> u32 {
        self.written.as_bytes()[self.gram..].first_chunk().map_or(0, |gram| window(*gram))
    }

    /// Returns the table index of these bytes.
    fn place(&self) -> usize {
        place(self.gram())
    }

    /// Returns the indexes of these bytes with each that can follow.
    fn longer(&self) -> impl Iterator<Item = usize> {
        let next = self.written.as_bytes().get(self.gram + GRAM).copied();
        let gram = self.gram();
        next.map_or(0..=u8::MAX, |next| next..=next).map(move |next| place(gram | u32::from(next) << 24))
    }
}

impl Compiled {
    /// Prepares the literals of each reader.
    ///
    /// # Panics
    /// Panics if there are more readers or literals than a `u16` can count, or if a literal is shorter than
    /// three bytes: all of them come from tables of this crate.
    pub(crate) fn new(waits: impl IntoIterator<Item = Waits>) -> Self {
        let number = |at: usize| u16::try_from(at).expect("the registry holds fewer readers and literals");
        let (mut by_text, mut any) = (BTreeMap::<_, Vec<Woken>>::new(), Vec::new());
        let (mut literals, mut readers) = (0, 0);
        for (reader, Waits { any: alone, both: [first, second] }) in waits.into_iter().enumerate() {
            readers = reader + 1;
            if reader < SEARCHED {
                any.push(Searcher::new(alone.iter().chain(first).map(|text| bare(text))));
            }
            for (lists, texts) in [(BOTH, &alone[..]), (0b01, first), (0b10, second)] {
                for text in texts {
                    let woken = Woken { reader: number(reader), literal: number(literals), lists };
                    by_text.entry(*text).or_default().push(woken);
                    literals += 1;
                }
            }
        }
        any.truncate(if readers <= SEARCHED { readers } else { 0 });
        // A text that contains another one need not be searched for.
        let bare_texts: BTreeSet<&str> = by_text.keys().map(|text| bare(text)).collect();
        let holds_other = |text: &str| bare_texts.iter().any(|other| *other != text && text.contains(other));
        let is_short = bare_texts.len() <= TEXTS_SEARCHED;
        let any_of_all = is_short.then(|| bare_texts.iter().filter(|text| !holds_other(text)));
        let any_of_all = any_of_all.and_then(Searcher::new);
        let (mut bits, mut longer) = (Box::new([0; WORDS]), Box::new([0; WORDS]));
        let mut starts = vec![0; (1 << TABLE_BITS) + 1];
        // A short text has the least choice of what represents it.
        let mut by_length: Vec<_> = by_text.into_iter().collect();
        by_length.sort_by_key(|(text, _)| text.len());
        let mut texts = Vec::with_capacity(by_length.len());
        for (text, wakes) in by_length {
            let text = Text::new(text, rarest_gram(bare(text), |gram| starts[place(gram) + 1]), wakes);
            let place = text.place();
            bits[place / 64] |= 1_u64 << (place % 64);
            starts[place + 1] += 1;
            text.longer().for_each(|place| longer[place / 64] |= 1_u64 << (place % 64));
            texts.push(text);
        }
        texts.sort_by_cached_key(Text::place);
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Self { bits, longer, starts, texts, literals, readers, any, any_of_all }
    }

    /// Returns the texts of a table entry.
    fn of_place(&self, place: usize) -> &[Text] {
        &self.texts[usize::from(self.starts[place])..usize::from(self.starts[place + 1])]
    }
}

/// Returns a text without the line end that requires it to be at the start of a line.
fn bare(text: &'static str) -> &'static str {
    text.strip_prefix('\n').unwrap_or(text)
}

/// Returns whether a table entry has texts.
#[inline]
fn has(bits: &[u64; WORDS], place: usize) -> bool {
    bits[place / 64] & (1 << (place % 64)) != 0
}

/// Returns the table index of three bytes, the first of them lowest (multiplicative hashing, Knuth).
#[inline]
fn place(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

/// Returns the offset of the three bytes that represent a text: those which, with the one behind them, are least common in
/// ordinary lines, and represent few other texts, whose number `others` tells.
fn rarest_gram(text: &str, others: impl Fn(u32) -> u16) -> usize {
    let common = |byte: &u8| match byte {
        b' ' => 4,
        b'a' | b'c' | b'e' | b'i' | b'l' | b'n' | b'o' | b'r' | b's' | b't' => 3,
        // Besides letters, the first byte of most symbols.
        b'a'..=b'z' | 0xe2 => 2,
        b'0'..=b'9' | b'.' | b'/' | b':' | b'-' => 1,
        _ => 0,
    };
    let cost = |(start, gram): &(usize, &[u8; GRAM])| {
        let missing = 6;
        let next = text.as_bytes().get(start + GRAM).map_or(missing, common);
        // Such as a rule, or indentation.
        let repeated = if **gram == [gram[0]; GRAM] { 4 } else { 0 };
        gram.iter().map(common).sum::<u16>() + next + repeated + others(window(**gram))
    };
    text.as_bytes().array_windows().enumerate().min_by_key(cost).map_or(0, |(start, _)| start)
}

/// Returns three bytes, the first of them lowest. Above them stands a byte that no text holds: the end of a line.
fn window([one, two, three]: [u8; GRAM]) -> u32 {
    u32::from_le_bytes([one, two, three, 0])
}

impl<'a> Prefilter<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        let fruitless = vec![0; compiled.literals];
        Self { compiled, woken_at: vec![(0, 0); compiled.readers], line: 0, fruitless }
    }

    /// Adds the readers that a line wakes to `woken`, each once; if possible, with a literal that is not doubted.
    /// Those that are awake may be left out.
    pub(crate) fn line(&mut self, text: &str, is_awake: impl Fn(usize) -> bool, woken: &mut Vec<Woken>) {
        self.line += 1;
        let text = text.as_bytes();
        let Compiled { any, any_of_all, .. } = self.compiled;
        let mut asleep = any.iter().enumerate().filter(|(reader, _)| !is_awake(*reader)).map(|(_, any)| any);
        let searcher = match (asleep.next(), asleep.next()) {
            (None, _) if !any.is_empty() => return,
            (Some(one), None) => one,
            _ => any_of_all,
        };
        if searcher.as_ref().is_some_and(|searcher| searcher.find(text).is_none()) {
            return;
        }
        let (bits, longer) = (&*self.compiled.bits, &*self.compiled.longer);
        for (at, window) in text.array_windows().enumerate() {
            let window = u32::from_le_bytes(*window);
            let gram = place(window & 0x00ff_ffff);
            if has(bits, gram) && has(longer, place(window)) {
                self.found(gram, text, at, woken);
            }
        }
        if let Some(last) = text.last_chunk() {
            let gram = place(window(*last));
            if has(bits, gram) && has(longer, gram) {
                self.found(gram, text, text.len() - GRAM, woken);
            }
        }
    }

    /// Checks three bytes that begin at `at` and may represent a text.
    #[inline(never)]
    fn found(&mut self, place: usize, line: &[u8], at: usize, woken: &mut Vec<Woken>) {
        for text in self.compiled.of_place(place) {
            if text.is_at(line, at) {
                text.wakes.iter().for_each(|wakes| self.wake(*wakes, woken));
            }
        }
    }

    fn wake(&mut self, now: Woken, woken: &mut Vec<Woken>) {
        let (line, lists) = &mut self.woken_at[usize::from(now.reader)];
        let before = if *line == self.line { *lists } else { 0 };
        (*line, *lists) = (self.line, before | now.lists);
        if before != BOTH {
            if *lists == BOTH {
                woken.push(now);
            }
        } else if !self.is_doubted(now.literal)
            && let Some(known) = woken.iter_mut().find(|known| known.reader == now.reader)
        {
            *known = now;
        }
    }

    /// Returns whether a literal repeatedly woke its reader without use.
    pub(crate) fn is_doubted(&self, literal: u16) -> bool {
        FRUITLESS <= self.fruitless[usize::from(literal)]
    }

    /// Records whether a reader used any line since a literal woke it.
    pub(crate) fn judge(&mut self, literal: u16, is_used: bool) {
        let fruitless = &mut self.fruitless[usize::from(literal)];
        *fruitless = if is_used { 0 } else { fruitless.saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn waits() -> [Waits; 5] {
        [
            Waits::any(&[&["error"], &["err"]]),
            Waits::any(&[&["warn"]]),
            Waits::any(&[&["error TS"]]),
            Waits::any(&[&["    Starting ", "ok      ", "\nnote: "]]),
            Waits { both: [&["style: ", "debug: "], &[".rb:"]], ..Waits::any(&[&["rubocop"]]) },
        ]
    }

    fn readers(woken: &[Woken]) -> Vec<u16> {
        let mut readers: Vec<u16> = woken.iter().map(|woken| woken.reader).collect();
        readers.sort_unstable();
        readers
    }

    #[test]
    fn a_line_wakes_each_reader_once() {
        let compiled = Compiled::new(waits());
        let mut prefilter = Prefilter::new(&compiled);
        for (text, woken_readers) in [
            ("an error TS1 and an error", &[0, 2][..]),
            ("warnings", &[1]),
            ("", &[]),
            ("err", &[0]),
            ("    Starting 5 tests", &[3]),
            ("Starting 5 tests", &[]),
            ("ok      x", &[3]),
            ("ok     x", &[]),
            ("note: x", &[3]),
            ("a note: x", &[]),
            ("a.rb:1: style: debug: x", &[4]),
            ("a.rb:1: x", &[]),
            ("style: x", &[]),
            ("rubocop", &[4]),
        ] {
            let mut woken = Vec::new();
            prefilter.line(text, |_| false, &mut woken);
            assert_eq!(readers(&woken), woken_readers, "{text}");
        }
    }

    #[test]
    fn a_literal_that_woke_for_nothing_is_doubted_until_it_is_of_use() {
        let compiled = Compiled::new(waits());
        let mut prefilter = Prefilter::new(&compiled);
        let by = |prefilter: &mut Prefilter<'_>, text: &str| {
            let mut woken = Vec::new();
            prefilter.line(text, |_| false, &mut woken);
            woken[0].literal
        };
        let starting = by(&mut prefilter, "    Starting ");
        for _ in 0..FRUITLESS {
            assert!(!prefilter.is_doubted(starting));
            prefilter.judge(starting, false);
        }
        assert!(prefilter.is_doubted(starting));
        assert_ne!(by(&mut prefilter, "    Starting ok      "), starting);
        assert_eq!(by(&mut prefilter, "    Starting "), starting);
        prefilter.judge(starting, true);
        assert!(!prefilter.is_doubted(starting));
    }

    proptest! {
        #[test]
        fn a_line_wakes_the_readers_that_wait_for_a_text_in_it_and_no_others(
            texts in proptest::collection::vec(proptest::collection::vec("\n?[ab =✓]{3,7}", 1..4), 1..9),
            lines in proptest::collection::vec("[ab =✓]{0,12}", 1..9),
        ) {
            let texts: Vec<Vec<&'static str>> =
                texts.into_iter().map(|texts| texts.into_iter().map(|text| &*text.leak()).collect()).collect();
            let compiled = Compiled::new(texts.iter().map(|texts| Waits::any(&[texts])));
            let mut prefilter = Prefilter::new(&compiled);
            for line in lines {
                let mut woken = Vec::new();
                prefilter.line(&line, |_| false, &mut woken);
                let is_in = |text: &&str| text.strip_prefix('\n').map_or(line.contains(*text), |text| line.starts_with(text));
                let waiting = (0..).zip(&texts).filter(|(_, texts)| texts.iter().any(is_in));
                let waiting: Vec<u16> = waiting.map(|(reader, _)| reader).collect();
                prop_assert_eq!(readers(&woken), waiting, "{}", line);
            }
        }
    }
}
