//! Compares queries and browser actions.

use referee_model::plan::interaction::{BrowserCommand, RowExpectation, Statement, Transaction};
use referee_model::plan::{Browser, Interaction, Query};
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::file::schema;
use super::weaker::Weaker;

/// Compares an interaction with its former version.
pub(super) fn compare(name: &str, before: &Interaction, after: &Interaction, weaker: &mut Weaker) {
    match (before, after) {
        (Interaction::Query(old), Interaction::Query(new)) => query(name, old, new, weaker),
        (Interaction::Browser(old), Interaction::Browser(new)) => browser(name, old, new, weaker),
        _ => weaker.add(Kind::CheckReplaced, name, before.as_line(), after.as_line()),
    }
}

/// Returns the texts by which an interaction is recognized, however strictly it is checked.
pub(super) fn subject(interaction: &Interaction) -> Vec<String> {
    match interaction {
        Interaction::Query(query) => vec![query.connection.to_string(), statement(query)],
        Interaction::Browser(browser) => browser.commands.iter().map(|command| command.operation.as_line()).collect(),
    }
}

fn statement(query: &Query) -> String {
    match &query.statement {
        Statement::Text(text) => text.to_string(),
        Statement::File(path) => format!("statements of {path}"),
    }
}

fn query(name: &str, before: &Query, after: &Query, weaker: &mut Weaker) {
    if before.connection != after.connection {
        // The connection may hold a password, and is not shown.
        weaker.add(Kind::CheckReplaced, name, "the former database", "another database");
    }
    if before.statement != after.statement {
        weaker.add(Kind::CheckReplaced, name, statement(before), statement(after));
    }
    if after.transaction == Transaction::Commit && before.transaction != Transaction::Commit {
        weaker.add(Kind::CheckReplaced, name, before.transaction.as_str(), after.transaction.as_str());
    }
    let limits = [
        (before.connect_timeout_ms, after.connect_timeout_ms),
        (before.statement_timeout_ms, after.statement_timeout_ms),
    ];
    for (old, new) in limits.into_iter().filter(|(old, new)| new > old) {
        weaker.add(Kind::TimeoutRaised, name, format!("{old} ms"), format!("{new} ms"));
    }
    weaker.gone(
        Kind::AnswerLoosened,
        name,
        (&before.expectations, &after.expectations),
        |expectation| match expectation {
            RowExpectation::Count(count) => format!("row count {count}"),
            RowExpectation::Schema(source) => schema(Some(source)),
            RowExpectation::Contains(value) => format!("a row contains {value}"),
        },
    );
}

fn browser(name: &str, before: &Browser, after: &Browser, weaker: &mut Weaker) {
    if before.server != after.server {
        weaker.add(Kind::CommandReplaced, name, before.server.join(" "), after.server.join(" "));
    }
    if before.engine != after.engine {
        weaker.add(Kind::CommandChanged, name, before.engine.as_str(), after.engine.as_str());
    }
    // What comes before a command decides what it finds: the former ones must be there in their order.
    let mut rest = after.commands.iter();
    for old in &before.commands {
        match rest.clone().position(|new| new.operation == old.operation) {
            Some(at) => waits(name, old, rest.nth(at), weaker),
            None => weaker.add(Kind::CommandNarrowed, name, old.operation.as_line(), "not there"),
        }
    }
}

fn waits(name: &str, before: &BrowserCommand, after: Option<&BrowserCommand>, weaker: &mut Weaker) {
    if let Some(after) = after.filter(|after| after.wait_ms > before.wait_ms) {
        weaker.add(Kind::TimeoutRaised, name, format!("{} ms", before.wait_ms), format!("{} ms", after.wait_ms));
    }
}
