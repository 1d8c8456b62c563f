//! What would run, in which order, and why.

use std::io::{self, Write};

use referee_model::id::ActionId;
use referee_model::plan::{
    Action, Category, Command, FileCheck, FileContent, FileExpectation, Phase, Plan, Policies, Strategy, ToolPolicy,
    Work,
};

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone};
use crate::wording;

/// Column at which values of the head stand.
const VALUES: usize = 15;

/// Column at which what belongs to an action begins.
const INDENT: usize = 4;

/// Lines that one text may take.
const LINES_MAX: usize = 8;

/// Writes a plan. `told` holds, for each command, the role that it was told to have and the reason.
pub fn write(plan: &Plan, told: &[(ActionId, String, String)], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    head(plan, &mut page)?;
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
    if !(plan.policies.categories.is_empty() && plan.policies.tools.is_empty()) {
        page.blank()?;
        policies(&plan.policies, &mut page)?;
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
        plan.deadline_ms.map_or("none over all".to_owned(), |limit| format!("{} over all", wording::duration(limit)));
    let rows = [
        ("specification", plan.specification.file.clone()),
        ("workspace", plan.workspace.display().to_string()),
        ("evidence", plan.evidence_root.join(plan.task.as_str()).display().to_string()),
        ("deadline", deadline),
        ("complete when", completion(plan)),
    ];
    for (name, value) in rows {
        let lead = Line::new().then(Tone::Faint, name).padded_to(VALUES);
        page.paragraph(lead, VALUES, Tone::Plain, &value, LINES_MAX)?;
    }
    Ok(())
}

fn completion(plan: &Plan) -> String {
    if plan.completion.all_steps_must_pass {
        "every step passed, or failed without blocking".to_owned()
    } else {
        format!("{} % of the steps passed, or failed without blocking", plan.completion.minimum_pass_rate)
    }
}

fn write_action(
    plan: &Plan,
    action: &Action,
    told: Option<&(ActionId, String, String)>,
    page: &mut Page<'_>,
) -> io::Result<()> {
    let line = Line::indented(2).then(Tone::Faint, action.id.as_str()).word(Tone::Strong, &action.name);
    match &action.work {
        Work::Command(command) => {
            let limit = format!("at most {}", wording::duration(action.deadline_ms));
            page.line_and_right(line, Line::new().then(Tone::Faint, &limit))?;
            write_command(command, told, page)?;
        }
        Work::File(check) => {
            page.line(line)?;
            let lead = Line::indented(INDENT).then(Tone::Faint, "file").then(Tone::Plain, " ");
            page.paragraph(lead, INDENT + 2, Tone::Place, &check.path.to_string(), LINES_MAX)?;
            let expected = expectation(check);
            page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, &expected, LINES_MAX)?;
        }
    }
    if !action.needs.is_empty() {
        let needs: Vec<String> = action.needs.iter().map(|need| named(plan, need)).collect();
        let text = format!("after {}", needs.join(", "));
        page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, &text, LINES_MAX)?;
    }
    if !action.continue_on_failure && action.phase == Phase::Step {
        let text = "no further step runs where it fails and blocks";
        page.paragraph(Line::indented(INDENT), INDENT, Tone::Faint, text, LINES_MAX)?;
    }
    Ok(())
}

fn write_command(command: &Command, told: Option<&(ActionId, String, String)>, page: &mut Page<'_>) -> io::Result<()> {
    let lead = Line::indented(INDENT).then(Tone::Faint, "$").then(Tone::Plain, " ");
    page.paragraph(lead, INDENT + 2, Tone::Place, &wording::command_line(&command.invocation), LINES_MAX)?;
    let mut sentences = Vec::new();
    if !command.directory.as_str().is_empty() {
        sentences.push(format!("in {}", command.directory));
    }
    if let Some(last) = command.seen_through.last() {
        sentences.push(format!("which runs: {last}"));
    }
    if let Some((_, role, because)) = told {
        sentences.push(if because.is_empty() { role.clone() } else { format!("{role}: {because}") });
    }
    if command.expected_exit_codes != [0] && !command.expected_exit_codes.is_empty() {
        let codes: Vec<String> = command.expected_exit_codes.iter().map(i32::to_string).collect();
        sentences.push(format!("expected exit codes: {}", codes.join(", ")));
    }
    if command.allow_no_tests {
        sentences.push("a run without tests is accepted".to_owned());
    }
    for sentence in sentences {
        page.paragraph(Line::indented(INDENT), INDENT + 2, Tone::Faint, &sentence, LINES_MAX)?;
    }
    Ok(())
}

fn named(plan: &Plan, id: &ActionId) -> String {
    plan.action(id).map_or_else(|| id.to_string(), |action| format!("{id} {}", action.name))
}

fn expectation(check: &FileCheck) -> String {
    let content = match &check.expectation {
        FileExpectation::Absent => return "must not exist".to_owned(),
        FileExpectation::Present(content) => content,
    };
    let FileContent { min_size, max_size, contains, matches, sha256 } = content;
    let mut parts = vec!["must exist".to_owned()];
    parts.extend(min_size.map(|bytes| format!("hold at least {}", wording::counted(bytes, "byte"))));
    parts.extend(max_size.map(|bytes| format!("hold at most {}", wording::counted(bytes, "byte"))));
    parts.extend(contains.iter().map(|text| format!("contain `{text}`")));
    parts.extend(matches.iter().map(|pattern| format!("match `{pattern}`")));
    parts.extend(sha256.iter().map(|digest| format!("have the SHA-256 {digest}")));
    parts.join(", ")
}

fn policies(policies: &Policies, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Strong, "Policy"))?;
    let categories = policies
        .categories
        .iter()
        .map(|(category, decided)| (self::category(*category), strategy(*decided).to_owned()));
    let tools = policies.tools.iter().map(|(tool, policy)| (tool.as_str(), tool_policy(policy)));
    for (name, text) in categories.chain(tools) {
        let lead = Line::indented(2).then(Tone::Plain, name).then(Tone::Plain, ": ");
        let indent = 2 + width(name) + 2;
        page.paragraph(lead, indent, Tone::Faint, &text, LINES_MAX)?;
    }
    Ok(())
}

fn category(category: Category) -> &'static str {
    match category {
        Category::Linting => "linters",
        Category::TypeChecking => "type checkers",
        Category::Compilation => "compilers",
        Category::Formatting => "formatters",
    }
}

fn strategy(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::ErrorsAlways => "every error blocks, as gravely as can be",
        Strategy::ErrorsOnly => "errors block, warnings do not",
        Strategy::ErrorsAndWarnings => "errors and warnings block",
        Strategy::WarnOnly => "nothing blocks, everything is reported",
        Strategy::Never => "findings are ignored",
    }
}

fn tool_policy(policy: &ToolPolicy) -> String {
    let ToolPolicy { enabled, block_on, treat_warnings_as_errors, max_warnings, ignored_rules, error_on_rules } =
        policy;
    if !enabled {
        return "turned off: reported, never blocking".to_owned();
    }
    let mut parts = vec![block_on.map_or("as its category", strategy).to_owned()];
    parts.extend(treat_warnings_as_errors.then(|| "warnings count as errors".to_owned()));
    parts.extend(max_warnings.map(|most| format!("more than {} block", wording::counted(most, "warning"))));
    parts.extend((!ignored_rules.is_empty()).then(|| format!("not counted: {}", ignored_rules.join(", "))));
    parts.extend((!error_on_rules.is_empty()).then(|| format!("always errors: {}", error_on_rules.join(", "))));
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::{self, colored, plain, runs};

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
}
