//! Any plan, record and run that the model can hold.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::id::{ActionId, Digest, ExecutionId, TaskId, WorkspacePath};
use referee_model::plan::{
    Action, Category, Command, Completion, EvidenceKind, FileCheck, FileContent, FileExpectation, Form, Invocation,
    Phase, Plan, Policies, Role, Specification, Strategy as Blocking, ToolPolicy, Work,
};
use referee_model::record::{
    CommandFacts, Ending, Executable, Facts, FileFacts, FileObservation, Found, Host, LeakedProcess, Log, Notice,
    NoticeCode, Record, Redaction, RunEnding, RunRecord, SkipReason, StartFailure, Stream, StreamMap,
};
use referee_model::time::Timestamp;

fn text() -> impl Strategy<Value = String> {
    "\\PC{0,12}|.{0,12}|[\"\\\\\\x00-\\x1f\\u{2028}😀]{0,4}"
}

fn time() -> impl Strategy<Value = Timestamp> {
    // From the year 1 to the end of 9999.
    (-62_135_596_800_000_i64..=253_402_300_799_999).prop_map(Timestamp::from_millisecond)
}

fn digest() -> impl Strategy<Value = Digest> {
    any::<[u8; 32]>().prop_map(Digest::from_bytes)
}

pub(crate) fn action_id() -> impl Strategy<Value = ActionId> {
    "(STEP|PREREQ|CLEANUP|T001|A_B2)\\.[0-9]{1,3}".prop_map(|id| ActionId::parse(id).unwrap())
}

fn variables() -> impl Strategy<Value = std::collections::BTreeMap<String, String>> {
    btree_map(text(), text(), 0..3)
}

fn ending() -> impl Strategy<Value = Ending> {
    let causes = select(vec![
        StartFailure::NotFound,
        StartFailure::NotExecutable,
        StartFailure::BadFormat,
        StartFailure::BadDirectory,
        StartFailure::System,
    ]);
    prop_oneof![
        any::<i32>().prop_map(|code| Ending::Exited { code }),
        any::<i32>().prop_map(|signal| Ending::Signaled { signal }),
        any::<(u64, bool, bool)>().prop_map(|(limit_ms, of_task, killed)| Ending::DeadlineExceeded {
            limit_ms,
            of_task,
            killed
        }),
        any::<bool>().prop_map(|killed| Ending::Interrupted { killed }),
        any::<u64>().prop_map(|limit_bytes| Ending::OutputLimitExceeded { limit_bytes }),
        (causes, text()).prop_map(|(cause, message)| Ending::CouldNotStart { cause, message }),
    ]
}

fn log() -> impl Strategy<Value = Log> {
    let segments = vec((any::<bool>(), 0..u64::from(u32::MAX)), 0..6);
    let redactions = vec((text(), any::<u64>(), any::<u64>()), 0..3);
    ("[A-Za-z0-9][A-Za-z0-9.-]{0,20}", digest(), segments, redactions, any::<u64>()).prop_map(
        |(file, sha256, segments, redactions, redaction_count)| {
            let mut streams = StreamMap::default();
            for (out, bytes) in segments {
                streams.push(if out { Stream::Stdout } else { Stream::Stderr }, bytes);
            }
            let redaction = |(rule, offset, bytes)| Redaction { rule, offset, bytes };
            Log {
                file,
                bytes: streams.total_bytes(),
                sha256,
                streams,
                redactions: redactions.into_iter().map(redaction).collect(),
                redaction_count,
            }
        },
    )
}

fn command_facts() -> impl Strategy<Value = CommandFacts> {
    let executables = vec((text(), text(), option::of(digest())), 0..3);
    let leaked = vec((any::<u32>(), text(), any::<bool>()), 0..3);
    (vec(text(), 0..4), text(), executables, variables(), vec(text(), 0..3), ending(), leaked, option::of(log()))
        .prop_map(|(argv, directory, executables, environment, dropped_variables, ending, leaked, log)| CommandFacts {
            argv,
            directory,
            executables: executables
                .into_iter()
                .map(|(name, path, sha256)| Executable { name, path, sha256 })
                .collect(),
            environment,
            dropped_variables,
            ending,
            leaked: leaked
                .into_iter()
                .map(|(pid, command, held_output)| LeakedProcess { pid, command, held_output })
                .collect(),
            log,
        })
}

