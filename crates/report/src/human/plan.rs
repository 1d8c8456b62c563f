//! The actions that would run, in which order, and why.

use std::io::{self, Write};

use referee_model::id::{ActionId, TaskId};
use referee_model::plan::guard::Setup;
use referee_model::plan::{Action, Evaluator, Phase, Plan};
use referee_model::selection::Profile;
use referee_syntax::count::times;
use referee_syntax::duration;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};
use crate::wording;

mod criteria;
mod policy;
mod work;

/// Column at which values of the heading start.
const VALUES: usize = 15;

/// Column at which details of an action start.
const INDENT: usize = 4;

/// Maximum number of lines of one text.
const LINES_MAX: usize = 8;

/// Writes a plan. `told` holds, for each command with an inferred role, that role and the reason.
pub fn write(plan: &Plan, told: &[(ActionId, String, String)], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    head(plan, &mut page)?;
    problems(plan, &mut page)?;
    for (phase, title) in [(Phase::Prerequisite, "Prerequisites"), (Phase::Step, "Steps"), (Phase::Cleanup, "Cleanup")]
    {
        let mut actions = plan.actions.iter().filter(|action| action.phase == phase).peekable();
        if actions.peek().is_some() {
            page.blank()?;
            page.line(Line::new().then(Tone::Strong, title))?;
        }
        for action in actions {
            let told = told.iter().find(|(id, ..)| *id == action.id);
            write_action(plan, action, told, &mut page)?;
        }
    }
    criteria::write(&plan.criteria, &mut page)?;
    if !(plan.policies.categories.is_empty() && plan.policies.tools.is_empty()) {
        page.blank()?;
        policy::write(&plan.policies, &mut page)?;
    }
    Ok(())
}

fn head(plan: &Plan, page: &mut Page<'_>) -> io::Result<()> {
    let mut line = Line::new().then(Tone::Strong, plan.task.as_str());
    if plan.title != plan.task.as_str() {
        line = line.word(Tone::Plain, &plan.title);
    }
    page.line(line)?;
    let deadline =
        plan.timeout_ms.map_or("none over all".to_owned(), |limit| format!("{} over all", duration::short(limit)));
    let depends_on: Vec<&str> = plan.depends_on.iter().map(TaskId::as_str).collect();
    let rows = [
        ("specification", Some(plan.specification.file.clone())),
        ("sprint", plan.sprint.clone()),
        ("workspace", Some(plan.workspace.display().to_string())),
        ("evidence", Some(plan.evidence_root.join(plan.task.as_str()).display().to_string())),
        ("after", (!depends_on.is_empty()).then(|| format!("{} passed", depends_on.join(", ")))),
        ("deadline", Some(deadline)),
        ("order", plan.parallel.then(|| "steps run at once, as far as their needs allow".to_owned())),
        ("profile", (plan.profile != Profile::Strict).then(|| profile(plan.profile))),
        ("red phase", plan.red_phase.then(|| "its tests are expected to fail".to_owned())),
        ("retries", plan.flaky_fails.then(|| "a pass after a failure blocks".to_owned())),
        ("debt", (!plan.debt.enabled).then(|| "none is kept".to_owned())),
        ("setup", plan.guard.setup.as_ref().map(setup)),
        ("pins", (!plan.guard.pins.is_empty()).then(|| pins(plan))),
        ("outputs", (!plan.guard.outputs.is_empty()).then(|| plan.guard.outputs.join(", "))),
        ("evaluator", plan.evaluator.as_ref().map(evaluator)),
        ("complete when", Some(completion(plan))),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            let lead = Line::new().then(Tone::Faint, name).padded_to(VALUES);
            page.paragraph(lead, VALUES, Tone::Plain, &value, LINES_MAX)?;
        }
    }
    Ok(())
}

fn profile(profile: Profile) -> String {
    format!("{}: a reduced run, which never counts as done", profile.as_str())
}

fn setup(setup: &Setup) -> String {
    format!("in a clean room: {}, at most {}", setup.command, duration::short(setup.timeout_ms))
}

fn pins(plan: &Plan) -> String {
    let pins: Vec<String> = plan.guard.pins.iter().map(|(name, digest)| format!("{name} is {digest}")).collect();
    pins.join(", ")
}

fn evaluator(evaluator: &Evaluator) -> String {
    let (start, what) = wording::asked::work(&evaluator.action().work);
    format!("{start} {what}, at most {}", duration::short(evaluator.timeout_ms))
}

