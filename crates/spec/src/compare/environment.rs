//! Compares variables. Some make programs load code, or change their behavior (attacks, row 2).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;
use referee_syntax::table::Table;

static VARIABLES: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("variables.toml")));

/// Compares the variables of one subject.
pub(super) fn compare(
    subject: &str,
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    weaker: &mut Weaker,
) {
    let shown = |name: &str, value: &String| format!("{name}={value}");
    for (name, value) in after {
        let old = before.get(name);
        if old == Some(value) {
            continue;
        }
        let kind = if injects(name, value) { Kind::EnvironmentInjected } else { Kind::EnvironmentChanged };
        let old = old.map_or_else(|| format!("{name} is not set"), |old| shown(name, old));
        weaker.add(kind, subject, old, shown(name, value));
    }
    for (name, value) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        weaker.add(Kind::EnvironmentChanged, subject, shown(name, value), format!("{name} is not set"));
    }
}

/// Returns whether a variable makes programs load code or changes their behavior. Turning Rust warnings into
/// errors does not count.
fn injects(name: &str, value: &str) -> bool {
    if matches!(name, "RUSTFLAGS" | "RUSTDOCFLAGS") && only_denies(value) {
        return false;
    }
    VARIABLES.holds("injecting.names", name) || VARIABLES.words("injecting.starts").any(|start| name.starts_with(start))
}

fn only_denies(flags: &str) -> bool {
    let mut words = flags.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "-D" | "-F" | "--deny" | "--forbid" => drop(words.next()),
            _ if word.starts_with("-D") || word.starts_with("-F") => {}
            _ => return false,
        }
    }
    true
}
