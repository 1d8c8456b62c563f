//! Table of phrases. A phrase is a row of words: `a|b` is either, `a?` is optional, `#` is a number, `~` a
//! duration; words in capitals are the sets below. The longest phrase that matches at a word wins, and among
//! equally long ones the first.
//!
//! | letter | a phrase that says                      | letter | a phrase that says                       |
//! |--------|-----------------------------------------|--------|------------------------------------------|
//! | blank  | nothing by itself                       | `x`    | that something was run                   |
//! | `*`    | that it is all of them                  | `q`    | that something found it to be well       |
//! | `s`    | what can pass                           | `e`    | what was spoken of last                  |
//! | `p`    | that it passes (a subject may follow)   | `c`    | that something was changed               |
//! | `g`    | that it succeeded                       | `i`    | a restriction                            |
//! | `t`    | that it is tidy, which tests are not    | `W`    | a context                                |
//! | `k`    | that it works                           | `l`    | more of what was done                    |
//! | `m`    | that it compiles, lints, checks         | `.`    | a closing phrase                         |
//! | `z`    | that there are no errors                | `#`    | how many there are                       |
//! | `y`    | that it went well                       | `O`    | to do something, where it begins         |
//! | `j`    | what compiles and works                 | `N`    | that something is not so                 |
//! | `w`    | the whole of the work                   | `F`    | that something failed                    |
//! | `D`    | what was done to it                     | `R`    | that something is left, or excepted      |
//! | `C d`  | that it was finished by a person; that it is done | `P`  | that it was so in the past        |
//! | `r`    | that it is ready                        | `H`    | a condition                              |
//! | `v`    | that it was tried                       | `V`    | that it is hoped, asked for, partly so   |
//! | `f`    | that the work is finished               | `,:+-` | a joint, a label, a good mark, a bad one |
//! | `a`    | that all of it is well                  | `o`    | something else, by another name          |
//! | `L`    | that something is for later             | `A`    | a request                                |

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_syntax::table::{self, Table};
use referee_syntax::tree::{Entry, Node};

/// Letters that prevent a sentence from being a claim.
pub(super) const VOID: &str = "NFRLAPHV-";

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("phrases.toml")));

/// Returns the phrases in English with what each says, in lower case, without hyphens and apostrophes.
pub(super) fn english() -> impl Iterator<Item = (char, &'static str)> {
    let says = |entry: &Entry| entry.key.chars().next().expect("what a phrase says is a letter");
    TABLE
        .entries("english")
        .iter()
        .flat_map(move |entry| table::words(&entry.value).map(move |phrase| (says(entry), phrase)))
}

/// Returns a named set of words that phrases share.
pub(super) fn set(name: &str) -> Option<&'static str> {
    TABLE.row("sets", name).and_then(Node::text)
}

/// Phrases of one language: claims, and reservations that void all claims of a message in it. Phrases match
/// literally; reservations match whole words, except in languages that do not separate words by spaces.
pub(super) struct Language {
    pub(super) tests: Vec<&'static str>,
    pub(super) done: Vec<&'static str>,
    pub(super) reserves: Vec<&'static str>,
}

pub(super) static OTHERS: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let words = |row: &'static Node, key| row.get(key).into_iter().flat_map(table::words).collect();
    let language =
        |row| Language { tests: words(row, "tests"), done: words(row, "done"), reserves: words(row, "reserves") };
    TABLE.rows("others").iter().map(language).collect()
});

/// Per role: prefixes of words that speak of it, and the set of its tools. The first row is that of counts in
/// phrases.
const ABOUT: [(Role, &str, &str); 5] = [
    (Role::Test, "test spec suite assert prueba e2e テスト 测试 測試", "TESTER"),
    (Role::Typecheck, "typ", "TYPER"),
    (Role::Lint, "lint style static nit", "LINTER"),
    (Role::Format, "format fmt style", "FORMATTER"),
    (Role::Compile, "build built compil kompil cargo", ""),
];

/// Returns whether a word is in a set.
pub(super) fn is_in(set: &str, word: &str) -> bool {
    self::set(set).is_some_and(|words| words.split('|').any(|other| other == word))
}

/// Returns the roles of a word; a role has several words.
pub(super) fn roles(word: &str) -> impl Iterator<Item = Role> {
    let speaks = move |(_, stems, tools): &&(Role, &str, &str)| {
        // Languages without spaces between words have the stem within one.
        let begins = |stem: &str| if stem.is_ascii() { word.starts_with(stem) } else { word.contains(stem) };
        stems.split(' ').any(begins) || is_in(tools, word)
    };
    ABOUT.iter().filter(speaks).map(|(role, ..)| *role)
}

/// Returns the common role of several words.
pub(super) fn role<'a>(words: impl Iterator<Item = &'a str>) -> Option<Role> {
    let found: Vec<Role> = words.flat_map(roles).collect();
    ABOUT.iter().map(|(role, ..)| *role).find(|role| found.contains(role))
}

pub(super) fn tool(word: &str) -> Option<Role> {
    ABOUT.iter().find(|(.., tools)| is_in(tools, word)).map(|(role, ..)| *role)
}

/// Returns whether a word names the tool of a whole ecosystem, which runs its tests, builds and so on.
pub(super) fn is_ecosystem(word: &str) -> bool {
    matches!(word, "cargo" | "go" | "gradle" | "mvn" | "dotnet")
}
