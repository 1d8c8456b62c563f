//! Writes the specification for a project: the short form, each line with its reason.

use std::fmt::Write as _;

use referee_syntax::yaml::scalar;

use super::project::{PolicyChoice, PolicyProposal, Project, Proposal, ReadySign, ServiceProposal};
use super::text::line;
use crate::word::strategy_word;

/// Suffixes of names of checks that may take long.
const LONG: &[&str] = &["install", "types", "compile", "build", "test", "e2e"];

/// Maximum number of written checks that are left to people.
const LEFT: usize = 16;

/// Writes `referee.yaml`. None: there is no check to write, and a specification without one proves nothing.
pub fn written(project: &Project) -> Option<String> {
    (!project.checks.is_empty()).then(|| shown(project))
}

/// Writes the same text even without a check: checks that do not work are comments, for people to read.
pub fn shown(project: &Project) -> String {
    let mut text = String::new();
    head(project, &mut text);
    section("prerequisites", &project.prerequisites, &mut text);
    let services: Vec<&ServiceProposal> = project.services.iter().filter(|service| service.needed).collect();
    if !services.is_empty() {
        text.push_str("\nservices:\n");
        for each in services {
            comment("  ", &each.because, &mut text);
            push(&mut text, format_args!("  {}: {}\n", scalar(&each.name), service(each)));
        }
    }
    section("checks", &project.checks, &mut text);
    policies(&project.policies, &mut text);
    outputs(project, &mut text);
    not_working(project, &mut text);
    left_to_people(project, &mut text);
    text
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    text.write_fmt(arguments).unwrap_or_default();
}

fn comment(indent: &str, words: &str, text: &mut String) {
    push(text, format_args!("{indent}# {}\n", line(words)));
}

fn head(project: &Project, text: &mut String) {
    for words in &project.header {
        push(text, format_args!("{}\n", format!("# {words}").trim_end()));
    }
    if !project.header.is_empty() {
        text.push('\n');
    }
    text.push_str(
        "# Made by `referee init` from what this directory says of itself. It is yours now: `referee check` says whether it is right,\n\
         # `referee plan` what would run, `referee run` runs it. Profiles: smoke is a part of fast, fast a part of strict; only strict,\n\
         # which is everything, can count as done.\n",
    );
    for part in &project.parts {
        let place = if part.directory.is_empty() { String::new() } else { format!(" in {}", part.directory) };
        comment("", &format!("Found {}{place}: {}", part.ecosystem.as_str(), part.signs.join("; ")), text);
    }
    for note in &project.notes {
        comment("", &format!("Note: {note}"), text);
    }
    if let Some(title) = project.title.as_deref().map(title).filter(|title| !title.is_empty()) {
        push(text, format_args!("title: {}\n", scalar(&title)));
    }
}

/// Returns a title as one line without control characters.
fn title(text: &str) -> String {
    let shown: String = text.trim().chars().map(crate::source::harmless).take(100).collect();
    shown.trim().to_owned()
}

fn section(key: &str, proposals: &[Proposal], text: &mut String) {
    if proposals.is_empty() {
        return;
    }
    push(text, format_args!("\n{key}:\n"));
    for each in proposals {
        comment("  ", &each.because, text);
        push(text, format_args!("  {}: {}\n", scalar(&each.name), check(each, key == "checks")));
    }
}

fn check(check: &Proposal, with_level: bool) -> String {
    let mut keys = vec![format!("run: {}", scalar(&check.line))];
    if !check.directory.is_empty() {
        keys.push(format!("cwd: {}", scalar(&check.directory)));
    }
    if let Some(role) = check.role {
        keys.push(format!("role: {}", role.as_str()));
    }
    if !check.needs.is_empty() {
        let needs: Vec<String> = check.needs.iter().map(|need| scalar(need)).collect();
        keys.push(format!("needs: [{}]", needs.join(", ")));
    }
    if check.exit_code_only {
        keys.push("exitCodeOnly: true".to_owned());
    }
    if with_level {
        keys.push(format!("profile: {}", check.level.as_str()));
    }
    // A limit against hanging forever, where the default of five minutes may be too short.
    let name = check.name.trim_end_matches(|last: char| last == '-' || last.is_ascii_digit());
    if LONG.iter().any(|word| name.ends_with(word)) {
        keys.push("timeout: 15m".to_owned());
    }
    format!("{{ {} }}", keys.join(", "))
}

