//! Decides which readers see a line, by the texts that it must contain.
//!
//! Each literal that a reader waits for is represented by three of its bytes. A small bit table shows whether
//! three bytes of a line may be among them; only then are the literals compared. An automaton over all literals
//! gives the same result but is several times as slow: its table does not fit into the nearest cache, and each
//! byte depends on the one before.

use aho_corasick::packed::Searcher;

/// Number of bytes that represent a literal.
const GRAM: usize = 3;

/// Number of bits of a table index.
const TABLE_BITS: u32 = 16;

/// Number of words that hold one bit for each table entry.
const WORDS: usize = (1 << TABLE_BITS) / 64;

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

/// The literals of all readers in the registry, prepared once for all streams.
pub(crate) struct Compiled {
    /// One bit for each table entry: whether a literal is represented by three bytes with this index.
    bits: Box<[u64; WORDS]>,
    /// Where the literals of each table entry begin in `order`, and, one beyond the last entry, where they end.
    starts: Vec<u16>,
    /// The literals, by table entry.
    order: Vec<u16>,
    literals: Vec<Literal>,
    readers: usize,
    /// Finds out whether a line contains any literal, by vector instructions. `None` if there are too many literals,
    /// as for all tools together, or the processor has no such instructions.
    any: Option<Searcher>,
}

/// A literal that a reader waits for.
struct Literal {
    text: &'static str,
    /// Offset within the literal of the three bytes that represent it.
    gram: usize,
    reader: u16,
}

impl Literal {
    /// Returns whether the text contains the literal, given the offset `at` of its three representative bytes.
    fn is_at(&self, text: &[u8], at: usize) -> bool {
        let literal = self.text.as_bytes();
        // Compared byte by byte: a call takes longer than the few bytes until one differs.
        let text = at.checked_sub(self.gram).and_then(|start| text.get(start..start + literal.len()));
        text.is_some_and(|text| text.iter().zip(literal).all(|(byte, of_literal)| byte == of_literal))
    }

    /// Returns the table index of the three bytes that represent the literal.
    fn place(&self) -> usize {
        let gram = &self.text.as_bytes()[self.gram..self.gram + GRAM];
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
        let (mut literals, mut readers) = (Vec::new(), 0);
        for (reader, texts) in waits.into_iter().enumerate() {
            readers = reader + 1;
            let reader = u16::try_from(reader).expect("the registry holds fewer readers");
            literals.extend(texts.into_iter().flatten().map(|text| Literal { text, gram: rarest_gram(text), reader }));
        }
        let number = |at: usize| u16::try_from(at).expect("the registry holds fewer literals");
        let places: Vec<usize> = literals.iter().map(Literal::place).collect();
        let mut order: Vec<u16> = (0..literals.len()).map(number).collect();
        order.sort_by_key(|at| places[usize::from(*at)]);
        let (mut bits, mut starts) = (Box::new([0; WORDS]), vec![0; (1 << TABLE_BITS) + 1]);
        for place in &places {
            bits[place / 64] |= 1_u64 << (place % 64);
            starts[place + 1] += 1;
        }
        let mut before = 0;
        for start in &mut starts {
            before += *start;
            *start = before;
        }
        let any = Searcher::new(literals.iter().map(|literal| literal.text));
        Self { bits, starts, order, literals, readers, any }
    }

    /// Returns the literals of a table entry.
    fn of_place(&self, place: usize) -> &[u16] {
        &self.order[usize::from(self.starts[place])..usize::from(self.starts[place + 1])]
    }
}

/// Returns the table index of three bytes, the first of them lowest (multiplicative hashing, Knuth).
fn place(gram: u32) -> usize {
    (gram.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

/// Returns the offset of the three bytes of a text that are least common in ordinary lines: those with the
/// fewest blanks and lowercase letters.
fn rarest_gram(text: &str) -> usize {
    let common = |byte: &u8| match byte {
        b' ' => 4,
        b'a'..=b'z' => 1,
        _ => 0,
    };
    let grams = text.as_bytes().windows(GRAM).enumerate();
    grams.min_by_key(|(_, gram)| gram.iter().map(common).sum::<u32>()).map_or(0, |(start, _)| start)
}

impl<'a> Prefilter<'a> {
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        let fruitless = vec![0; compiled.literals.len()];
        Self { compiled, woken_at: vec![0; compiled.readers], line: 0, fruitless }
    }

    /// Adds the readers that a line wakes to `woken`, each once; if possible, with a literal that is not
    /// doubted.
    pub(crate) fn line(&mut self, text: &str, woken: &mut Vec<Woken>) {
        self.line += 1;
        let text = text.as_bytes();
        if self.compiled.any.as_ref().is_some_and(|any| any.find(text).is_none()) {
            return;
        }
        let Some((first, rest)) = text.split_at_checked(GRAM - 1) else { return };
        // The three bytes slide along the line, so that each byte is loaded once.
        let mut gram = u32::from(first[0]) << 8 | u32::from(first[1]) << 16;
        for (at, byte) in rest.iter().enumerate() {
            gram = gram >> 8 | u32::from(*byte) << 16;
            let place = place(gram);
            if self.compiled.bits[place / 64] & (1 << (place % 64)) != 0 {
                self.found(place, text, at, woken);
            }
        }
    }

    /// Checks three bytes that begin at `at` and may represent a literal.
    fn found(&mut self, place: usize, text: &[u8], at: usize, woken: &mut Vec<Woken>) {
        let compiled = self.compiled;
        for number in compiled.of_place(place) {
            let literal = &compiled.literals[usize::from(*number)];
            let woken_at = &mut self.woken_at[usize::from(literal.reader)];
            let is_known = *woken_at == self.line;
            if is_known && FRUITLESS <= self.fruitless[usize::from(*number)] || !literal.is_at(text, at) {
                continue;
            }
            let now = Woken { reader: literal.reader, literal: *number };
            if !is_known {
                *woken_at = self.line;
                woken.push(now);
            } else if let Some(known) = woken.iter_mut().find(|known| known.reader == now.reader) {
                *known = now;
            }
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
            prefilter.line(text, &mut woken);
            assert_eq!(readers(&woken), woken_readers, "{text}");
        }
    }

    #[test]
    fn a_literal_that_woke_for_nothing_is_doubted_until_it_is_of_use() {
        let compiled = Compiled::new(WAITS);
        let mut prefilter = Prefilter::new(&compiled);
        let by = |prefilter: &mut Prefilter<'_>, text: &str| {
            let mut woken = Vec::new();
            prefilter.line(text, &mut woken);
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