fn found() -> impl Strategy<Value = Found> {
    let answers = || option::of(vec(any::<bool>(), 0..3));
    prop_oneof![
        Just(Found::Missing),
        Just(Found::Folder),
        Just(Found::Other),
        text().prop_map(|target| Found::Outside { target }),
        text().prop_map(|message| Found::Unreadable { message }),
        (any::<u64>(), option::of(digest()), option::of(time()), answers(), answers()).prop_map(
            |(bytes, sha256, modified, contains, matches)| Found::File(FileObservation {
                bytes,
                sha256,
                modified,
                contains,
                matches
            })
        ),
    ]
}

fn notices() -> impl Strategy<Value = Vec<Notice>> {
    let codes = select(vec![
        NoticeCode::LeakedProcess,
        NoticeCode::DroppedVariable,
        NoticeCode::WantedTerminal,
        NoticeCode::Redacted,
        NoticeCode::BrokenPipe,
        NoticeCode::NoPipefail,
    ]);
    vec((codes, text()).prop_map(|(code, message)| Notice { code, message }), 0..3)
}

pub(crate) fn record() -> impl Strategy<Value = Record> {
    let facts = prop_oneof![
        command_facts().prop_map(Facts::Command),
        (text(), found()).prop_map(|(path, found)| Facts::File(FileFacts { path, found })),
    ];
    (action_id(), any::<u32>(), time(), time(), any::<u64>(), facts, notices()).prop_map(
        |(action, attempt, started, ended, duration_ms, facts, notices)| Record {
            action,
            attempt,
            started,
            ended,
            duration_ms,
            facts,
            notices,
        },
    )
}

pub(crate) fn skip_reason() -> impl Strategy<Value = SkipReason> {
    prop_oneof![
        action_id().prop_map(SkipReason::PrerequisiteFailed),
        action_id().prop_map(SkipReason::NeedNotMet),
        action_id().prop_map(SkipReason::EarlierFailure),
        Just(SkipReason::DeadlinePassed),
        Just(SkipReason::Interrupted),
        Just(SkipReason::EngineFailed),
    ]
}

