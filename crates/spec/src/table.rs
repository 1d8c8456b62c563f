//! Tables that are compiled in, as TOML: what is known of tools, by name.

use referee_syntax::toml;
use referee_syntax::tree::{Entry, Node};

pub(crate) struct Table(Node);

impl Table {
    pub(crate) fn read(text: &str) -> Self {
        Self(toml::read(text).expect("a table of the program is TOML"))
    }

    /// Returns the value at a path, which the table has.
    fn at(&self, path: &str) -> &Node {
        self.0.at(path).unwrap_or_else(|| panic!("a table of the program has no `{path}`"))
    }

    /// Returns the entries at a path.
    pub(crate) fn entries(&self, path: &str) -> &[Entry] {
        self.at(path).entries()
    }

    /// Returns the rows at a path.
    pub(crate) fn rows(&self, path: &str) -> &[Node] {
        self.at(path).elements()
    }

    /// Returns the words at a path.
    pub(crate) fn words(&self, path: &str) -> impl Iterator<Item = &str> {
        self.rows(path).iter().filter_map(Node::text)
    }

    /// Returns whether a word is at a path.
    pub(crate) fn holds(&self, path: &str, word: &str) -> bool {
        self.words(path).any(|known| known == word)
    }
}
