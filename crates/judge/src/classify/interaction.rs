//! Interactions with a database or a browser: rulings 9 and 11.

use referee_model::debt::DebtCategory;
use referee_model::outcome::Rule;
use referee_model::plan::Interaction;
use referee_model::plan::interaction::{RowExpectation, Statement};
use referee_model::record::http::AssertionObservation;
use referee_model::record::{InteractionEnding, InteractionFacts, SchemaObservation};
use referee_syntax::count::count;
use referee_syntax::cut::first_line;
use referee_syntax::duration::exact;

use super::draft::{Deadline, Draft, Item};

/// Maximum length of a quoted text, in characters.
const QUOTED_CHARACTERS: usize = 200;

/// Judges an interaction by its ending.
///
/// | ending                                                           | outcome                              |
/// |------------------------------------------------------------------|--------------------------------------|
/// | it could not be asked                                            | EXECUTION_ERROR                      |
/// | interrupted with the run                                         | EXECUTION_ERROR                      |
/// | deadline                                                         | TIMEOUT                              |
/// | refused: an SQL error, a missing element, a false expression     | TEST_FAILURE, HIGH                   |
/// | complete, with other observations than the plan asks for         | EXECUTION_ERROR                      |
/// | complete                                                         | by its observations, see [`by_rows`] |
pub(super) fn judge(interaction: &Interaction, facts: &InteractionFacts) -> Draft {
    match &facts.ending {
        InteractionEnding::Unavailable { message } => unavailable(interaction, facts, message),
        InteractionEnding::Interrupted => {
            Draft::execution_error(Rule::Interrupted, "given up: the run was interrupted").advise("Run the task again")
        }
        InteractionEnding::DeadlineExceeded { timeout_ms, of_task, waiting_for } => {
            deadline(interaction, *timeout_ms, *of_task, waiting_for)
        }
        InteractionEnding::Refused { request, message } => refused(interaction, facts, *request, message),
        InteractionEnding::Completed => completed(interaction, facts),
    }
}

fn unavailable(interaction: &Interaction, facts: &InteractionFacts, message: &str) -> Draft {
    let (what, causes, advice) = match interaction {
        Interaction::Query(_) => (
            // The connection is asked first.
            facts.requests.first().map_or_else(|| "the database".to_owned(), |url| format!("the database {url}")),
            ["the server is not running, or not at this address", "its credentials are wrong"],
            "Start the database, or correct its URL, and run the task again",
        ),
        Interaction::Browser(_) => (
            "the browser".to_owned(),
            ["the browser or its MCP server is not installed", "the browser ended by itself"],
            "Install what is missing (`referee doctor` says what), and run the task again",
        ),
    };
    Draft::execution_error(Rule::InteractionUnavailable, format!("{what} could not be asked: {message}"))
        .because_of(causes)
        .advise(advice)
}

fn deadline(interaction: &Interaction, timeout_ms: u64, of_task: bool, waiting_for: &str) -> Draft {
    let deadline = Deadline::told(of_task);
    let waited = if waiting_for.is_empty() { "an answer" } else { waiting_for };
    let what = asked(interaction);
    let reason = format!("{what} was given up at {} of {}, waiting for {waited}", deadline.whose(), exact(timeout_ms));
    Draft::timeout(deadline, reason)
        .because_of(["the other side is slow, or waits for something that does not come"])
        .advise("Make the answer faster, or raise the timeout")
        .leaving(Item {
            title: Some(format!("Operation Timeout: {what} exceeded its {} limit", exact(timeout_ms))),
            fix: Some("Optimize what is asked, or increase the timeout value".to_owned()),
            ..Item::default()
        })
}

fn refused(interaction: &Interaction, facts: &InteractionFacts, request: usize, message: &str) -> Draft {
    let Some(asked) = facts.requests.get(request) else {
        return super::unusable(format!("request {request} was refused, and there is none"));
    };
    let (asked, message) = (quoted(asked), first_line(message, QUOTED_CHARACTERS));
    let (category, by, fix) = match interaction {
        Interaction::Query(_) => (
            DebtCategory::DatabaseSchemaIssue,
            "the database",
            "Correct the schema of the database, or the query".to_owned(),
        ),
        Interaction::Browser(_) => {
            (DebtCategory::BusinessLogicError, "the page", format!("Make the page do what is asked: {asked}"))
        }
    };
    Draft::test_failure(Rule::InteractionRefused, format!("{by} refused {asked}: {message}"))
        .advise(fix.clone())
        .leaving(Item {
            category: Some(category),
            title: Some(format!("Refused: {asked}")),
            fix: Some(fix),
            ..Item::default()
        })
}

