//! Sources that were written while tests ran but have the same content as before: the tests may have seen other
//! content.

use referee_model::plan::{Action, Role};
use referee_model::record::RunRecord;
use referee_model::report::{ActionReport, Ran};
use referee_model::run_context::tree::TreeRewrite;
use referee_syntax::count::count;

use super::{FILES_NAMED, called, is_over, writers};
use crate::source_file;

/// A check of role test during which these sources were swapped.
struct Swap<'a> {
    check: &'a Action,
    files: Vec<&'a TreeRewrite>,
}

/// Returns which tests are void because a source was written while they ran, one sentence each.
///
/// | a source with unchanged content was last written | voids                                                        |
/// |---------------------------------------------------|--------------------------------------------------------------|
/// | before a test began                               | nothing: it was the same from then on                        |
/// | while it ran                                      | that test                                                    |
/// | after it, while another action ran                | nothing: build steps and formatters write clean files        |
/// | after it, while no action ran                     | that test: the content was restored by hand                  |
///
/// Files that tests compare with, and generated files, are not such sources ([`source_file`]): a notice names them.
pub(super) fn voided(run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    swaps(run, actions).map(|swap| swap.sentence()).collect()
}

/// Returns whether a source was written during tests that the run itself started.
pub(super) fn is_by_the_run(run: &RunRecord, actions: &[ActionReport]) -> bool {
    swaps(run, actions).any(|swap| swap.files.iter().any(|file| !writers(actions, file.at).is_empty()))
}

fn swaps<'a>(run: &'a RunRecord, actions: &'a [ActionReport]) -> impl Iterator<Item = Swap<'a>> {
    let rewritten = run.run_context.tree.iter().flat_map(|facts| &facts.rewritten);
    let sources: Vec<&TreeRewrite> =
        rewritten.filter(|file| !file.generated && source_file::is_source(&file.path)).collect();
    let tests = actions.iter().filter_map(|report| {
        let ran = report.ran().filter(|ran| ran.judgement.role == Some(Role::Test))?;
        Some((&report.action, ran))
    });
    tests.filter_map(move |(check, ran)| {
        let files: Vec<&TreeRewrite> = sources.iter().copied().filter(|file| is_void(ran, file, actions)).collect();
        (!files.is_empty()).then_some(Swap { check, files })
    })
}

fn is_void(ran: &Ran, file: &TreeRewrite, actions: &[ActionReport]) -> bool {
    let began = ran.earlier.first().map_or(ran.record.span.started, |first| first.record.span.started);
    file.at >= began && (!is_over(&ran.record, file.at) || writers(actions, file.at).is_empty())
}

impl Swap<'_> {
    fn sentence(&self) -> String {
        let named: Vec<&str> = self.files.iter().take(FILES_NAMED).map(|file| file.path.as_str()).collect();
        let more = match self.files.len().saturating_sub(FILES_NAMED) {
            0 => String::new(),
            more => format!(" and {}", count(more, "other source")),
        };
        format!(
            "{}{more} may have been swapped while {} ran: written meanwhile, and as before now, so what the tests saw is not \
             known (1 step void): run again while nothing else writes there; what generates sources belongs into a step before the \
             tests, and what tests write under `outputs`",
            named.join(", "),
            called(self.check)
        )
    }
}
