//! Decides which readers see a line, by the texts that it must contain.
//!
//! Each text that readers wait for is represented by three of its bytes. A small bit table shows whether three bytes of
//! a line may be among them; only then are the texts compared. An automaton over all texts gives the same result but
//! is several times as slow: its table does not fit into the nearest cache, and each byte depends on the one before.

use std::collections::BTreeMap;

use aho_corasick::packed::Searcher;

/// Number of bytes that represent a literal.
const GRAM: usize = 3;

/// Number of bits of a table index.
const TABLE_BITS: u32 = 16;

/// Number of words that hold one bit for each table entry.
const WORDS: usize = (1 << TABLE_BITS) / 64;

/// Number of readers up to which a search for the texts of each is faster than the table.
const SEARCHED: usize = 4;

/// Number of consecutive fruitless wakes after which a literal is doubted.
const FRUITLESS: u8 = 128;

/// Finds the readers that a line wakes. Readers are identified by their index in the list given to
/// [`Compiled::new`].
pub(crate) struct Prefilter<'a> {
    compiled: &'a Compiled,
    /// The line at which each reader was last woken, so that it is reported once per line.
    woken_at: Vec<u64>,
    line: u64,
    /// For each literal, the number of consecutive times that it woke its reader and the reader used no line.
    fruitless: Vec<u8>,
}

/// A reader to wake, and the index of the literal that woke it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Woken {
    pub(crate) reader: u16,
    pub(crate) literal: u16,
}

/// The texts that all readers wait for, prepared once for all streams.
pub(crate) struct Compiled {
    /// One bit for each table entry: whether a text is represented by three bytes with this index.
    bits: Box<[u64; WORDS]>,
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
}

/// A text that readers wait for.
struct Text {
    written: &'static str,
    /// Offset within the text of the three bytes that represent it.
    gram: usize,
    /// Up to eight of its first bytes, and which of eight they are.
    first: u64,
    mask: u64,
    wakes: Vec<Woken>,
}

impl Text {
    fn new(written: &'static str, wakes: Vec<Woken>) -> Self {
        let mut first = [0; 8];
        let compared = written.len().min(first.len());
        first[..compared].copy_from_slice(&written.as_bytes()[..compared]);
        let mask = u64::MAX >> (8 * (8 - compared));
        Self { written, gram: rarest_gram(written), first: u64::from_le_bytes(first), mask, wakes }
    }

    /// Returns whether a line contains the text, given the offset `at` of its three representative bytes.
    fn is_at(&self, line: &[u8], at: usize) -> bool {
        let Some(line) = at.checked_sub(self.gram).map(|start| &line[start..]) else { return false };
        match line.first_chunk() {
            Some(first) => {
                u64::from_le_bytes(*first) & self.mask == self.first
                    && (self.written.len() <= 8 || line.starts_with(self.written.as_bytes()))
            }
            None => line.starts_with(self.written.as_bytes()),
        }
    }

    /// Returns the table index of the three bytes that represent the text.
    fn place(&self) -> usize {
        let gram = &self.written.as_bytes()[self.gram..self.gram + GRAM];
        place(u32::from_le_bytes([gram[0], gram[1], gram[2], 0]))
    }
}