fn completed(interaction: &Interaction, facts: &InteractionFacts) -> Draft {
    let wanted = expectations(interaction);
    if wanted.len() != facts.observations.len() {
        let observed = facts.observations.len();
        return super::unusable(format!("the plan expects {} things, and {observed} were observed", wanted.len()));
    }
    match interaction {
        Interaction::Query(_) => by_rows(interaction, facts),
        Interaction::Browser(browser) if facts.requests.len() != browser.commands.len() => super::unusable(format!(
            "the plan has {}, and {} were given",
            count(browser.commands.len() as u64, "command"),
            facts.requests.len()
        )),
        Interaction::Browser(browser) => {
            let commands = count(browser.commands.len() as u64, "command");
            Draft::success(Rule::InteractionAsExpected, format!("the browser did as asked ({commands})"))
        }
    }
}

/// Judges the rows of a query by the expectations of the plan.
///
/// | an expectation           | outcome                                      |
/// |--------------------------|----------------------------------------------|
/// | does not hold            | TEST_FAILURE, HIGH, debt VALIDATION_MISSING  |
/// | has an invalid schema    | SPECIFICATION_ERROR                          |
/// | is undetermined          | EXECUTION_ERROR                              |
/// | all hold                 | SUCCESS                                      |
fn by_rows(interaction: &Interaction, facts: &InteractionFacts) -> Draft {
    let (mut differences, mut unknown) = (Vec::new(), Vec::new());
    for (wanted, observation) in expectations(interaction).iter().zip(&facts.observations) {
        let said = with_found(expectation(wanted), observation);
        let wants_schema = matches!(wanted, RowExpectation::Schema(_));
        match (observation.holds, &observation.schema) {
            (_, Some(SchemaObservation::Unusable { message })) => {
                return Draft::specification_error(
                    Rule::SchemaUnusable,
                    format!("the schema of the rows cannot be used: {message}"),
                )
                .advise("Correct the schema that the specification names");
            }
            (Some(false), _) => differences.push(format!("an expectation failed: {said}")),
            (Some(true), schema) if wants_schema == (schema == &Some(SchemaObservation::Valid)) => {}
            (Some(true) | None, _) => unknown.push(format!("it could not be determined whether {said}")),
        }
    }
    let what = asked(interaction);
    if !differences.is_empty() {
        let fix = format!("Make the rows of {what} as the specification expects");
        return Draft::test_failure(
            Rule::InteractionDiffers,
            format!("{what} was answered, but {}", differences.join("; ")),
        )
        .advise(fix.clone())
        .leaving(Item {
            category: Some(DebtCategory::ValidationMissing),
            title: Some(format!("Unexpected Rows: {what}")),
            fix: Some(fix),
            ..Item::default()
        });
    }
    if !unknown.is_empty() {
        let reason = format!("{what} was answered, and could not be judged: {}", unknown.join("; "));
        return Draft::execution_error(Rule::FactsUnusable, reason)
            .advise("Ask for fewer rows, so that all can be looked at, and run the task again");
    }
    let rows = facts.row_count.map_or_else(String::new, |rows| format!(" with {}", count(rows, "row")));
    let held = if facts.observations.is_empty() { "" } else { ", as expected" };
    Draft::success(Rule::InteractionAsExpected, format!("{what} was answered{rows}{held}"))
}

fn expectations(interaction: &Interaction) -> &[RowExpectation] {
    match interaction {
        Interaction::Query(query) => &query.expectations,
        Interaction::Browser(_) => &[],
    }
}

/// Describes an expectation for rows, to follow "an assertion failed:".
pub(crate) fn expectation(wanted: &RowExpectation) -> String {
    match wanted {
        RowExpectation::Count(rows) => format!("there are exactly {}", count(*rows, "row")),
        RowExpectation::Schema(_) => "every row matches its schema".to_owned(),
        RowExpectation::Contains(value) => format!("a row contains {}", quoted(value)),
    }
}

fn with_found(said: String, observation: &AssertionObservation) -> String {
    let found = first_line(&observation.found, QUOTED_CHARACTERS);
    if found.is_empty() { said } else { format!("{said} ({found})") }
}

/// Returns what was asked, for a sentence.
pub(crate) fn asked(interaction: &Interaction) -> String {
    match interaction {
        Interaction::Query(query) => match &query.statement {
            Statement::Text(_) => quoted(&interaction.as_line()),
            Statement::File(path) => format!("the query in {path}"),
        },
        Interaction::Browser(_) => "the browser".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", first_line(text, QUOTED_CHARACTERS))
}
