//! Why an action never ran, in a sentence.

use referee_model::record::SkipReason;
use referee_model::selection::LeftOut;

/// Returns why an action never ran, as a sentence.
pub(crate) fn sentence(reason: &SkipReason) -> String {
    match reason {
        SkipReason::PrerequisiteFailed(action) => format!("Prerequisite {action} failed."),
        SkipReason::NeedNotMet(action) => format!("It needs {action}, which did not pass."),
        SkipReason::EarlierFailure(action) => format!("{action} failed and blocks, and no step is to run after that."),
        SkipReason::DeadlinePassed => "The task's deadline had passed.".to_owned(),
        SkipReason::Interrupted => "The run was interrupted.".to_owned(),
        SkipReason::EngineFailed => "Referee itself failed before it could run.".to_owned(),
        SkipReason::Superseded(action) => {
            format!("{action}, beside which it ran, failed and blocks, and no step is to run after that.")
        }
        SkipReason::LeftOut(why) => left_out(*why).to_owned(),
        SkipReason::SpecificationError => "The specification asks for what cannot be done, so nothing runs.".to_owned(),
        SkipReason::DependencyNotPassed(task) => format!("Its task depends on {task}, which did not pass."),
        SkipReason::ProtectedFilesDrifted => "What the gate rests on was changed, so nothing runs.".to_owned(),
        SkipReason::NotConfined => "It was to be confined, and this machine cannot do it.".to_owned(),
        SkipReason::NoCleanRoom => "The clean room that it was to run in could not be built.".to_owned(),
    }
}

fn left_out(why: LeftOut) -> &'static str {
    match why {
        LeftOut::Profile => "The profile of this reduced run leaves it out.",
        LeftOut::NotNamed => "Other checks were asked for.",
        LeftOut::Named => "It was asked to be left out.",
        LeftOut::NeedLeftOut => "Something that it needs was left out.",
        LeftOut::PassedBefore => "It passed in the run before, and only what had not passed was asked for.",
    }
}
