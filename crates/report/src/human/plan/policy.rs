//! The policies by which findings of tools are judged.

use std::io;

use referee_model::plan::{Policies, Strategy, ToolPolicy};
use referee_syntax::count::count;

use super::LINES_MAX;
use crate::page::{Line, Page, width};
use crate::style::Tone;

/// Writes the policies that a plan declares.
pub(super) fn write(policies: &Policies, page: &mut Page<'_>) -> io::Result<()> {
    page.line(Line::new().then(Tone::Strong, "Policy"))?;
    let categories =
        policies.categories.iter().map(|(category, decided)| (category.tools(), strategy(*decided).to_owned()));
    let tools = policies.tools.iter().map(|(tool, policy)| (tool.as_str(), tool_policy(policy)));
    let severities = [(policies.critical.warnings, "warnings"), (policies.critical.infos, "infos")];
    let critical: Vec<&str> = severities.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect();
    let critical = (!critical.is_empty()).then(|| ("critical", format!("errors, {}", critical.join(", "))));
    for (name, text) in categories.chain(tools).chain(critical) {
        let lead = Line::indented(2).then(Tone::Plain, name).then(Tone::Plain, ": ");
        let indent = 2 + width(name) + 2;
        page.paragraph(lead, indent, Tone::Faint, &text, LINES_MAX)?;
    }
    Ok(())
}

fn strategy(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::ErrorsAlways => "every error blocks, at the highest severity",
        Strategy::ErrorsOnly => "errors block, warnings do not",
        Strategy::ErrorsAndWarnings => "errors and warnings block",
        Strategy::WarnOnly => "nothing blocks, everything is reported",
        Strategy::Never => "findings are ignored",
    }
}

fn tool_policy(policy: &ToolPolicy) -> String {
    let ToolPolicy {
        enabled,
        block_on,
        treat_warnings_as_errors,
        max_warnings,
        ignored_rules,
        error_on_rules,
        strict_mode,
        allow_implicit_any,
    } = policy;
    if !enabled {
        return "turned off: reported, never blocking".to_owned();
    }
    let mut parts = vec![block_on.map_or("as its category", strategy).to_owned()];
    parts.extend(treat_warnings_as_errors.then(|| "warnings count as errors".to_owned()));
    parts.extend(max_warnings.map(|most| format!("more than {} block", count(most, "warning"))));
    parts.extend((!ignored_rules.is_empty()).then(|| format!("not counted: {}", ignored_rules.join(", "))));
    parts.extend((!error_on_rules.is_empty()).then(|| format!("always errors: {}", error_on_rules.join(", "))));
    parts.extend(allow_implicit_any.then(|| "an implicit any is allowed".to_owned()));
    parts.extend((!strict_mode).then(|| "what only strict mode finds does not count".to_owned()));
    parts.join("; ")
}
