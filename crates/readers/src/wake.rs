//! What a line must hold before a reader is shown it: one automaton over what all readers wait for.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Finds which readers a line wakes. Readers are known by their place in the list that this was made of.
pub(crate) struct Wakes {
    automaton: AhoCorasick,
    /// The reader of each pattern.
    readers: Vec<u16>,
    /// The line at which each reader was last woken, so that it is told once a line.
    woken_at: Vec<u64>,
    line: u64,
}

/// The compiled patterns of the registry, which are the same for every stream.
#[derive(Clone)]
pub(crate) struct Compiled {
    automaton: AhoCorasick,
    readers: Vec<u16>,
    number: usize,
}

impl Compiled {
    /// Compiles what each reader waits for.
    ///
    /// # Panics
    /// Panics where there are more readers than a `u16` counts, or more text than an automaton holds: both are of this
    /// crate's own tables.
    pub(crate) fn new<'a>(waits: impl IntoIterator<Item = &'a [&'a str]>) -> Self {
        let (mut patterns, mut readers, mut number) = (Vec::new(), Vec::new(), 0);
        for (reader, literals) in waits.into_iter().enumerate() {
            number = reader + 1;
            for literal in literals {
                patterns.push(*literal);
                readers.push(u16::try_from(reader).expect("the registry holds fewer readers"));
            }
        }
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::DFA))
            .build(patterns)
            .expect("the registry's literals fit into an automaton");
        Self { automaton, readers, number }
    }
}

impl Wakes {
    /// Begins a stream.
    pub(crate) fn new(compiled: &Compiled) -> Self {
        let Compiled { automaton, readers, number } = compiled.clone();
        Self { automaton, readers, woken_at: vec![0; number], line: 0 }
    }

    /// Adds the readers that a line wakes to `woken`, each once.
    pub(crate) fn line(&mut self, text: &str, woken: &mut Vec<u16>) {
        self.line += 1;
        for found in self.automaton.find_overlapping_iter(text) {
            let reader = self.readers[found.pattern().as_usize()];
            let at = &mut self.woken_at[usize::from(reader)];
            if *at != self.line {
                *at = self.line;
                woken.push(reader);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_wakes_each_reader_once() {
        let waits: [&[&str]; 3] = [&["error", "err"], &["warn"], &["error TS"]];
        let mut wakes = Wakes::new(&Compiled::new(waits));
        let mut woken = |text| {
            let mut woken = Vec::new();
            wakes.line(text, &mut woken);
            woken.sort_unstable();
            woken
        };
        assert_eq!(woken("an error TS1 and an error"), [0, 2]);
        assert_eq!(woken("warnings"), [1]);
        assert!(woken("").is_empty());
        assert_eq!(woken("err"), [0]);
    }
}
