use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::id::{ExecutionId, TaskId};
use referee_model::record::{Host, RunEnding, RunRecord, SkipReason};
use referee_model::selection::{LeftOut, Scope};

use super::clean_room::clean_room;
use super::{action_id, maybe, profile, stopped_service, text, texts, time};

pub(crate) fn skip_reason() -> impl Strategy<Value = SkipReason> {
    let left_out =
        vec![LeftOut::Profile, LeftOut::NotNamed, LeftOut::Named, LeftOut::NeedLeftOut, LeftOut::PassedBefore];
    prop_oneof![
        action_id().prop_map(SkipReason::PrerequisiteFailed),
        action_id().prop_map(SkipReason::NeedNotMet),
        action_id().prop_map(SkipReason::EarlierFailure),
        Just(SkipReason::DeadlinePassed),
        Just(SkipReason::Interrupted),
        Just(SkipReason::EngineFailed),
        action_id().prop_map(SkipReason::Superseded),
        select(left_out).prop_map(SkipReason::LeftOut),
        Just(SkipReason::SpecificationError),
        Just(SkipReason::NoCleanRoom),
        Just(SkipReason::NotPerformed),
        "T[0-9]{3,8}".prop_map(|id| SkipReason::DependencyNotPassed(TaskId::parse(id).unwrap())),
    ]
}

pub(crate) fn run() -> impl Strategy<Value = RunRecord> {
    let endings = prop_oneof![
        Just(RunEnding::Finished),
        any::<i32>().prop_map(|signal| RunEnding::Interrupted { signal }),
        text().prop_map(|message| RunEnding::Failed { message }),
    ];
    let host = (text(), text(), any::<u32>(), text(), maybe(text())).prop_map(
        |(platform, architecture, process_id, version, agent)| Host {
            platform,
            architecture,
            process_id,
            version,
            agent,
        },
    );
    let executions = "exec-[0-9A-Za-z-]{1,40}".prop_map(|id| ExecutionId::parse(id).unwrap());
    let skipped = btree_map(action_id(), skip_reason(), 0..5);
    let scope = (profile(), any::<bool>()).prop_map(|(profile, reduced)| Scope { profile, reduced });
    // A service is identified by its action and its attempt.
    let services = vec(stopped_service(), 0..3).prop_map(|mut services| {
        services.sort_by_key(|service| (service.action.clone(), service.attempt));
        services.dedup_by_key(|service| (service.action.clone(), service.attempt));
        services
    });
    let run = (executions, time(), time(), endings, host, skipped, scope, services, texts()).prop_map(
        |(execution, started, ended, ending, host, skipped, scope, services, notices)| RunRecord {
            execution,
            started,
            ended,
            ending,
            host,
            skipped,
            scope,
            services,
            notices,
            run_context: referee_model::run_context::RunContext::default(),
        },
    );
    (run, maybe(clean_room())).prop_map(|(mut run, clean_room)| {
        run.run_context.clean_room = clean_room;
        run
    })
}
