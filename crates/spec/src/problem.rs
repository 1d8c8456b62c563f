//! Problems with which a specification loads, but that prevent its task from running (ruling 3).

use referee_model::id::ActionId;
use referee_model::plan::SpecificationProblem;
use referee_syntax::span::Span;
use referee_syntax::tree::Node;

use crate::complaint::{Code, Finding};
use crate::source::{Source, quote};

/// Turns a finding into a problem of an action, or of the whole task.
pub(crate) fn problem(
    root: &Node,
    source: &Source,
    action: Option<&ActionId>,
    keyword: &str,
    finding: &Finding,
) -> SpecificationProblem {
    let position = source.position(finding.span().start);
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    SpecificationProblem {
        action: action.cloned(),
        message: finding.whole_message(),
        pointer: root.pointer(finding.span()),
        keyword: keyword.to_owned(),
        schema_path: None,
        allowed: Vec::new(),
        line: number(position.line),
        column: number(position.column),
    }
}

/// Keyword for unresolved values.
pub(crate) const UNRESOLVED: &str = "unresolved";

/// Returns the warning about an unfilled placeholder of another program's template.
pub(crate) fn left_behind(placeholder: &str, span: Span) -> Finding {
    let message = format!("the placeholder {} was never filled in", quote(placeholder));
    let finding = Finding::warning(Code::UnresolvedVariable, span, message);
    finding.help("put its value in its place; until then what holds it cannot run")
}
