//! Incidents in a directory of their own, for tests.

use std::path::PathBuf;

use referee_exec::{Clock, Confines, Host};
use referee_ledger::State;
use referee_ledger::attest::Signer;
use referee_ledger::incidents::{Change, Part, PartFile};
use referee_ledger::key::PrivateKey;
use referee_ledger::redact::Redactor;
use referee_ledger::trust::{Role, TrustStore};
use referee_model::incident::id::IncidentId;
use referee_model::incident::status::IncidentStatus;
use referee_model::time::Timestamp;
use serde_json::{Value, json};

use super::IncidentService;

/// A directory of incidents, and a user's state directory beside it.
pub(super) struct IncidentFixture {
    directory: tempfile::TempDir,
}

pub(super) fn id() -> IncidentId {
    IncidentId::parse("incident_1").unwrap()
}

pub(super) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millisecond(seconds * 1_000)
}

pub(super) fn signer() -> Signer {
    PrivateKey::generate().unwrap().into()
}

/// Returns a plan with these verification commands: a planner's own begin with `planner:`.
pub(super) fn plan(summary: &str, commands: &[&str]) -> Value {
    let origin = |command: &&str| match command.strip_prefix("planner:") {
        Some(_) => json!({ "origin": "planner", "command": command }),
        None => json!({ "origin": "check", "command": command, "action": "STEP.1" }),
    };
    json!({
        "incident_id": "incident_1",
        "generated_at": "2026-02-17T03:15:00+00:00",
        "revision": 1,
        "summary": summary,
        "evidence": [],
        "evidence_quality": {
            "total_count": 0, "signal_count": 0, "strong_signal_count": 0, "weak_signal_count": 0,
            "has_failure_signal": false, "score": 0.0, "assessment": "weak", "strongest_evidence_ids": []
        },
        "root_cause_hypotheses": [],
        "hypothesis_evidence_map": [],
        "cause_analysis": [],
        "unknowns": [],
        "actions": [{
            "id": "A1", "title": "Fix it", "priority": "P0", "risk": "low", "target_paths": ["src/a.rs"], "verification": []
        }],
        "verification_commands": commands,
        "verification": commands.iter().map(origin).collect::<Vec<_>>(),
        "done_criteria": ["it passes"]
    })
}

impl IncidentFixture {
    /// Creates a fixture with an incident of this status whose plan has no commands of a planner.
    pub(super) fn with(status: IncidentStatus) -> Self {
        let place = Self { directory: tempfile::tempdir().unwrap() };
        let incident = json!({
            "incident_id": "incident_1", "status": status.as_str(), "created_at": "1970-01-01T00:00:01+00:00",
            "updated_at": "1970-01-01T00:00:01+00:00", "step": "types", "failure_class": "verification",
            "message": "token=hunter2 is wrong", "plan_revision": 1
        });
        let incident = referee_model::incident::read(incident.to_string().as_bytes()).unwrap();
        let files =
            vec![file("plan.json", plan("Fix it", &["npx tsc"]).to_string().as_bytes()), file("plan.md", b"# Plan\n")];
        let change = Change { files, ..Change::of(incident, "capture", "test") };
        assert!(place.service(1).context("test").incidents.add(change, at(1)).unwrap());
        place
    }

    pub(super) fn state(&self) -> State {
        State::open(&self.directory.path().join("state")).unwrap()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Returns the incident service at a time in seconds.
    pub(super) fn service(&self, seconds: i64) -> IncidentService {
        let host = Host {
            environment: Vec::new(),
            shim: PathBuf::new(),
            controlling_terminal: false,
            clock: Clock::starting_at(at(seconds)),
            confines: Confines::default(),
        };
        IncidentService::open(&self.path("reports"), self.state(), host, Redactor::new(Vec::new(), Vec::new())).unwrap()
    }

    pub(super) fn trust(&self, signer: &Signer, name: &str) {
        TrustStore::trust(&self.state(), signer.public(), name, Role::Approver, (at(0), None)).unwrap();
    }

    /// Overwrites a file of the incident without the store, as an agent could.
    #[expect(clippy::disallowed_methods, reason = "somebody meddles")]
    pub(super) fn meddle(&self, name: &str, bytes: &[u8]) {
        let path = self.path("reports").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    #[expect(clippy::disallowed_methods, reason = "what is there is looked at")]
    pub(super) fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path("reports").join(name)).ok()
    }

    pub(super) fn status(&self) -> IncidentStatus {
        self.service(1).context("test").find(&id()).unwrap().incident.status
    }
}

fn file(name: &str, bytes: &[u8]) -> PartFile {
    PartFile { part: Part::Plan, name: name.to_owned(), bytes: bytes.to_vec() }
}
