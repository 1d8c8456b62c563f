//! Effect of arguments of common tools on the scope of a check: the rows of `options.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use referee_syntax::tree::Node;

use referee_syntax::table::Table;

/// Effect of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Narrows,
    Stricter,
    Harmless,
    /// Its number allows warnings. Without the option: any number.
    Warnings,
    /// Its number allows further attempts. Without the option: none.
    Retries,
    /// Its number allows time. Without the option: the tool's own limit.
    Time,
    /// Its number is to be reached.
    Threshold,
}

const EFFECTS: [(Effect, &str); 7] = [
    (Effect::Narrows, "narrows"),
    (Effect::Stricter, "stricter"),
    (Effect::Harmless, "harmless"),
    (Effect::Warnings, "warnings"),
    (Effect::Retries, "retries"),
    (Effect::Time, "time"),
    (Effect::Threshold, "threshold"),
];

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(include_str!("options.toml")));

/// Effects by option, with whether it takes a value.
static OPTIONS: LazyLock<BTreeMap<&str, (Effect, bool)>> = LazyLock::new(|| {
    let lists = EFFECTS.iter().flat_map(|(effect, name)| TABLE.entries(name).iter().map(move |list| (*effect, list)));
    let options = lists.flat_map(|(effect, list)| {
        list.value.elements().iter().filter_map(Node::text).map(move |name| (name, (effect, list.key == "valued")))
    });
    options.collect()
});

pub(super) fn effect(option: &str) -> Option<Effect> {
    OPTIONS.get(option).map(|(effect, _)| *effect)
}

/// Returns whether an option takes a value. None: unknown option.
pub(super) fn takes_value(option: &str) -> Option<bool> {
    OPTIONS.get(option).map(|(_, takes)| *takes)
}

/// Returns the options whose numbers are compared.
pub(super) fn counted() -> impl Iterator<Item = (&'static str, Effect)> {
    let options = OPTIONS.iter().map(|(name, (effect, _))| (*name, *effect));
    options.filter(|(_, effect)| effect.is_counted())
}

/// Returns whether a program is in a list.
pub(super) fn is_program(list: &str, name: &str) -> bool {
    TABLE.holds(&format!("programs.{list}"), name)
}

/// Returns how many words at the beginning of a command do not change its effect.
pub(super) fn lead(words: &[String]) -> usize {
    let starts = |lead: &&str| {
        let parts: Vec<&str> = lead.split(' ').collect();
        parts.len() < words.len() && parts.iter().zip(words).all(|(part, word)| part == word)
    };
    let length = |list: &str| Some(TABLE.words(list).find(starts)?.split(' ').count());
    let with_word = || Some(length("programs.runners-with-word")? + 1);
    length("programs.runners").or_else(with_word).unwrap_or(0).min(words.len())
}

impl Effect {
    fn is_counted(self) -> bool {
        matches!(self, Self::Warnings | Self::Retries | Self::Time | Self::Threshold)
    }
}
