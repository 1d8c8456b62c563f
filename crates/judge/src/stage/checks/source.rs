//! Checks of what a stage takes from others: they are done by the log, and their outputs are unchanged since
//! publication.

use referee_model::stage::check::{Check, CheckKind};
use referee_model::stage::id::StageId;
use referee_model::stage::life::StageState;
use referee_model::stage::path::StagePathFault;

use super::{Scene, failed, outside, passed};

/// A stage from which something is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSeen {
    pub stage: StageId,
    pub standing: SourceStanding,
}

/// State of a stage from which something is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceStanding {
    /// Unknown, with the reason: the log cannot be trusted.
    Untold(String),
    /// Not done.
    NotDone(StageState),
    /// Done, by another attempt than the one whose outputs were taken.
    OtherAttempt {
        /// 1-based attempt whose outputs were taken.
        taken: u32,
        /// 1-based attempt whose outputs are published.
        published: u32,
    },
    Done,
}

/// An input that another stage published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenSeen {
    /// Path in this stage.
    pub path: String,
    /// Stage that published the input.
    pub stage: StageId,
    /// Path in that stage, as published.
    pub source: String,
    /// Comparison of the files of both stages with the publication.
    pub found: TakenFound,
}

/// Comparison of an input with its publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenFound {
    /// The path there is not inside that stage's directory.
    Outside(StagePathFault),
    /// The other stage published no such file.
    Unpublished,
    /// The published file no longer exists.
    Gone,
    /// The published file was changed.
    Changed,
    /// The file there is as published, but the input differs.
    CopyDiffers,
    /// Both files are as published.
    AsPublished,
}

/// A value that another stage published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueSeen {
    pub name: String,
    /// Stage that published the value.
    pub stage: StageId,
    /// Comparison of the value with its publication.
    pub found: ValueFound,
}

/// Comparison of a value with its publication.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueFound {
    /// The path of its file is not inside that stage's directory.
    Outside(String, StagePathFault),
    /// The outputs of the other stage cannot be used, with the reason.
    SourceBroken(String),
    /// The other stage published no such value; the location where it should be.
    Unpublished(String),
    /// `inputs/params.json` is missing or not a JSON object, with the reason.
    NoParameters(String),
    /// The value is not in `inputs/params.json`.
    NotTaken,
    Differs,
    AsPublished,
}

/// Path of the values that come from other stages.
const PARAMETERS: &str = "inputs/params.json";

/// Judges a stage from which something is taken (PF-06).
pub fn finalized(scene: &Scene, seen: &SourceSeen) -> Check {
    let stage = &seen.stage;
    let wrong = |message: String, action: String| failed(CheckKind::SourceFinalized, stage.as_str(), message, action);
    match &seen.standing {
        SourceStanding::Done => passed(CheckKind::SourceFinalized, stage.as_str(), "it is done and published"),
        SourceStanding::Untold(reason) => wrong(
            format!("whether stage {stage} is done cannot be determined: {reason}"),
            "go on where the run was composed, or take it on as it is with `--adopt`".to_owned(),
        ),
        SourceStanding::NotDone(state) => wrong(
            format!("stage {stage} is not done: it is {}", state.as_str()),
            format!("finish it first: {}", scene.command("finalize", stage)),
        ),
        SourceStanding::OtherAttempt { taken, published } => wrong(
            format!(
                "this stage was prepared from attempt {taken} of {stage}, and attempt {published} is published now"
            ),
            prepare(scene),
        ),
    }
}

/// Judges an input that another stage published (PF-07).
pub fn taken(scene: &Scene, seen: &TakenSeen) -> Check {
    let TakenSeen { path, stage, source, found } = seen;
    let there = scene.file_of(stage, source);
    let wrong = |message: String, action: String| failed(CheckKind::InputSourceExists, path, message, action);
    let again =
        || format!("put it back as it was published, or finish {stage} again: {}", scene.command("finalize", stage));
    match found {
        TakenFound::AsPublished => {
            passed(CheckKind::InputSourceExists, path, format!("it is {source} of {stage}, as it was published"))
        }
        TakenFound::Outside(fault) => outside(CheckKind::PathSecurity, source, *fault),
        TakenFound::Unpublished => wrong(
            format!("stage {stage} did not publish {source}"),
            format!(
                "have {stage} done again with {source} among its outputs: {} --again",
                scene.command("accept", stage)
            ),
        ),
        TakenFound::Gone => wrong(format!("{there}, which {stage} published, is gone"), again()),
        TakenFound::Changed => wrong(format!("{there} is not what {stage} published: it was changed since"), again()),
        TakenFound::CopyDiffers => wrong(format!("it is not {source} as {stage} published it"), prepare(scene)),
    }
}