fn completion(plan: &Plan) -> String {
    if plan.completion.all_steps_must_pass {
        "every step passed, or failed without blocking".to_owned()
    } else {
        format!("{} % of the steps passed, or failed without blocking", plan.completion.minimum_pass_rate)
    }
}

/// Writes the problems that keep the task from running.
fn problems(plan: &Plan, page: &mut Page<'_>) -> io::Result<()> {
    if plan.problems.is_empty() {
        return Ok(());
    }
    page.blank()?;
    page.line(Line::new().then(Tone::Bad, "It cannot run"))?;
    for problem in &plan.problems {
        let place = wording::place(&plan.specification.file, Some(problem.line), Some(problem.column));
        let mut lead = Line::indented(2).then(Tone::Bad, page.signs().bad).word(Tone::Place, &place);
        if let Some(action) = &problem.action {
            lead = lead.word(Tone::Faint, action.as_str());
        }
        page.paragraph(lead.then(Tone::Plain, "  "), INDENT, Tone::Plain, &problem.message, LINES_MAX)?;
    }
    Ok(())
}

fn write_action(
    plan: &Plan,
    action: &Action,
    told: Option<&(ActionId, String, String)>,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let line = Line::indented(2).then(Tone::Faint, action.id.as_str()).word(Tone::Strong, &action.name);
    if work::takes_time(&action.work) {
        let limit = format!("at most {}", duration::short(action.timeout_ms));
        page.line_and_right(line, Line::new().then(Tone::Faint, &limit))?;
    } else {
        page.line(line)?;
    }
    let (start, what) = wording::asked::work(&action.work);
    let lead = Line::indented(INDENT).then(Tone::Faint, &start).then(Tone::Plain, " ");
    page.paragraph(lead, INDENT + 2, Tone::Place, &what, LINES_MAX)?;
    for sentence in work::sentences(&action.work, told) {
        page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, &sentence, LINES_MAX)?;
    }
    for sentence in remarks(plan, action) {
        page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, &sentence, LINES_MAX)?;
    }
    Ok(())
}

/// Returns the remarks that apply to every kind of action.
fn remarks(plan: &Plan, action: &Action) -> Vec<String> {
    let mut sentences = Vec::new();
    if !action.needs.is_empty() {
        let needs: Vec<String> = action.needs.iter().map(|need| named(plan, need)).collect();
        sentences.push(format!("after {}", needs.join(", ")));
    }
    if action.retries > 0 {
        sentences.push(format!("tried again up to {} where it fails and blocks", times(action.retries)));
    }
    if let Some(expected) = &action.expect {
        sentences.extend(expected.outcome.map(|outcome| format!("expected to come out as {}", outcome.as_str())));
        let tests = |names: &[String], how: &str| {
            (!names.is_empty()).then(|| format!("tests that {how}: {}", names.join(", ")))
        };
        sentences.extend(tests(&expected.fail_to_pass, "failed before and must pass now"));
        sentences.extend(tests(&expected.pass_to_pass, "must still pass"));
    }
    if !action.continue_on_failure && action.phase == Phase::Step {
        sentences.push("no further step runs where it fails and blocks".to_owned());
    }
    sentences
}

fn named(plan: &Plan, id: &ActionId) -> String {
    plan.action(id).map_or_else(|| id.to_string(), |action| format!("{id} {}", action.name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{self, colored, plain, run_context, runs};

    fn told(style: Style, out: &mut dyn Write) -> io::Result<()> {
        let plan = runs::various_plan();
        let told: Vec<_> = [("PREREQ.1", "other", ""), ("STEP.1", "typecheck", "the program is tsc")]
            .map(|(id, role, because)| (fixture::id(id), role.to_owned(), because.to_owned()))
            .to_vec();
        write(&plan, &told, &style, out)
    }

    #[test]
    fn a_plan_says_what_would_run_and_why() {
        insta::assert_snapshot!(plain(100, told));
        insta::assert_snapshot!(colored(100, told));
        insta::assert_snapshot!(plain(40, told));
    }

    #[test]
    fn a_plan_says_what_is_asked_of_servers_and_what_holds_over_all() {
        let full = |style: Style, out: &mut dyn Write| write(&run_context::full_plan(), &[], &style, out);
        insta::assert_snapshot!(plain(100, full));
    }
}
