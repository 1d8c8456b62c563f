use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::record::service::{
    PortCheck, PortHolder, ProbeObservation, Readiness, ServiceFacts, ServiceRecord, ServiceStart,
};
use referee_model::record::{
    CommandFacts, ContainerFacts, Ending, Executable, Facts, FileFacts, FileObservation, FileState, GlobFacts,
    LeakedProcess, Log, Notice, NoticeCode, Overrun, Record, Redaction, SchemaObservation, Span, StartFailure, Stream,
    StreamMap, SyntaxObservation,
};

use super::{action_id, attempt, digest, http, interaction, maybe, text, texts, time, variables};

fn start_failure() -> impl Strategy<Value = StartFailure> {
    select(StartFailure::ALL.to_vec())
}

fn ending() -> impl Strategy<Value = Ending> {
    prop_oneof![
        any::<i32>().prop_map(|code| Ending::Exited { code }),
        any::<i32>().prop_map(|signal| Ending::Signaled { signal }),
        any::<(u64, bool, bool)>().prop_map(|(timeout_ms, of_task, killed)| Ending::DeadlineExceeded {
            timeout_ms,
            of_task,
            killed
        }),
        any::<bool>().prop_map(|killed| Ending::Interrupted { killed }),
        any::<u64>().prop_map(|limit_bytes| Ending::OutputLimitExceeded { limit_bytes }),
        any::<u64>().prop_map(|limit| Ending::ProcessLimitExceeded { limit }),
        any::<u64>().prop_map(|limit_bytes| Ending::MemoryLimitExceeded { limit_bytes }),
        (start_failure(), text()).prop_map(|(cause, message)| Ending::CouldNotStart { cause, message }),
    ]
}

