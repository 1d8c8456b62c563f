//! Names of common tools.

use std::sync::LazyLock;

use referee_syntax::table::Table;

static TOOLS: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("tool.toml")));

/// Returns the names for which similar ones are reported as misspelled.
pub(crate) fn common() -> impl Iterator<Item = &'static str> {
    TOOLS.words("names.common")
}

/// Returns whether a name is that of a well-known tool.
pub(crate) fn is_known(name: &str) -> bool {
    common().chain(TOOLS.words("names.others")).any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the category of a tool, as documents spell it. None: it is a linter, or unknown.
pub(crate) fn category(name: &str) -> Option<&'static str> {
    TOOLS.list_of("categories", name, "")
}
