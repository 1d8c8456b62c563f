use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::plan::interaction::{
    BrowserCommand, BrowserEngine, BrowserOperation, RowExpectation, Statement, Transaction,
};
use referee_model::plan::{Browser, Interaction, Query};
use referee_model::record::http::AssertionObservation;
use referee_model::record::{InteractionEnding, InteractionFacts, Screenshot};

use super::plan::{schema_source, template};
use super::record::{executables, log, schema_observation};
use super::{json, maybe, path, text, texts};

pub(super) fn interaction() -> impl Strategy<Value = Interaction> {
    prop_oneof![query().prop_map(Interaction::Query), browser().prop_map(Interaction::Browser)]
}

fn query() -> impl Strategy<Value = Query> {
    let statement = prop_oneof![template().prop_map(Statement::Text), path().prop_map(Statement::File)];
    let transactions = select(vec![Transaction::ReadOnly, Transaction::Rollback, Transaction::Commit]);
    let expectation = prop_oneof![
        any::<u64>().prop_map(RowExpectation::Count),
        schema_source().prop_map(RowExpectation::Schema),
        json().prop_map(RowExpectation::Contains),
    ];
    (template(), statement, transactions, any::<(u64, u64)>(), vec(expectation, 0..3)).prop_map(
        |(connection, statement, transaction, (connect_timeout_ms, statement_timeout_ms), expectations)| Query {
            connection,
            statement,
            transaction,
            connect_timeout_ms,
            statement_timeout_ms,
            expectations,
        },
    )
}

fn browser() -> impl Strategy<Value = Browser> {
    let operation = prop_oneof![
        template().prop_map(BrowserOperation::Navigate),
        text().prop_map(BrowserOperation::Click),
        vec((text(), template()), 0..3).prop_map(BrowserOperation::Fill),
        template().prop_map(BrowserOperation::Evaluate),
        text().prop_map(BrowserOperation::Screenshot),
        text().prop_map(BrowserOperation::WaitFor),
        template().prop_map(BrowserOperation::See),
        maybe(text()).prop_map(BrowserOperation::Content),
    ];
    let command = (operation, any::<u64>()).prop_map(|(operation, wait_ms)| BrowserCommand { operation, wait_ms });
    (select(BrowserEngine::ALL.to_vec()), any::<bool>(), texts(), vec(command, 1..4))
        .prop_map(|(engine, headless, server, commands)| Browser { engine, headless, server, commands })
}

fn ending() -> impl Strategy<Value = InteractionEnding> {
    prop_oneof![
        Just(InteractionEnding::Completed),
        (0..9_usize, text()).prop_map(|(request, message)| InteractionEnding::Refused { request, message }),
        text().prop_map(|message| InteractionEnding::Unavailable { message }),
        (any::<(u64, bool)>(), text()).prop_map(|((timeout_ms, of_task), waiting_for)| {
            InteractionEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for }
        }),
        Just(InteractionEnding::Interrupted),
    ]
}

pub(super) fn facts() -> impl Strategy<Value = InteractionFacts> {
    let observation = (any::<Option<bool>>(), text(), maybe(schema_observation()))
        .prop_map(|(holds, found, schema)| AssertionObservation { holds, found, schema });
    let screenshot = (text(), log()).prop_map(|(name, image)| Screenshot { name, image });
    (
        executables(),
        maybe(text()),
        texts(),
        ending(),
        (any::<Option<u64>>(), maybe(text())),
        maybe(log()),
        vec(screenshot, 0..3),
        vec(observation, 0..3),
    )
        .prop_map(
            |(executables, peer, mut requests, ending, (row_count, value), answer, screenshots, observations)| {
                if let InteractionEnding::Refused { request, .. } = &ending {
                    requests.resize(requests.len().max(request + 1), String::new());
                }
                let is_complete = ending == InteractionEnding::Completed;
                InteractionFacts {
                    executables,
                    peer,
                    requests,
                    ending,
                    row_count,
                    value,
                    answer,
                    screenshots,
                    observations: if is_complete { observations } else { Vec::new() },
                }
            },
        )
}
