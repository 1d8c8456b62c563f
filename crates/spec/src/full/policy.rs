//! Reads policies for findings (ruling 10).

use crate::form::full as keys;
use referee_model::limit;
use referee_model::plan::{Category, CriticalSeverities, Policies, ToolPolicy};
use referee_model::strictness;
use referee_syntax::distance::nearest;
use referee_syntax::tree::{Entry, Member, Node};

use crate::complaint::{Code, Finding, Findings};
use crate::quantity::whole;
use crate::source::quote;
use crate::{tool, word};

/// Categories in the spelling of documents.
pub(crate) const CATEGORIES: [(&str, Category); 4] = [
    ("linting", Category::Linting),
    ("typeChecking", Category::TypeChecking),
    ("compilation", Category::Compilation),
    ("formatting", Category::Formatting),
];

/// Reads all policies: those of categories, and those of tools, which are inside them or, in the short form,
/// beside them.
pub(super) fn policies(written: keys::ValidationPolicy<'_>, findings: &mut Findings) -> Policies {
    let mut policies = Policies { critical: critical(written.critical_severities, findings), ..Policies::default() };
    let mut tools: Vec<&Entry> = written.tools.entries().iter().collect();
    for (_, category) in CATEGORIES {
        let policy = match category {
            Category::Linting => written.linting,
            Category::TypeChecking => written.type_checking,
            Category::Compilation => written.compilation,
            Category::Formatting => written.formatting,
        };
        let policy = keys::CategoryPolicy::of(policy.node());
        policies
            .categories
            .extend(policy.strategy.text().and_then(word::strategy).map(|strategy| (category, strategy)));
        tools.extend(policy.tools.entries());
    }
    for tool in tools {
        add_tool(tool, &mut policies, findings);
    }
    policies
}

/// Reads which findings are critical (ruling 22). Errors always are: only a strategy can allow them.
fn critical(severities: Member<'_>, findings: &mut Findings) -> CriticalSeverities {
    let Some(entry) = severities.entry() else { return CriticalSeverities::default() };
    let named = |word: &str| entry.value.elements().iter().any(|severity| severity.text() == Some(word));
    if !named("error") {
        let message = format!("`{}` does not name `error`, which is always critical", entry.key);
        let help = "add `error`; to let errors pass, set the strategy of the tool or its category to WARN_ONLY";
        findings.push(Finding::error(Code::Contradiction, entry.key_span, message).help(help));
    }
    CriticalSeverities { warnings: named("warning"), infos: named("info") }
}

/// Reads the policy of one tool, and adds it to the others.
fn add_tool(entry: &Entry, policies: &mut Policies, findings: &mut Findings) {
    findings_about_name(entry, findings);
    let tool = canonical(&entry.key);
    findings_about_strictness(&tool, entry, findings);
    let policy = tool_policy(&entry.value);
    let message = format!("there is another policy for `{tool}`");
    match policies.tools.insert(tool, policy.clone()) {
        None => {}
        Some(other) if other == policy => {
            let finding = Finding::warning(Code::DuplicatePolicy, entry.key_span, message);
            findings.push(finding.help("the two say the same; leave one of them out"));
        }
        Some(_) => {
            let message = format!("{message}, and only one can hold");
            findings.push(Finding::error(Code::Contradiction, entry.key_span, message));
        }
    }
}

/// Warns about a name that looks misspelled: as the name of an unknown tool it would have no effect.
fn findings_about_name(entry: &Entry, findings: &mut Findings) {
    let known = || CATEGORIES.into_iter().map(|(name, _)| name).chain(tool::common());
    let canonical = canonical(&entry.key);
    if matches!(canonical.as_str(), "tsc" | "pyright" | "mypy") || known().any(|name| name == canonical) {
        return;
    }
    let long = |name: &&str| name.len() >= 5;
    if let Some(meant) = nearest(&entry.key, known().filter(long)) {
        let message = format!("{} is taken as the name of a tool", quote(&entry.key));
        findings.push(Finding::warning(Code::UnknownTool, entry.key_span, message).meant(Some(meant)));
    }
}

/// Complains about options for type checkers at a tool whose strictness findings are unknown: the options would
/// silently have no effect.
fn findings_about_strictness(tool: &str, entry: &Entry, findings: &mut Findings) {
    if strictness::of(tool).is_some() {
        return;
    }
    let written = keys::ToolPolicy::of(&entry.value);
    for option in [written.strict_mode, written.allow_implicit_any].into_iter().filter_map(Member::entry) {
        let message = format!("`{}` says nothing of {}", option.key, quote(&entry.key));
        let known: Vec<_> = strictness::tools().collect();
        let help = format!("it holds for {}; leave it out, or name rules under `ignoredRules`", known.join(", "));
        findings.push(Finding::error(Code::MisplacedOption, option.key_span, message).help(&help));
    }
}

/// Returns the canonical name of a tool, which readers and judge use.
fn canonical(name: &str) -> String {
    match name.to_ascii_lowercase().as_str() {
        "typescript" | "vue-tsc" | "tsgo" => "tsc".to_owned(),
        "basedpyright" => "pyright".to_owned(),
        "dmypy" => "mypy".to_owned(),
        other => other.to_owned(),
    }
}

fn tool_policy(node: &Node) -> ToolPolicy {
    let written = keys::ToolPolicy::of(node);
    ToolPolicy {
        enabled: written.enabled.boolean().unwrap_or(true),
        block_on: written.block_on.text().and_then(word::strategy),
        treat_warnings_as_errors: written.treat_warnings_as_errors.is_true(),
        max_warnings: written.max_warnings.node().and_then(whole),
        ignored_rules: written.ignored_rules.texts().collect(),
        error_on_rules: written.error_on_rules.texts().collect(),
        strict_mode: written.strict_mode.boolean().unwrap_or(true),
        allow_implicit_any: written.allow_implicit_any.is_true(),
    }
}

/// Reads the rationale of the policies; text over the limit of reports is cut.
pub(super) fn rationale(written: Member<'_>) -> Option<String> {
    let text = written.text()?.trim();
    let bounded = &text[..text.floor_char_boundary(limit::EXCERPT_BYTES)];
    (!bounded.is_empty()).then(|| bounded.to_owned())
}