pub(crate) fn run() -> impl Strategy<Value = RunRecord> {
    let endings = prop_oneof![
        Just(RunEnding::Finished),
        any::<i32>().prop_map(|signal| RunEnding::Interrupted { signal }),
        text().prop_map(|message| RunEnding::Failed { message }),
    ];
    let host = (text(), text(), any::<u32>(), text(), option::of(text())).prop_map(
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
    (executions, time(), time(), endings, host, skipped, vec(text(), 0..3)).prop_map(
        |(execution, started, ended, ending, host, skipped, notices)| RunRecord {
            execution,
            started,
            ended,
            ending,
            host,
            skipped,
            notices,
        },
    )
}

fn path() -> impl Strategy<Value = WorkspacePath> {
    "([a-zä .]{1,6}/){0,3}[a-z]{0,4}"
        .prop_map(|path| WorkspacePath::parse(&path).unwrap_or_else(|_| WorkspacePath::root()))
}

fn work() -> impl Strategy<Value = Work> {
    let invocation = prop_oneof![
        vec(text(), 1..4).prop_map(Invocation::Argv),
        (text(), any::<bool>()).prop_map(|(line, pipefail)| Invocation::Shell { line, pipefail }),
    ];
    let roles = vec![Role::Test, Role::Typecheck, Role::Lint, Role::Format, Role::Compile, Role::Other];
    let command = (
        invocation,
        path(),
        variables(),
        vec(0..256, 0..3),
        option::of(select(roles)),
        vec(text(), 0..3),
        any::<bool>(),
    )
        .prop_map(
            |(invocation, directory, environment, expected_exit_codes, role, seen_through, allow_no_tests)| {
                Work::Command(Command {
                    invocation,
                    directory,
                    environment,
                    expected_exit_codes,
                    role,
                    seen_through,
                    allow_no_tests,
                })
            },
        );
    let content = (
        option::of(any::<u64>()),
        option::of(any::<u64>()),
        vec(text(), 0..3),
        vec(text(), 0..3),
        option::of(digest()),
    )
        .prop_map(|(min_size, max_size, contains, matches, sha256)| {
            FileExpectation::Present(FileContent { min_size, max_size, contains, matches, sha256 })
        });
    let expectation = prop_oneof![Just(FileExpectation::Absent), content];
    prop_oneof![
        command,
        (path(), expectation).prop_map(|(path, expectation)| Work::File(FileCheck { path, expectation })),
    ]
}

/// Actions in plan order, each of which needs some that come before it.
fn actions() -> impl Strategy<Value = Vec<Action>> {
    let phases = select(vec![Phase::Prerequisite, Phase::Step, Phase::Cleanup]);
    let action = (phases, text(), work(), any::<(u64, u64, bool)>(), any::<u8>());
    vec(action, 0..6).prop_map(|mut drafts| {
        drafts.sort_by_key(|draft| draft.0);
        let mut actions: Vec<Action> = Vec::new();
        for (number, (phase, name, work, (deadline_ms, grace_ms, continue_on_failure), mask)) in
            drafts.into_iter().enumerate()
        {
            let earlier = actions.iter().enumerate().filter(|(_, action)| action.phase == phase);
            let needed = earlier.filter(|(index, _)| mask >> index & 1 == 1);
            let needs = needed.map(|(_, action)| action.id.clone()).collect();
            let id = ActionId::parse(format!("A.{number}")).unwrap();
            actions.push(Action { id, phase, name, work, needs, deadline_ms, grace_ms, continue_on_failure });
        }
        actions
    })
}

fn policies() -> impl Strategy<Value = Policies> {
    let blocking = || {
        select(vec![
            Blocking::ErrorsAlways,
            Blocking::ErrorsOnly,
            Blocking::ErrorsAndWarnings,
            Blocking::WarnOnly,
            Blocking::Never,
        ])
    };
    let categories =
        select(vec![Category::Linting, Category::TypeChecking, Category::Compilation, Category::Formatting]);
    let tool =
        (any::<(bool, bool)>(), option::of(blocking()), option::of(any::<u64>()), vec(text(), 0..3), vec(text(), 0..3))
            .prop_map(
                |((enabled, treat_warnings_as_errors), block_on, max_warnings, ignored_rules, error_on_rules)| {
                    ToolPolicy {
                        enabled,
                        block_on,
                        treat_warnings_as_errors,
                        max_warnings,
                        ignored_rules,
                        error_on_rules,
                    }
                },
            );
    (btree_map(categories, blocking(), 0..4), btree_map(text(), tool, 0..3))
        .prop_map(|(categories, tools)| Policies { categories, tools })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let evidence = select(vec![
        EvidenceKind::TerminalOutput,
        EvidenceKind::TestExecutionLog,
        EvidenceKind::ApiResponses,
        EvidenceKind::ErrorLogs,
        EvidenceKind::PerformanceMetrics,
        EvidenceKind::Screenshots,
    ]);
    let completion = (any::<(bool, bool)>(), 0.0..=100.0_f64, vec(evidence, 0..3)).prop_map(
        |((all_steps_must_pass, task_status_lock), minimum_pass_rate, required_evidence)| Completion {
            all_steps_must_pass,
            minimum_pass_rate,
            required_evidence,
            task_status_lock,
        },
    );
    let origin = (text(), digest());
    let tasks = "T[0-9]{3,8}".prop_map(|id| TaskId::parse(id).unwrap());
    (
        origin,
        tasks,
        text(),
        ("/[a-zä ]{0,9}", "/[a-zä/]{0,9}"),
        variables(),
        actions(),
        policies(),
        completion,
        option::of(any::<u64>()),
    )
        .prop_map(|(origin, task, title, folders, environment, actions, policies, completion, deadline_ms)| Plan {
            specification: Specification { file: origin.0, form: Form::Short, digest: origin.1 },
            task,
            title,
            workspace: folders.0.into(),
            evidence_root: folders.1.into(),
            environment,
            actions,
            policies,
            completion,
            deadline_ms,
        })
}