impl Compiled {
    /// Prepares the literals of each reader.
    ///
    /// # Panics
    /// Panics if there are more readers or literals than a `u16` can count, or if a literal is shorter than
    /// three bytes: all of them come from tables of this crate.
    pub(crate) fn new(waits: impl IntoIterator<Item = [&'static [&'static str]; 2]>) -> Self {
        let number = |at: usize| u16::try_from(at).expect("the registry holds fewer readers and literals");
        let (mut by_text, mut any) = (BTreeMap::<_, Vec<Woken>>::new(), Vec::new());
        let (mut literals, mut readers) = (0, 0);
        for (reader, texts) in waits.into_iter().enumerate() {
            readers = reader + 1;
            if reader < SEARCHED {
                any.push(Searcher::new(texts.iter().copied().flatten()));
            }
            for text in texts.into_iter().flatten() {
                by_text.entry(*text).or_default().push(Woken { reader: number(reader), literal: number(literals) });
                literals += 1;
            }
        }
        any.truncate(if readers <= SEARCHED { readers } else { 0 });
        let mut texts: Vec<Text> = by_text.into_iter().map(|(text, wakes)| Text::new(text, wakes)).collect();
        texts.sort_by_cached_key(Text::place);
        let (mut bits, mut starts) = (Box::new([0; WORDS]), vec![0; (1 << TABLE_BITS) + 1]);
        for place in texts.iter().map(Text::place) {
            bits[place / 64] |= 1_u64 << (place % 64);
            starts[place + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        Self { bits, starts, texts, literals, readers, any }
    }

    /// Returns whether a table entry has texts.
    #[inline]
    fn has(&self, place: usize) -> bool {
        self.bits[place / 64] & (1 << (place % 64)) != 0
    }

    /// Returns the texts of a table entry.
    fn of_place(&self, place: usize) -> &[Text] {
        &self.texts[usize::from(self.starts[place])..usize::from(self.starts[place + 1])]
    }
}

/// Returns the table index of three bytes, the first of them lowest (multiplicative hashing, Knuth).
#[inline]
fn place(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

/// Returns the offset of the three bytes of a text that are least common in ordinary lines: those with the
/// fewest blanks and lowercase letters, then the fewest digits and marks of paths.
fn rarest_gram(text: &str) -> usize {
    let common = |byte: &u8| match byte {
        b' ' => 4,
        b'a'..=b'z' => 2,
        b'0'..=b'9' | b'.' | b'/' | b':' | b'-' => 1,
        _ => 0,
    };
    let grams = text.as_bytes().windows(GRAM).enumerate();
    grams.min_by_key(|(_, gram)| gram.iter().map(common).sum::<u32>()).map_or(0, |(start, _)| start)
}

impl<'a> Prefilter<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        let fruitless = vec![0; compiled.literals];
        Self { compiled, woken_at: vec![0; compiled.readers], line: 0, fruitless }
    }

    /// Adds the readers that a line wakes to `woken`, each once; if possible, with a literal that is not doubted.
    /// Those that are awake may be left out.
    pub(crate) fn line(&mut self, text: &str, is_awake: impl Fn(usize) -> bool, woken: &mut Vec<Woken>) {
        self.line += 1;
        let text = text.as_bytes();
        let any = &self.compiled.any;
        let mut asleep = any.iter().enumerate().filter(|(reader, _)| !is_awake(*reader)).map(|(_, any)| any);
        match (asleep.next(), asleep.next()) {
            (None, _) if !any.is_empty() => return,
            (Some(Some(any)), None) if any.find(text).is_none() => return,
            // The table finds the texts of two readers as fast as two searches.
            _ => {}
        }
        // Four bytes are loaded at once, of which the last one is of the next three.
        let compiled = self.compiled;
        for (at, bytes) in text.array_windows().enumerate() {
            let place = place(u32::from_le_bytes(*bytes) & 0x00ff_ffff);
            if compiled.has(place) {
                self.found(place, text, at, woken);
            }
        }
        if let Some([one, two, three]) = text.last_chunk() {
            self.found(place(u32::from_le_bytes([*one, *two, *three, 0])), text, text.len() - GRAM, woken);
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
        let woken_at = &mut self.woken_at[usize::from(now.reader)];
        if *woken_at != self.line {
            *woken_at = self.line;
            woken.push(now);
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
    use super::*;

    const WAITS: [[&[&str]; 2]; 4] =
        [[&["error"], &["err"]], [&["warn"], &[]], [&["error TS"], &[]], [&["    Starting ", "ok      "], &[]]];

    fn readers(woken: &[Woken]) -> Vec<u16> {
        let mut readers: Vec<u16> = woken.iter().map(|woken| woken.reader).collect();
        readers.sort_unstable();
        readers
    }

    #[test]
    fn a_line_wakes_each_reader_once() {
        let compiled = Compiled::new(WAITS);
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
        ] {
            let mut woken = Vec::new();
            prefilter.line(text, |_| false, &mut woken);
            assert_eq!(readers(&woken), woken_readers, "{text}");
        }
    }

    #[test]
    fn a_literal_that_woke_for_nothing_is_doubted_until_it_is_of_use() {
        let compiled = Compiled::new(WAITS);
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
}
