//! Checks of a stage's configuration: it exists, is valid, belongs to this stage, and is as it was composed.

use referee_model::stage::check::{Check, CheckKind};

use super::{Scene, failed, passed};

const STAGE_CONFIG: &str = "stage-config.yaml";

/// Observation of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigurationSeen {
    /// There is no configuration.
    Absent,
    /// The configuration is invalid, with all errors.
    Broken(Vec<String>),
    /// The configuration is that of another stage.
    OtherStage(String),
    Read,
}

/// Returns the checks of a configuration: both if it is valid, else the one that failed (PF-04).
pub fn checks(scene: &Scene, seen: &ConfigurationSeen) -> Vec<Check> {
    let there = || passed(CheckKind::ConfigExists, STAGE_CONFIG, "it is there");
    let anew = "compose the run again from its workflow: `referee stage compose`";
    let wrong = |message: String| failed(CheckKind::ConfigValid, STAGE_CONFIG, message, anew);
    match seen {
        ConfigurationSeen::Absent => {
            let message = format!("{} is not there, or is not a regular file", scene.file(STAGE_CONFIG));
            vec![failed(CheckKind::ConfigExists, STAGE_CONFIG, message, anew)]
        }
        ConfigurationSeen::Broken(complaints) => {
            let mut check = wrong("it cannot be read as the configuration of a stage".to_owned());
            if let Some(failure) = &mut check.failure {
                failure.details.clone_from(complaints);
            }
            vec![there(), check]
        }
        ConfigurationSeen::OtherStage(id) => {
            vec![there(), wrong(format!("it is the configuration of {id}, and this is {}", scene.stage))]
        }
        ConfigurationSeen::Read => {
            vec![there(), passed(CheckKind::ConfigValid, STAGE_CONFIG, "it can be read")]
        }
    }
}

/// Returns the failed check of a stage that is not as it was composed.
pub fn not_as_composed(scene: &Scene, message: &str, action: &str) -> Check {
    failed(CheckKind::AsComposed, &format!("stages/{}", scene.stage), message, action)
}

/// Returns the failed check if nothing is declared that could be judged.
pub fn nothing_declared() -> Check {
    failed(
        CheckKind::ConfigValid,
        STAGE_CONFIG,
        "it declares no output, so there is nothing that could be judged",
        "declare what the stage writes below `outputs` in wf.yaml, and compose the run again",
    )
}

/// Returns the failed check if all declared outputs are optional and absent.
pub fn nothing_written(scene: &Scene) -> Check {
    failed(
        CheckKind::FileExists,
        "run",
        "none of the outputs is there, so there is nothing that could be judged",
        format!("write at least one of the outputs that {} declares", scene.file(STAGE_CONFIG)),
    )
}

#[cfg(test)]
mod tests {
    use referee_model::stage::id::StageId;

    use super::*;

    #[test]
    fn a_configuration_fails_by_the_name_of_what_is_wrong_with_it() {
        let scene = Scene { stage: StageId::parse("explore").unwrap(), run: "/run".to_owned() };
        let names = |seen| {
            let checks = checks(&scene, &seen);
            let name = |check: &Check| (check.kind.as_str(), check.failure.is_none());
            checks.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(ConfigurationSeen::Absent), [("config_exists", false)]);
        assert_eq!(
            names(ConfigurationSeen::Broken(vec!["line 1: no".to_owned()])),
            [("config_exists", true), ("config_valid", false)]
        );
        assert_eq!(
            names(ConfigurationSeen::OtherStage("specify".to_owned())),
            [("config_exists", true), ("config_valid", false)]
        );
        assert_eq!(names(ConfigurationSeen::Read), [("config_exists", true), ("config_valid", true)]);
    }
}
