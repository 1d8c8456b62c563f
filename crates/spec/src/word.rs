//! Keywords of specifications that differ from the words of documents.

use referee_model::plan::Strategy;
use referee_model::severity::Severity;

/// Parses a severity that a failure can have.
pub(crate) fn severity(word: &str) -> Option<Severity> {
    Severity::parse(word).filter(|severity| *severity != Severity::None)
}

/// Parses a strategy, with or without its `BLOCK_ON_`.
pub(crate) fn strategy(word: &str) -> Option<Strategy> {
    Strategy::ALL.into_iter().find(|strategy| strategy_word(*strategy) == short(word))
}

/// Returns a strategy without its `BLOCK_ON_`.
pub(crate) fn strategy_word(strategy: Strategy) -> &'static str {
    short(strategy.as_str())
}

fn short(name: &str) -> &str {
    name.strip_prefix("BLOCK_ON_").unwrap_or(name)
}
