use std::collections::BTreeMap;

use referee_model::stage::id::{StageId, StageRunId};
use referee_model::stage::standing::StandingName;
use referee_model::time::Timestamp;

use super::*;
use crate::stage::standing::LogStanding;
use crate::style::Verbosity;

fn status(id: &str, state: Option<StageState>) -> StageStatus {
    StageStatus {
        stage_id: StageId::parse(id).unwrap(),
        state,
        recorded: Some(WfRunStatus::Pending),
        attempt: 0,
        started_at: None,
        control_since: None,
        completed_at: None,
        handed_back: false,
        question: None,
        incident: None,
        sources: BTreeMap::new(),
        outdated: Vec::new(),
        contradictions: Vec::new(),
        next: None,
        next_command: None,
    }
}

fn written(document: &StageStatusDocument, width: usize) -> String {
    let style = Style { color: false, unicode: true, width, interactive: false, verbosity: Verbosity::Normal };
    let mut out = Vec::new();
    write(document, &style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_millisecond(1_795_251_924_000 + second * 1_000)
}

#[test]
fn stages_are_told_in_their_order_with_what_is_to_be_done() {
    let mut document = StageStatusDocument::of("/runs/run-2026-11-22-001".to_owned(), LogStanding::Kept);
    document.run_id = Some(StageRunId::new("2026-11-22", 1).unwrap());
    let mut specify = status("specify", Some(StageState::Completed));
    (specify.attempt, specify.started_at, specify.completed_at) = (2, Some(at(0)), Some(at(60)));
    let mut explore = status("explore", Some(StageState::Blocked));
    explore.attempt = 1;
    explore.question = Some(StatusQuestion {
        message: "run/messages/m-001.json".to_owned(),
        asked_at: Some(at(5)),
        text: Some("Which of the two?\n\u{1b}[2Jone or other".to_owned()),
    });
    explore.outdated =
        vec!["explore was prepared from attempt 1 of specify, and attempt 2 is published now".to_owned()];
    explore.next = Some("it waits for an answer".to_owned());
    explore.next_command = Some("referee stage answer explore -r runs/run-2026-11-22-001".to_owned());
    let mut plan = status("plan", Some(StageState::Active));
    (plan.attempt, plan.control_since) = (1, Some(at(9)));
    plan.contradictions = vec![Objection {
        name: StandingName::NotAsComposed,
        message: "stages/plan/prompt/main.md was changed after it was composed".to_owned(),
        action: "put it back as it was".to_owned(),
    }];
    document.stages = vec![specify, explore, plan];
    insta::assert_snapshot!(written(&document, 100));
}

#[test]
fn a_run_that_nothing_vouches_for_is_told_so_first() {
    let mut document = StageStatusDocument::of("/fixture".to_owned(), LogStanding::Absent);
    document.log_problem = Some("the run has no log, so nothing vouches for it".to_owned());
    document.stages = vec![status("explore", None)];
    insta::assert_snapshot!(written(&document, 100));
}
