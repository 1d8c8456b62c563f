use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use referee_model::condition::{self, Condition};
use referee_model::id::{ActionId, TaskId};
use referee_model::limit;
use referee_model::outcome::Outcome;
use referee_model::plan::service::{Port, PrerequisiteKind, Probe, Service};
use referee_model::plan::{
    Action, Category, Command, Completion, Container, ContainerOperation, ContainerProgram, Criteria,
    CriticalSeverities, DataSyntax, DebtPolicy, DebtRouting, EvidenceCapture, EvidenceKind, Expectation,
    ExpectedOutput, FileCheck, FileContent, FileExpectation, FileRoot, Form, Invocation, Phase, Plan, Policies, Role,
    SchemaSource, Shell, Specification, SpecificationProblem, StepOrder, Strategy as Blocking, Template, ToolPolicy,
    Work,
};
use referee_model::selection::Level;
use referee_model::severity::Severity;

use super::{digest, http, interaction, json, maybe, name, path, profile, text, texts, variables};

/// Conditions of every form of the condition language.
const CONDITIONS: [&str; 8] = [
    "STEP.4.exitCode === 0",
    "STEP.4.exitCode === 0 || STEP.4.exitCode === 1",
    "PREREQ.3.failed === true",
    "STEP.5.statusCode >= 200 && STEP.5.statusCode < 500",
    "STEP['1'].success === true && !(STEP[2].stdout.includes('v'))",
    "Array.isArray(STEP['2'].body) && STEP['2'].body.length > 0",
    "eslint.errorCount === 0",
    "exitCode !== 1",
];

pub(super) fn template() -> impl Strategy<Value = Template> {
    let piece = prop_oneof![text().prop_map(Ok), name().prop_map(Err)];
    vec(piece, 0..4).prop_map(|pieces| {
        let mut template = Template::default();
        for piece in pieces {
            match piece {
                Ok(text) => template.push_text(&text),
                Err(name) => template.push_captured(name),
            }
        }
        template
    })
}

pub(super) fn schema_source() -> impl Strategy<Value = SchemaSource> {
    prop_oneof![json().prop_map(SchemaSource::Inline), path().prop_map(SchemaSource::File)]
}

