//! What a line must hold before a reader is shown it: one automaton over what all readers wait for.
//!
//! The automaton knows a few bytes of each literal; the others are compared where these come. So it stays small, which
//! makes it fast, both to build and to run.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Bytes of a literal that the automaton knows.
const WINDOW: usize = 5;

/// Wakes in a row that a literal may cause without use before it is doubted.
const FRUITLESS: u8 = 128;

/// Finds which readers a line wakes. Readers are known by their place in the list that this was made of.
pub(crate) struct Wakes<'a> {
    compiled: &'a Compiled,
    /// The line at which each reader was last woken, so that it is told once a line.
    woken_at: Vec<u64>,
    line: u64,
    /// How often in a row each literal woke its reader, and the reader used no line.
    fruitless: Vec<u8>,
}

/// A reader that is woken, and the place of the literal that wakes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Woken {
    pub(crate) reader: u16,
    pub(crate) literal: u16,
}

/// The compiled patterns of the registry, which are the same for every stream.
pub(crate) struct Compiled {
    automaton: AhoCorasick,
    /// The places of the literals that hold each window.
    windows: Vec<Vec<u16>>,
    literals: Vec<Literal>,
    readers: usize,
}

/// What one reader waits for.
struct Literal {
    text: &'static str,
    /// Where its window begins.
    window: usize,
    reader: u16,
}

impl Literal {
    fn window(&self) -> &'static [u8] {
        let bytes = self.text.as_bytes();
        &bytes[self.window..bytes.len().min(self.window + WINDOW)]
    }

    /// Whether the text holds the literal where its window begins at `at`.
    fn is_at(&self, text: &[u8], at: usize) -> bool {
        at.checked_sub(self.window).is_some_and(|start| text[start..].starts_with(self.text.as_bytes()))
    }
}

impl Compiled {
    /// Compiles what each reader waits for.
    ///
    /// # Panics
    /// Panics where there are more readers or literals than a `u16` counts, or more text than an automaton holds: all are
    /// of this crate's own tables.
    pub(crate) fn new(waits: impl IntoIterator<Item = &'static [&'static str]>) -> Self {
        let (mut literals, mut readers) = (Vec::new(), 0);
        for (reader, texts) in waits.into_iter().enumerate() {
            readers = reader + 1;
            let reader = u16::try_from(reader).expect("the registry holds fewer readers");
            literals.extend(texts.iter().map(|text| Literal { text, window: rarest_window(text), reader }));
        }
        let mut windows: BTreeMap<&[u8], Vec<u16>> = BTreeMap::new();
        for (at, literal) in literals.iter().enumerate() {
            let at = u16::try_from(at).expect("the registry holds fewer literals");
            windows.entry(literal.window()).or_default().push(at);
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .prefilter(false)
            .build(windows.keys())
            .expect("the registry's literals fit into an automaton");
        Self { automaton, windows: windows.into_values().collect(), literals, readers }
    }
}

/// Returns where that window of a text begins which holds the fewest blanks: what lines begin with is mostly blank.
fn rarest_window(text: &str) -> usize {
    let windows = text.as_bytes().windows(WINDOW).enumerate();
    let blanks = |window: &[u8]| memchr::memchr_iter(b' ', window).count();
    windows.min_by_key(|(_, window)| blanks(window)).map_or(0, |(start, _)| start)
}

impl<'a> Wakes<'a> {
    /// Begins a stream.
    pub(crate) fn new(compiled: &'a Compiled) -> Self {
        let fruitless = vec![0; compiled.literals.len()];
        Self { compiled, woken_at: vec![0; compiled.readers], line: 0, fruitless }
    }

    /// Adds the readers that a line wakes to `woken`, each once; where it can be, by a literal that is not doubted.
    pub(crate) fn line(&mut self, text: &str, woken: &mut Vec<Woken>) {
        self.line += 1;
        let Compiled { automaton, windows, literals, .. } = self.compiled;
        for found in automaton.find_overlapping_iter(text) {
            for at in &windows[found.pattern().as_usize()] {
                let literal = &literals[usize::from(*at)];
                let woken_at = &mut self.woken_at[usize::from(literal.reader)];
                let is_known = *woken_at == self.line;
                if is_known && FRUITLESS <= self.fruitless[usize::from(*at)]
                    || !literal.is_at(text.as_bytes(), found.start())
                {
                    continue;
                }
                let now = Woken { reader: literal.reader, literal: *at };
                if !is_known {
                    *woken_at = self.line;
                    woken.push(now);
                } else if let Some(known) = woken.iter_mut().find(|known| known.reader == now.reader) {
                    *known = now;
                }
            }
        }
    }

    /// Whether a literal woke its reader time and again for nothing.
    pub(crate) fn is_doubted(&self, literal: u16) -> bool {
        FRUITLESS <= self.fruitless[usize::from(literal)]
    }

    /// Takes note of whether a reader used any line since a literal woke it.
    pub(crate) fn judge(&mut self, literal: u16, is_used: bool) {
        let fruitless = &mut self.fruitless[usize::from(literal)];
        *fruitless = if is_used { 0 } else { fruitless.saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WAITS: [&[&str]; 4] = [&["error", "err"], &["warn"], &["error TS"], &["    Starting ", "ok      "]];

    fn readers(woken: &[Woken]) -> Vec<u16> {
        let mut readers: Vec<u16> = woken.iter().map(|woken| woken.reader).collect();
        readers.sort_unstable();
        readers
    }

    #[test]
    fn a_line_wakes_each_reader_once() {
        let compiled = Compiled::new(WAITS);
        let mut wakes = Wakes::new(&compiled);
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
            wakes.line(text, &mut woken);
            assert_eq!(readers(&woken), woken_readers, "{text}");
        }
    }

    #[test]
    fn a_literal_that_woke_for_nothing_is_doubted_until_it_is_of_use() {
        let compiled = Compiled::new(WAITS);
        let mut wakes = Wakes::new(&compiled);
        let by = |wakes: &mut Wakes<'_>, text: &str| {
            let mut woken = Vec::new();
            wakes.line(text, &mut woken);
            woken[0].literal
        };
        let starting = by(&mut wakes, "    Starting ");
        for _ in 0..FRUITLESS {
            assert!(!wakes.is_doubted(starting));
            wakes.judge(starting, false);
        }
        assert!(wakes.is_doubted(starting));
        assert_ne!(by(&mut wakes, "    Starting ok      "), starting);
        assert_eq!(by(&mut wakes, "    Starting "), starting);
        wakes.judge(starting, true);
        assert!(!wakes.is_doubted(starting));
    }
}
