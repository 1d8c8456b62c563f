//! Projects enrolled for hooks: the record of each in the user's state directory, and the JSON output of
//! `referee enroll`.

use std::path::{Path, PathBuf};

use referee_model::enrolment::{
    EnrolledBy, Enrolment, EnrolmentRecord, EnrolmentStanding, FleetSettings, Removal, TrustedCommit,
};
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use referee_model::document::{self, DocumentError, Kind};

const KIND: Kind = Kind { name: "the record of an enrolment", key: "enrolmentVersion", version: "1.2.0" };

/// Enrolment of one project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EnrolmentDocument {
    enrolment_version: String,
    /// Absolute path of the project's directory.
    project: String,
    /// Absolute path of the specification. The file may no longer exist.
    specification: String,
    enrolled_by: EnrolledBy,
    since: Timestamp,
    /// Specification of held-out checks, which agents never see. In output, `yes` if its path is withheld: the
    /// path is shown only at a terminal, and never in an agent's shell. Null: none.
    held_out: Option<String>,
    /// Id of the commit that protected files are compared with; a name in records of version 1.0.0. Null: the lock.
    trusted: Option<String>,
    /// Name of that commit at enrolment, which may refer to another commit now. Null: the id was given.
    #[serde(default)]
    trusted_name: Option<String>,
    /// Workers that run the checks that hooks ask for. Null, or missing before version 1.2.0: they run on this machine.
    #[serde(default)]
    fleet: Option<FleetSettings>,
    /// Whether the enrolment is in effect.
    standing: StandingDocument,
    /// Last removal of the enrolment. Null: never removed.
    removal: Option<Removal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum StandingDocument {
    /// Hooks apply to the project.
    Enrolled,
    Removed,
}

/// Output of `referee enroll --list`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrolmentListDocument {
    enrolment_list_version: &'static str,
    /// Enrolments, sorted by path of the project.
    enrolments: Vec<EnrolmentDocument>,
}

/// Renders the record of a project. Returns `None` if one of its paths is not UTF-8.
pub fn render(record: &EnrolmentRecord) -> Option<Result<Vec<u8>, serde_json::Error>> {
    Some(document::to_bytes(&EnrolmentDocument::exactly(record)?))
}

/// Parses the record of a project.
///
/// # Errors
/// Fails for anything that [`render`] does not produce.
pub fn read(bytes: &[u8]) -> Result<EnrolmentRecord, DocumentError> {
    let project: EnrolmentDocument = KIND.read(bytes)?;
    let paths = [Some(&project.project), Some(&project.specification), project.held_out.as_ref()];
    if let Some(path) = paths.into_iter().flatten().find(|path| !Path::new(path).is_absolute()) {
        return Err(KIND.content(format!("{path:?} is not an absolute path")));
    }
    let standing = match (project.standing, project.removal) {
        (StandingDocument::Enrolled, ended_before) => EnrolmentStanding::Enrolled { ended_before },
        (StandingDocument::Removed, Some(removal)) => EnrolmentStanding::Removed(removal),
        (StandingDocument::Removed, None) => return Err(KIND.content("it was removed, and does not say when")),
    };
    let enrolment = Enrolment {
        project: PathBuf::from(project.project),
        specification: PathBuf::from(project.specification),
        by: project.enrolled_by,
        since: project.since,
        held_out: project.held_out.map(PathBuf::from),
        trusted: project.trusted.map(|id| TrustedCommit { id, name: project.trusted_name }),
        fleet: project.fleet,
    };
    Ok(EnrolmentRecord { enrolment, standing })
}

/// Creates the output of `referee enroll --list`.
pub fn list(records: &[EnrolmentRecord]) -> EnrolmentListDocument {
    EnrolmentListDocument {
        enrolment_list_version: "1.0.0",
        enrolments: records.iter().filter_map(EnrolmentDocument::exactly).collect(),
    }
}

