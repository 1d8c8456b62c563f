//! The declared table of what silences tools and tests.

use std::sync::LazyLock;

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_syntax::program::Language;
use referee_syntax::table::{self, Table};
use referee_syntax::tree::Entry;

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("table.toml")));

/// Words in comments.
pub(super) static ANYWHERE: LazyLock<Rows> = LazyLock::new(|| Rows::read("anywhere"));
pub(super) static START: LazyLock<Rows> = LazyLock::new(|| Rows::read("start"));
/// Words in code without white space, and in such code of tests.
pub(super) static CODE: LazyLock<Rows> = LazyLock::new(|| Rows::read("code"));
pub(super) static TEST_CODE: LazyLock<Rows> = LazyLock::new(|| Rows::read("test-code"));
/// Names of functions that declare tests, what is said behind their dots, and options of tests.
pub(super) static CALLS: LazyLock<Rows> = LazyLock::new(|| Rows::read("calls"));
pub(super) static MODIFIERS: LazyLock<Rows> = LazyLock::new(|| Rows::read("modifiers"));
pub(super) static OPTIONS: LazyLock<Rows> = LazyLock::new(|| Rows::read("options"));

/// Words, as the table tells what they are.
type Words = LazyLock<Vec<&'static str>>;

pub(super) static VARIABLES: Words = LazyLock::new(|| TABLE.words("words.variables").collect());
pub(super) static SCRIPT_LIBRARIES: Words = LazyLock::new(|| TABLE.words("words.libraries").collect());
pub(super) static AROUND_TESTS: Words = LazyLock::new(|| TABLE.words("words.around-tests").collect());
pub(super) static CHANGES: Words = LazyLock::new(|| TABLE.words("words.changes").collect());
pub(super) static DESELECTING: Words = LazyLock::new(|| TABLE.words("words.deselecting").collect());

/// Words with the kind of suppression that each is, by language.
pub(super) struct Rows(Vec<(Vec<Language>, Kind, Vec<String>)>);

impl Rows {
    fn read(path: &str) -> Self {
        let of_languages = |entry: &Entry| {
            let languages = languages(&entry.key);
            let row = move |kind: &Entry| {
                let parsed = Kind::parse(&kind.key).expect("the table has kinds of suppressions");
                (languages.clone(), parsed, table::words(&kind.value).map(str::to_owned).collect())
            };
            entry.value.entries().iter().map(row).collect::<Vec<_>>()
        };
        Self(TABLE.entries(path).iter().flat_map(of_languages).collect())
    }

    /// Returns the words of a language, in order of the table.
    pub(super) fn of(&self, language: Language) -> impl Iterator<Item = (Kind, &str)> {
        let rows = self.0.iter().filter(move |(languages, ..)| languages.contains(&language));
        rows.flat_map(|(_, kind, words)| words.iter().map(|word| (*kind, word.as_str())))
    }

    /// Returns the kind that a word of a language is.
    pub(super) fn kind(&self, language: Language, word: &str) -> Option<Kind> {
        self.of(language).find(|(_, known)| *known == word).map(|(kind, _)| kind)
    }
}

/// Whether a function of a language declares tests.
pub(super) fn declares(language: Language, name: &str) -> bool {
    let of_language = TABLE.entries("declarations").iter().filter(|entry| languages(&entry.key).contains(&language));
    of_language.flat_map(|entry| table::words(&entry.value)).any(|known| known == name)
}

/// Returns the languages of a name: several that are said together, or one by the ending of its files.
fn languages(name: &str) -> Vec<Language> {
    let of_ending = |ending: &str| Language::of(ending).or_else(|| Language::of(&format!("a.{ending}")));
    let one = || vec![of_ending(name).expect("the table has endings of languages")];
    TABLE.row("languages", name).map_or_else(one, |endings| table::words(endings).filter_map(of_ending).collect())
}