fn service(service: &ServiceProposal) -> String {
    let ready = match &service.ready {
        ReadySign::Url(url) => format!("ready: {}", scalar(url)),
        ReadySign::Port(port) => format!("ready: {{ port: {port} }}"),
    };
    let directory =
        if service.directory.is_empty() { String::new() } else { format!(", cwd: {}", scalar(&service.directory)) };
    format!("{{ run: {}{directory}, {ready}, timeout: 2m }}", scalar(&service.line))
}

fn policies(policies: &[PolicyProposal], text: &mut String) {
    if policies.is_empty() {
        return;
    }
    text.push_str("\npolicy:\n");
    for each in policies {
        comment("  ", &each.because, text);
        let wanted = each.written();
        push(text, format_args!("  {}: {wanted}\n", scalar(&each.tool)));
    }
    let reasons: Vec<String> =
        policies.iter().map(|policy| format!("{}: {}", policy.tool, line(&policy.because))).collect();
    push(text, format_args!("validationPolicyRationale: {}\n", scalar(&reasons.join(". "))));
}

impl PolicyProposal {
    /// Returns the value as written in a specification.
    pub fn written(&self) -> String {
        let key = if is_category(&self.tool) { "strategy" } else { "blockOn" };
        match self.wanted {
            PolicyChoice::BlockOn(strategy) => format!("{{ {key}: {} }}", strategy_word(strategy)),
            PolicyChoice::MaxWarnings(most) => format!("{{ {key}: ERRORS_ONLY, maxWarnings: {most} }}"),
        }
    }
}

fn is_category(name: &str) -> bool {
    matches!(name, "linting" | "typeChecking" | "compilation" | "formatting")
}

fn outputs(project: &Project, text: &mut String) {
    if project.outputs.is_empty() {
        return;
    }
    text.push_str("\noutputs:\n");
    for each in &project.outputs {
        comment("  ", &each.because, text);
        push(text, format_args!("  - {}\n", scalar(&each.path)));
    }
}

fn not_working(project: &Project, text: &mut String) {
    if project.not_working.is_empty() {
        return;
    }
    text.push_str("\n# Tried, and does not work here. To take one, do what it needs and move it up:\n");
    for each in &project.not_working {
        comment("#   ", &each.because, text);
        push(text, format_args!("#   {}: {}\n", scalar(&each.name), check(each, true)));
    }
}

fn left_to_people(project: &Project, text: &mut String) {
    let services: Vec<&ServiceProposal> = project.services.iter().filter(|service| !service.needed).collect();
    if project.left_to_people.is_empty() && services.is_empty() {
        return;
    }
    text.push_str(
        "\n# Found, and left for you to decide, because an honest project may not pass it. To take one, move it up:\n",
    );
    for each in project.left_to_people.iter().take(LEFT) {
        comment("#   ", &each.because, text);
        push(text, format_args!("#   {}: {}\n", scalar(&each.name), check(each, true)));
    }
    let more = project.left_to_people.len().saturating_sub(LEFT);
    if more > 0 {
        push(text, format_args!("#   (and {more} more: `referee init --print --format json`)\n"));
    }
    for each in services {
        comment("#   ", &each.because, text);
        push(text, format_args!("#   services: {{ {}: {} }}\n", scalar(&each.name), service(each)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::detect::manifest_document;

    proptest! {
        #[test]
        fn a_written_text_is_read_as_itself(text in "\\PC*|[\\x00-\\x7f]{0,40}|[ -~]{0,20}", key in "[ -~]{1,20}") {
            prop_assume!(!text.contains('\0') && !key.trim().is_empty());
            let document = format!("a: {{ {}: {} }}\n", scalar(&key), scalar(&text));
            let tree = manifest_document::tree(&document).ok_or_else(|| TestCaseError::fail(document.clone()))?;
            prop_assert_eq!(tree.get("a").and_then(|a| a.get(&key)).and_then(|text| text.text()), Some(text.as_str()), "{}", document);
        }
    }
}