impl EnrolmentDocument {
    fn exactly(record: &EnrolmentRecord) -> Option<Self> {
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let EnrolmentRecord { enrolment, standing } = record;
        let held_out = match &enrolment.held_out {
            Some(path) => Some(text(path)?),
            None => None,
        };
        Some(Self {
            enrolment_version: KIND.version.to_owned(),
            project: text(&enrolment.project)?,
            specification: text(&enrolment.specification)?,
            enrolled_by: enrolment.by,
            since: enrolment.since,
            held_out,
            trusted: enrolment.trusted.as_ref().map(|commit| commit.id.clone()),
            trusted_name: enrolment.trusted.as_ref().and_then(|commit| commit.name.clone()),
            fleet: enrolment.fleet.clone(),
            standing: match standing {
                EnrolmentStanding::Enrolled { .. } => StandingDocument::Enrolled,
                EnrolmentStanding::Removed(_) => StandingDocument::Removed,
            },
            removal: record.removal().cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use referee_model::depot::DepotAddress;
    use referee_model::id::{ProjectName, WorkerLabel};
    use serde_json::{Value, json};

    use super::*;

    fn record(standing: EnrolmentStanding) -> EnrolmentRecord {
        EnrolmentRecord {
            enrolment: Enrolment {
                project: "/work/quotes".into(),
                specification: "/work/quotes/referee.yaml".into(),
                by: EnrolledBy::Person,
                since: Timestamp::from_millisecond(1_795_251_924_120),
                held_out: Some("/secret/held-out.yaml".into()),
                trusted: Some(TrustedCommit { id: "4f2c9e1".to_owned(), name: Some("main".to_owned()) }),
                fleet: Some(FleetSettings {
                    labels: [WorkerLabel::parse("gpu").unwrap()].into(),
                    depot: DepotAddress::parse("/mnt/depot").unwrap(),
                    project: Some(ProjectName::parse("quotes").unwrap()),
                    parts: NonZeroUsize::new(4),
                }),
            },
            standing,
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_whatever_its_standing() {
        let removal = Removal { at: Timestamp::from_millisecond(1_795_251_925_000), agent: Some("codex".to_owned()) };
        for standing in [
            EnrolmentStanding::Enrolled { ended_before: None },
            EnrolmentStanding::Enrolled { ended_before: Some(removal.clone()) },
            EnrolmentStanding::Removed(removal),
        ] {
            let record = record(standing);
            assert_eq!(read(&render(&record).unwrap().unwrap()).unwrap(), record);
        }
    }

    #[test]
    fn junk_is_refused_and_named() {
        let good = render(&record(EnrolmentStanding::Enrolled { ended_before: None })).unwrap().unwrap();
        let good: Value = serde_json::from_slice(&good).unwrap();
        let with = |key: &str, value: Value| {
            let mut document = good.clone();
            document[key] = value;
            document.to_string()
        };
        for (text, part) in [
            (with("project", json!("work/quotes")), "not an absolute path"),
            (with("heldOut", json!("held-out.yaml")), "not an absolute path"),
            (
                with("fleet", json!({ "labels": [], "depot": "depot", "project": null, "parts": null })),
                "not an absolute path",
            ),
            (
                with("fleet", json!({ "labels": [], "depot": "http://a/b", "project": null, "parts": null })),
                "not the address",
            ),
            (
                with("fleet", json!({ "labels": ["GPU"], "depot": "s3://evidence", "project": null, "parts": null })),
                "GPU",
            ),
            (with("fleet", json!({ "depot": "s3://evidence" })), "missing field"),
            (with("standing", json!("removed")), "does not say when"),
            (with("standing", json!("gone")), "unknown variant"),
            (with("enrolledBy", json!("an agent")), "unknown variant"),
            (with("enrolmentVersion", json!("2.0.0")), "newer Referee"),
            ("{}".to_owned(), "has no version"),
            (good.to_string()[..40].to_owned(), "cannot read"),
            (String::new(), "cannot read"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
