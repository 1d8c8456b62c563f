//! Tables that are compiled in, as TOML: what is known of tools, by name. A table that is no TOML, or lacks what the code asks
//! for, is a mistake in the program; tests ask for everything.

use crate::toml;
use crate::tree::{Entry, Node};

pub struct Table(Node);

impl Table {
    pub fn read(text: &str) -> Self {
        Self(toml::read(text).expect("a table of the program is TOML"))
    }

    /// Returns the value at a path, which the table has.
    fn at(&self, path: &str) -> &Node {
        self.0.at(path).unwrap_or_else(|| panic!("a table of the program has no `{path}`"))
    }

    /// Returns the entries at a path.
    pub fn entries(&self, path: &str) -> &[Entry] {
        self.at(path).entries()
    }

    /// Returns the rows at a path.
    pub fn rows(&self, path: &str) -> &[Node] {
        self.at(path).elements()
    }

    /// Returns the words at a path.
    pub fn words<'table>(&'table self, path: &str) -> impl Iterator<Item = &'table str> + use<'table> {
        words(self.at(path))
    }

    /// Returns the keys at a path, each with its text.
    pub fn texts<'table>(&'table self, path: &str) -> impl Iterator<Item = (&'table str, &'table str)> + use<'table> {
        self.entries(path).iter().filter_map(|row| Some((row.key.as_str(), row.value.text()?)))
    }

    /// Returns the row with this key in the table at a path. None: there is none.
    pub fn row(&self, path: &str, key: &str) -> Option<&Node> {
        self.at(path).get(key)
    }

    /// Returns the row of a program, with its subcommand or without.
    pub fn program(&self, path: &str, name: &str, subcommand: &str) -> Option<&Entry> {
        self.entries(path).iter().find(|row| is_meant(&row.key, name, subcommand))
    }

    /// Returns the list, of those at a path, that names a program, with its subcommand or without.
    pub fn list_of(&self, path: &str, name: &str, subcommand: &str) -> Option<&str> {
        let names = |list: &&Entry| words(&list.value).any(|known| is_meant(known, name, subcommand));
        self.entries(path).iter().find(names).map(|list| list.key.as_str())
    }

    /// Returns whether the next word is the value of an option. None: the list at a path does not have it.
    pub fn takes_value(&self, path: &str, option: &str) -> Option<bool> {
        let takes = self.holds(&format!("{path}-valued"), option);
        (takes || self.holds(path, option)).then_some(takes)
    }

    /// Returns whether a word is at a path.
    pub fn holds(&self, path: &str, word: &str) -> bool {
        self.words(path).any(|known| known == word)
    }
}

/// Returns the words of a list.
pub fn words(list: &Node) -> impl Iterator<Item = &str> {
    list.elements().iter().filter_map(Node::text)
}

/// Returns whether a program is known by its name, or by its name and its subcommand.
fn is_meant(known: &str, name: &str, subcommand: &str) -> bool {
    known == name || known.split_once(' ') == Some((name, subcommand))
}