pub(super) fn log() -> impl Strategy<Value = Log> {
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

pub(super) fn executables() -> impl Strategy<Value = Vec<Executable>> {
    let executable = (text(), text(), maybe(digest()), maybe(text()))
        .prop_map(|(name, path, sha256, version)| Executable { name, path, sha256, version });
    vec(executable, 0..3)
}

fn leaked() -> impl Strategy<Value = Vec<LeakedProcess>> {
    let process = (any::<u32>(), text(), any::<bool>()).prop_map(|(pid, command, held_output)| LeakedProcess {
        pid,
        command,
        held_output,
    });
    vec(process, 0..3)
}

fn command_facts() -> impl Strategy<Value = CommandFacts> {
    (
        (vec(text(), 0..4), text()),
        executables(),
        variables(),
        texts(),
        ending(),
        leaked(),
        maybe(log()),
        maybe(container()),
    )
        .prop_map(
            |((argv, directory), executables, environment, dropped_variables, ending, leaked, log, container)| {
                CommandFacts {
                    argv,
                    directory,
                    executables,
                    environment,
                    dropped_variables,
                    ending,
                    leaked,
                    log,
                    container,
                }
            },
        )
}

fn container() -> impl Strategy<Value = ContainerFacts> {
    (text(), text(), maybe(text()), text(), any::<Option<i32>>()).prop_map(
        |(id, image, image_digest, state, exit_code)| ContainerFacts { id, image, image_digest, state, exit_code },
    )
}

pub(super) fn schema_observation() -> impl Strategy<Value = SchemaObservation> {
    prop_oneof![
        Just(SchemaObservation::Valid),
        (texts(), 0..9_u64)
            .prop_map(|(errors, more)| SchemaObservation::Invalid { error_count: errors.len() as u64 + more, errors }),
        text().prop_map(|message| SchemaObservation::Malformed { message }),
        text().prop_map(|message| SchemaObservation::Unusable { message }),
        Just(SchemaObservation::TooLarge),
    ]
}

fn found() -> impl Strategy<Value = FileState> {
    let answers = || maybe(vec(any::<bool>(), 0..3));
    let syntax = prop_oneof![
        Just(SyntaxObservation::WellFormed),
        text().prop_map(|message| SyntaxObservation::Malformed { message }),
        Just(SyntaxObservation::TooLarge),
    ];
    let file = (
        any::<u64>(),
        maybe(digest()),
        maybe(time()),
        answers(),
        answers(),
        maybe(syntax),
        maybe(schema_observation()),
        maybe(log()),
    )
        .prop_map(|(bytes, sha256, modified, contains, matches, syntax, schema, content)| {
            FileState::File(FileObservation { bytes, sha256, modified, contains, matches, syntax, schema, content })
        });
    prop_oneof![
        Just(FileState::Missing),
        Just(FileState::Directory),
        Just(FileState::Other),
        text().prop_map(|target| FileState::Outside { target }),
        text().prop_map(|message| FileState::Unreadable { message }),
        overrun().prop_map(FileState::DeadlineExceeded),
        file,
    ]
}

fn overrun() -> impl Strategy<Value = Overrun> {
    (any::<u32>(), any::<bool>()).prop_map(|(timeout_ms, of_task)| Overrun { timeout_ms: timeout_ms.into(), of_task })
}

fn glob_facts() -> impl Strategy<Value = GlobFacts> {
    (text(), btree_map(text(), found(), 0..4), any::<bool>(), maybe(text()), maybe(overrun())).prop_map(
        |(pattern, files, truncated, failure, overrun)| GlobFacts {
            pattern,
            files: files.into_iter().map(|(path, found)| FileFacts { path, found }).collect(),
            truncated,
            failure,
            overrun,
        },
    )
}

pub(super) fn port_check() -> impl Strategy<Value = PortCheck> {
    let holder = (any::<u32>(), text(), text(), any::<bool>()).prop_map(|(pid, name, command, own)| PortHolder {
        pid,
        name,
        command,
        own,
    });
    (any::<u16>(), any::<bool>(), vec(holder, 0..3)).prop_map(|(port, in_use, holders)| PortCheck {
        port,
        in_use,
        holders,
    })
}

fn readiness() -> impl Strategy<Value = Readiness> {
    prop_oneof![
        any::<u64>().prop_map(|after_ms| Readiness::Ready { after_ms }),
        Just(Readiness::PortTaken),
        Just(Readiness::ForeignPort),
        ending().prop_map(|ending| Readiness::Ended { ending }),
        any::<(u64, bool)>().prop_map(|(timeout_ms, of_task)| Readiness::DeadlineExceeded { timeout_ms, of_task }),
        Just(Readiness::Interrupted),
        (start_failure(), text()).prop_map(|(cause, message)| Readiness::CouldNotStart { cause, message }),
    ]
}

fn service_facts() -> impl Strategy<Value = ServiceFacts> {
    let start = (vec(text(), 0..4), text(), executables(), variables(), texts(), any::<Option<u32>>()).prop_map(
        |(argv, directory, executables, environment, dropped_variables, pid)| ServiceStart {
            argv,
            directory,
            executables,
            environment,
            dropped_variables,
            pid,
        },
    );
    let probe = (text(), any::<bool>(), any::<u64>(), text(), any::<u64>()).prop_map(
        |(probe, held, attempts, last, duration_ms)| ProbeObservation { probe, held, attempts, last, duration_ms },
    );
    (maybe(start), any::<Option<u16>>(), vec(probe, 0..3), maybe(port_check()), readiness(), maybe(log()), leaked())
        .prop_map(|(started, port, probes, port_check, readiness, log, leaked)| ServiceFacts {
            started,
            port,
            probes,
            port_check,
            readiness,
            log,
            leaked,
        })
}

pub(crate) fn stopped_service() -> impl Strategy<Value = ServiceRecord> {
    (action_id(), attempt(), (time(), time(), any::<u64>()), ending(), any::<bool>(), maybe(log()), leaked(), notices())
        .prop_map(|(action, attempt, (started, ended, duration_ms), ending, in_cleanup, log, leaked, notices)| {
            ServiceRecord {
                action,
                attempt,
                span: Span { started, ended, duration_ms },
                ending,
                in_cleanup,
                log,
                leaked,
                notices,
            }
        })
}

fn notices() -> impl Strategy<Value = Vec<Notice>> {
    let codes = select(NoticeCode::ALL.to_vec());
    vec((codes, text()).prop_map(|(code, message)| Notice { code, message }), 0..3)
}

pub(crate) fn record() -> impl Strategy<Value = Record> {
    let facts = prop_oneof![
        command_facts().prop_map(Facts::Command),
        (text(), found()).prop_map(|(path, found)| Facts::File(FileFacts { path, found })),
        glob_facts().prop_map(Facts::Glob),
        http::facts().prop_map(|facts| Facts::Http(Box::new(facts))),
        service_facts().prop_map(|facts| Facts::Service(Box::new(facts))),
        interaction::facts().prop_map(|facts| Facts::Interaction(Box::new(facts))),
        Just(Facts::NotExecuted),
    ];
    (action_id(), attempt(), time(), time(), any::<u64>(), facts, notices()).prop_map(
        |(action, attempt, started, ended, duration_ms, facts, notices)| Record {
            action,
            attempt,
            span: Span { started, ended, duration_ms },
            facts,
            notices,
        },
    )
}
