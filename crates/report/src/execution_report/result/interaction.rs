//! Facts observed of an interaction with a database or a browser.

use referee_model::id::Digest;
use referee_model::number::Count;
use referee_model::plan::interaction::RowExpectation;
use referee_model::plan::{Action, Interaction, Plan, Work};
use referee_model::record::http::AssertionObservation;
use referee_model::record::{Executable, InteractionEnding, InteractionFacts, Screenshot};

use super::super::evidence;
use super::super::expectation;
use super::super::specification::SchemaValidation;

/// An interaction and its answer.
#[document]
pub(super) struct InteractionDocument {
    /// What was asked, in order, one line each; secrets are redacted.
    requests: Vec<String>,
    /// How the interaction ended.
    ending: InteractionEnding,
    /// Names and paths of the programs that carried it out, each as `name: path`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    executables: Vec<String>,
    /// Name and version of what answered, such as `PostgreSQL 15.14`. Left out where it did not say.
    peer: Option<String>,
    /// Number of rows that were returned or changed. Left out for a browser, and where there is no answer.
    row_count: Option<Count>,
    /// Last value that was evaluated or read in the browser, as JSON text. Left out where there is none.
    value: Option<String>,
    /// Expectations for the rows, each with its result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<ExpectationDocument>,
    /// Pictures of the page, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    screenshots: Vec<ScreenshotDocument>,
    /// File with the answer, a JSON document. Left out where none is kept.
    answer_file: Option<String>,
}

/// One expectation for the rows of a query.
#[document(nulls)]
struct ExpectationDocument {
    /// Expectation in words.
    expectation: String,
    /// Whether the expectation is met. Null: it could not be determined, which never counts as met.
    holds: Option<bool>,
    /// Value that was found.
    found: String,
    /// Result of checking the rows against a JSON Schema. Left out for other expectations.
    #[serde(skip_serializing_if = "Option::is_none")]
    schema_validation: Option<SchemaValidation>,
}

/// A picture of the page.
#[document]
struct ScreenshotDocument {
    /// Name of the picture in the specification.
    name: String,
    /// File with the picture, PNG.
    file: String,
    /// SHA-256 of the file.
    sha256: Digest,
}

impl InteractionDocument {
    pub(super) fn new(plan: &Plan, action: &Action, facts: &InteractionFacts) -> Self {
        let wanted = expectations(action);
        let words = |index: usize| wanted.get(index).map(expectation::rows).unwrap_or_default();
        let document = |(index, observed)| ExpectationDocument::new(words(index), observed);
        let program = |program: &Executable| format!("{}: {}", program.name, program.path);
        Self {
            requests: facts.requests.clone(),
            ending: facts.ending.clone(),
            executables: facts.executables.iter().map(program).collect(),
            peer: facts.peer.clone(),
            row_count: facts.row_count.map(Count::from),
            value: facts.value.clone(),
            expectations: facts.observations.iter().enumerate().map(document).collect(),
            screenshots: facts.screenshots.iter().map(|taken| ScreenshotDocument::new(plan, taken)).collect(),
            answer_file: facts.answer.as_ref().map(|log| evidence::shown(plan, &log.file)),
        }
    }
}

fn expectations(action: &Action) -> &[RowExpectation] {
    match &action.work {
        Work::Interaction(interaction) => match interaction.as_ref() {
            Interaction::Query(query) => &query.expectations,
            Interaction::Browser(_) => &[],
        },
        _ => &[],
    }
}

impl ExpectationDocument {
    fn new(expectation: String, observed: &AssertionObservation) -> Self {
        Self {
            expectation,
            holds: observed.holds,
            found: observed.found.clone(),
            schema_validation: observed.schema.as_ref().map(SchemaValidation::of_content),
        }
    }
}

impl ScreenshotDocument {
    fn new(plan: &Plan, taken: &Screenshot) -> Self {
        Self { name: taken.name.clone(), file: evidence::shown(plan, &taken.image.file), sha256: taken.image.sha256 }
    }
}
