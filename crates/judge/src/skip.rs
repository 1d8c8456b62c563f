//! Explains why an action never ran.

use referee_model::record::SkipReason;
use referee_model::selection::LeftOut;

/// Returns the reason why an action never ran, as the end of a sentence.
pub(crate) fn because(reason: &SkipReason) -> String {
    match reason {
        SkipReason::PrerequisiteFailed(id) => format!("the prerequisite {id} does not hold"),
        SkipReason::NeedNotMet(id) => format!("{id}, which it needs, did not pass"),
        SkipReason::EarlierFailure(id) => format!("{id} failed before, and is not to be continued after"),
        SkipReason::Superseded(id) => {
            format!("{id}, which comes before it, failed while it ran, and is not to be continued after")
        }
        SkipReason::DeadlinePassed => "the task's time was used up".to_owned(),
        SkipReason::Interrupted => "the run was interrupted".to_owned(),
        SkipReason::EngineFailed => "Referee itself failed before".to_owned(),
        SkipReason::LeftOut(left_out) => because_left_out(*left_out).to_owned(),
        SkipReason::SpecificationError => "the specification asks for what cannot be done".to_owned(),
        SkipReason::DependencyNotPassed(task) => format!("the task {task}, which this one depends on, did not pass"),
        SkipReason::ProtectedFilesDrifted => "what the gate rests on was changed".to_owned(),
        SkipReason::NotConfined => "it was to be confined, and this machine cannot do it".to_owned(),
        SkipReason::NoCleanRoom => "the clean room could not be built".to_owned(),
        SkipReason::NotPerformed => "no worker performed the run".to_owned(),
    }
}

fn because_left_out(left_out: LeftOut) -> &'static str {
    match left_out {
        LeftOut::Profile => "the profile leaves it out",
        LeftOut::NotNamed => "only others were asked for",
        LeftOut::Named => "it was asked to be left out",
        LeftOut::NeedLeftOut => "something that it needs was left out",
        LeftOut::PassedBefore => "it passed in the run before, and only what failed was asked for",
    }
}