/// Judges a value that another stage published.
pub fn resolved(scene: &Scene, seen: &ValueSeen) -> Check {
    let ValueSeen { name, stage, found } = seen;
    let wrong = |message: String, action: String| failed(CheckKind::ParamResolved, name, message, action);
    match found {
        ValueFound::AsPublished => {
            passed(CheckKind::ParamResolved, name, format!("it has the value that {stage} published"))
        }
        ValueFound::Outside(path, fault) => outside(CheckKind::PathSecurity, path, *fault),
        ValueFound::SourceBroken(reason) => wrong(
            format!("what {stage} published cannot be used: {reason}"),
            format!("put it back as it was published, or finish {stage} again: {}", scene.command("finalize", stage)),
        ),
        ValueFound::Unpublished(place) => wrong(
            format!("stage {stage} published no value {place}: it was null, or not there"),
            format!("have {stage} done again so that it has a value: {} --again", scene.command("accept", stage)),
        ),
        ValueFound::NoParameters(reason) => wrong(format!("{PARAMETERS} {reason}"), prepare(scene)),
        ValueFound::NotTaken => wrong(format!("it is not in {PARAMETERS}"), prepare(scene)),
        ValueFound::Differs => {
            wrong(format!("{PARAMETERS} gives it another value than {stage} published"), prepare(scene))
        }
    }
}

fn prepare(scene: &Scene) -> String {
    format!("prepare the stage again: {}", scene.command("prepare", &scene.stage))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_as_it_was_published_by_a_stage_that_is_done_passes() {
        let scene = Scene { stage: StageId::parse("specify").unwrap(), run: "/run".to_owned() };
        let stage = StageId::parse("explore").unwrap();
        let standing = |standing| finalized(&scene, &SourceSeen { stage: stage.clone(), standing });
        for state in StageState::ALL {
            assert!(standing(SourceStanding::NotDone(state)).failure.is_some());
        }
        assert!(standing(SourceStanding::Untold("there is no log".to_owned())).failure.is_some());
        assert!(standing(SourceStanding::OtherAttempt { taken: 1, published: 2 }).failure.is_some());
        assert_eq!(standing(SourceStanding::Done).failure, None);

        let file = |found| {
            let (path, source) = ("inputs/a.md".to_owned(), "run/output-files/a.md".to_owned());
            taken(&scene, &TakenSeen { path, stage: stage.clone(), source, found })
        };
        for found in [TakenFound::Unpublished, TakenFound::Gone, TakenFound::Changed, TakenFound::CopyDiffers] {
            let check = file(found);
            assert_eq!(check.kind, CheckKind::InputSourceExists);
            assert!(check.failure.is_some());
        }
        assert_eq!(file(TakenFound::Outside(StagePathFault::LeadsOut)).kind, CheckKind::PathSecurity);
        assert_eq!(file(TakenFound::AsPublished).failure, None);

        let one = |found| resolved(&scene, &ValueSeen { name: "total".to_owned(), stage: stage.clone(), found });
        for found in [
            ValueFound::SourceBroken("it is gone".to_owned()),
            ValueFound::Unpublished("total".to_owned()),
            ValueFound::NoParameters("is not there".to_owned()),
            ValueFound::NotTaken,
            ValueFound::Differs,
        ] {
            let check = one(found);
            assert_eq!(check.kind, CheckKind::ParamResolved);
            assert!(!check.failure.unwrap().action.is_empty());
        }
        assert_eq!(one(ValueFound::AsPublished).failure, None);
    }
}