fn container() -> impl Strategy<Value = Container> {
    let programs = vec![ContainerProgram::Any, ContainerProgram::Docker, ContainerProgram::Podman];
    let operations = select(ContainerOperation::ALL.to_vec());
    (select(programs), texts(), operations, texts(), any::<bool>()).prop_map(
        |(program, global_options, operation, arguments, detached)| Container {
            program,
            global_options,
            operation,
            arguments,
            detached,
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let shells = Shell::ALL.to_vec();
    let invocation = prop_oneof![
        vec(text(), 1..4).prop_map(Invocation::Argv),
        container().prop_map(|container| Invocation::Container(Box::new(container))),
        (text(), any::<bool>(), select(shells)).prop_map(|(line, pipefail, shell)| Invocation::Shell {
            line,
            pipefail,
            shell
        }),
    ];
    let roles = Role::ALL.to_vec();
    (
        invocation,
        path(),
        variables(),
        btree_map(text(), template(), 0..3),
        maybe(path()),
        vec(any::<i32>(), 0..3),
        maybe(select(roles)),
        texts(),
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(
                invocation,
                directory,
                environment,
                late_environment,
                script,
                expected_exit_codes,
                role,
                seen_through,
                [allow_no_tests, exit_code_only],
            )| {
                Command {
                    invocation,
                    directory,
                    environment,
                    late_environment,
                    script,
                    expected_exit_codes,
                    role,
                    seen_through,
                    allow_no_tests,
                    exit_code_only,
                }
            },
        )
}

fn file_check() -> impl Strategy<Value = FileCheck> {
    let content = (
        any::<(Option<u64>, Option<u64>)>(),
        texts(),
        texts(),
        maybe(digest()),
        maybe(select(vec![DataSyntax::Json, DataSyntax::Yaml])),
        maybe(schema_source()),
        any::<bool>(),
    )
        .prop_map(|((min_size, max_size), contains, matches, sha256, syntax, schema, unspecified)| {
            FileExpectation::Present(FileContent {
                min_size,
                max_size,
                contains,
                matches,
                sha256,
                syntax,
                schema,
                unspecified,
            })
        });
    let root = prop_oneof![
        Just(FileRoot::Workspace),
        "/[a-zä/]{0,9}".prop_map(|directory| FileRoot::Listed(directory.into()))
    ];
    (root, path(), any::<bool>(), prop_oneof![Just(FileExpectation::Absent), content])
        .prop_map(|(root, path, glob, expectation)| FileCheck { root, path, glob, expectation })
}

fn service() -> impl Strategy<Value = Service> {
    let port = || prop_oneof![any::<u16>().prop_map(Port::Fixed), name().prop_map(Port::Auto)];
    let probe = prop_oneof![
        (template(), any::<bool>()).prop_map(|(url, verify_tls)| Probe::Url { url, verify_tls }),
        port().prop_map(Probe::Port),
        (text(), any::<u16>()).prop_map(|(host, port)| Probe::Address { host, port }),
        text().prop_map(Probe::Output),
    ];
    let kinds = PrerequisiteKind::ALL.to_vec();
    (maybe(command()), vec(probe, 0..3), maybe(port()), any::<bool>(), select(kinds))
        .prop_map(|(command, ready, port, external, kind)| Service { command, ready, port, external, kind })
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        command().prop_map(Work::Command),
        file_check().prop_map(Work::File),
        http::request().prop_map(|request| Work::Http(Box::new(request))),
        service().prop_map(|service| Work::Service(Box::new(service))),
        interaction::interaction().prop_map(|interaction| Work::Interaction(Box::new(interaction))),
    ]
}

fn expectation() -> impl Strategy<Value = Expectation> {
    (maybe(select(Outcome::ALL.to_vec())), texts(), texts())
        .prop_map(|(outcome, fail_to_pass, pass_to_pass)| Expectation { outcome, fail_to_pass, pass_to_pass })
}

/// Actions in plan order, each of which needs some earlier ones of its phase or an earlier phase.
fn actions() -> impl Strategy<Value = Vec<Action>> {
    let phases = select(vec![Phase::Prerequisite, Phase::Step, Phase::Cleanup]);
    let numbers = (any::<(u64, u64, bool)>(), 0..=limit::RETRIES);
    let levels = maybe(select(vec![Level::Smoke, Level::Fast, Level::Strict]));
    let action = (phases, text(), work(), numbers, maybe(expectation()), any::<[bool; 4]>(), levels, any::<u8>());
    vec(action, 0..5).prop_map(|mut drafts| {
        drafts.sort_by_key(|draft| draft.0);
        let mut actions: Vec<Action> = Vec::new();
        for (number, (phase, name, work, (limits, retries), expect, kept, level, mask)) in
            drafts.into_iter().enumerate()
        {
            let needed = actions.iter().enumerate().filter(|(index, _)| mask >> index & 1 == 1);
            let needs = needed.map(|(_, action)| action.id.clone()).collect();
            let (timeout_ms, grace_ms, continue_on_failure) = limits;
            let [stdout, stderr, exchange, file_contents] = kept;
            actions.push(Action {
                id: ActionId::parse(format!("A.{number}")).unwrap(),
                phase,
                name,
                work,
                needs,
                timeout_ms,
                grace_ms,
                continue_on_failure,
                retries,
                expect,
                evidence: EvidenceCapture { stdout, stderr, exchange, file_contents, duration: !file_contents },
                level,
                prerequisite: None,
            });
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
    let tool = (any::<[bool; 4]>(), maybe(blocking()), any::<Option<u64>>(), texts(), texts()).prop_map(
        |(flags, block_on, max_warnings, ignored_rules, error_on_rules)| {
            let [enabled, treat_warnings_as_errors, strict_mode, allow_implicit_any] = flags;
            ToolPolicy {
                enabled,
                block_on,
                treat_warnings_as_errors,
                max_warnings,
                ignored_rules,
                error_on_rules,
                strict_mode,
                allow_implicit_any,
            }
        },
    );
    let critical = any::<[bool; 2]>().prop_map(|[warnings, infos]| CriticalSeverities { warnings, infos });
    (btree_map(categories, blocking(), 0..4), btree_map(text(), tool, 0..3), critical, maybe(text()))
        .prop_map(|(categories, tools, critical, rationale)| Policies { categories, tools, critical, rationale })
}

fn completion() -> impl Strategy<Value = Completion> {
    let evidence = select(EvidenceKind::ALL.to_vec());
    (any::<(bool, bool)>(), 0.0..=100.0_f64, vec(evidence, 0..3)).prop_map(
        |((all_steps_must_pass, task_status_lock), minimum_pass_rate, required_evidence)| Completion {
            all_steps_must_pass,
            minimum_pass_rate,
            required_evidence,
            task_status_lock,
        },
    )
}

fn criteria() -> impl Strategy<Value = Criteria> {
    let conditions = || {
        let condition = (select(CONDITIONS.to_vec()), text()).prop_map(|(condition, description)| Condition {
            text: condition.to_owned(),
            description,
            expression: condition::parse(condition).unwrap(),
        });
        vec(condition, 0..3)
    };
    let output =
        (texts(), any::<(Option<bool>, Option<i32>)>()).prop_map(|(stdout_contains, (stderr_empty, exit_code))| {
            ExpectedOutput { stdout_contains, stderr_empty, exit_code }
        });
    (conditions(), conditions(), maybe(output)).prop_map(|(success, failure, expected_output)| Criteria {
        success,
        failure,
        expected_output,
    })
}

fn debt() -> impl Strategy<Value = DebtPolicy> {
    let routings = select(vec![DebtRouting::CapacityBased, DebtRouting::SeverityBased, DebtRouting::Manual]);
    let severities = select(Severity::ALL.to_vec());
    (any::<(bool, u32, u32)>(), routings, vec(severities, 0..4)).prop_map(
        |((enabled, sprint_items_max, sprint_critical_max), routing, severities)| DebtPolicy {
            enabled,
            routing,
            sprint_items_max,
            sprint_critical_max,
            severities,
        },
    )
}

/// Parts of a problem: the action concerned, message, pointer, keyword, line and column.
type Parts = (Option<prop::sample::Index>, String, String, String, u32, u32);

fn problems(actions: &[Action]) -> impl Strategy<Value = Vec<SpecificationProblem>> + use<> {
    let ids: Vec<ActionId> = actions.iter().map(|action| action.id.clone()).collect();
    let problem = (any::<Option<prop::sample::Index>>(), text(), text(), text(), 1..=u32::MAX, 1..=u32::MAX);
    vec(problem, 0..3).prop_map(move |problems| {
        let about =
            |index: Option<prop::sample::Index>| index.filter(|_| !ids.is_empty()).map(|index| index.get(&ids).clone());
        let problem = |(index, message, pointer, keyword, line, column): Parts| SpecificationProblem {
            action: about(index),
            message,
            pointer,
            schema_path: (line % 2 == 0).then(|| format!("#/{keyword}")),
            allowed: if line % 3 == 0 { vec![keyword.clone()] } else { Vec::new() },
            keyword,
            line,
            column,
        };
        problems.into_iter().map(problem).collect()
    })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    let task = || "T[0-9]{3,8}".prop_map(|id| TaskId::parse(id).unwrap());
    let origin = (text(), select(vec![Form::Short, Form::Full]), digest(), text(), maybe(text()));
    let directories = ("/[a-zä ]{0,9}", "/[a-zä/]{0,9}");
    let actions = actions().prop_flat_map(|actions| {
        let problems = problems(&actions);
        (Just(actions), problems)
    });
    let order = (select(vec![StepOrder::Listed, StepOrder::Free]), profile(), vec(task(), 0..3));
    let rules = (policies(), completion(), criteria(), debt());
    let plan =
        (origin, task(), directories, variables(), actions, rules, any::<[bool; 3]>(), order, any::<Option<u64>>());
    let plan = plan.prop_map(
        |(origin, task, directories, environment, (actions, problems), rules, flags, order, timeout_ms)| {
            let (file, form, digest, title, sprint) = origin;
            let (policies, completion, criteria, debt) = rules;
            let [red_phase, flaky_fails, parallel] = flags;
            let (step_order, profile, depends_on) = order;
            Plan {
                specification: Specification { file, form, digest },
                depends_on: depends_on.into_iter().filter(|other| other != &task).collect(),
                task,
                title,
                sprint,
                workspace: directories.0.into(),
                part_workspaces: Vec::new(),
                evidence_root: directories.1.into(),
                environment,
                actions,
                policies,
                completion,
                criteria,
                red_phase,
                flaky_fails,
                debt,
                evaluator: None,
                step_order,
                parallel,
                profile,
                problems,
                timeout_ms,
                guard: referee_model::plan::Guard::default(),
            }
        },
    );
    (plan, super::clean_room::set_up_and_pins()).prop_map(|(plan, guard)| Plan { guard, ..plan })
}
