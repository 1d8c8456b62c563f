//! Redacts plans for storage and judgement.

use std::path::PathBuf;

use referee_ledger::redact::{is_credential, looks_secret};
use referee_model::condition::{Expression, Literal, parse};
use referee_model::id::WorkspacePath;
use referee_model::plan::http::{Assertion, JsonExpectation, TextExpectation};
use referee_model::plan::interaction::{BrowserOperation, RowExpectation, Statement};
use referee_model::plan::service::Probe;
use referee_model::plan::{
    Browser, Command, Criteria, FileExpectation, HttpRequest, Interaction, Invocation, Piece, Plan, Query,
    SchemaSource, Template, Work,
};

use super::{Redact, password, text, texts, variables};

/// Returns the plan as it is stored and judged.
pub(crate) fn plan(plan: &Plan, redact: Redact<'_>) -> Plan {
    let mut plan = plan.clone();
    text(&mut plan.title, redact);
    text(&mut plan.specification.file, redact);
    directory(&mut plan.workspace, redact);
    directory(&mut plan.evidence_root, redact);
    plan.part_workspaces.iter_mut().for_each(|workspace| directory(workspace, redact));
    variables(&mut plan.environment, redact);
    for action in &mut plan.actions {
        text(&mut action.name, redact);
        if let Some(tests) = &mut action.expect {
            texts(&mut tests.fail_to_pass, redact);
            texts(&mut tests.pass_to_pass, redact);
        }
        work(&mut action.work, redact);
    }
    if let Some(setup) = &mut plan.guard.setup {
        text(&mut setup.command, redact);
    }
    if let Some(evaluator) = &mut plan.evaluator {
        planned_command(&mut evaluator.command, redact);
    }
    for problem in &mut plan.problems {
        text(&mut problem.message, redact);
    }
    if let Some(rationale) = &mut plan.policies.rationale {
        text(rationale, redact);
    }
    criteria(&mut plan.criteria, redact);
    plan
}

fn work(work: &mut Work, redact: Redact<'_>) {
    match work {
        Work::Command(command) => planned_command(command, redact),
        Work::File(check) => {
            path(&mut check.path, redact);
            if let FileExpectation::Present(content) = &mut check.expectation {
                texts(&mut content.contains, redact);
                texts(&mut content.matches, redact);
                if let Some(source) = &mut content.schema {
                    schema(source, redact);
                }
            }
        }
        Work::Http(request) => http_request(request, redact),
        Work::Service(service) => {
            if let Some(command) = &mut service.command {
                planned_command(command, redact);
            }
            for probe in &mut service.ready {
                match probe {
                    Probe::Url { url, .. } => template(url, redact),
                    Probe::Output(pattern) => text(pattern, redact),
                    Probe::Port(_) | Probe::Address { .. } => {}
                }
            }
        }
        Work::Interaction(interaction) => match interaction.as_mut() {
            Interaction::Query(query) => self::query(query, redact),
            Interaction::Browser(browser) => self::browser(browser, redact),
        },
    }
}

fn planned_command(command: &mut Command, redact: Redact<'_>) {
    match &mut command.invocation {
        Invocation::Argv(argv) => texts(argv, redact),
        Invocation::Shell { line, .. } => text(line, redact),
        Invocation::Container(container) => {
            texts(&mut container.global_options, redact);
            texts(&mut container.arguments, redact);
        }
    }
    texts(&mut command.seen_through, redact);
    path(&mut command.directory, redact);
    variables(&mut command.environment, redact);
    for value in command.late_environment.values_mut() {
        template(value, redact);
    }
    if let Some(script) = &mut command.script {
        path(script, redact);
    }
}

fn http_request(request: &mut HttpRequest, redact: Redact<'_>) {
    template(&mut request.url, redact);
    for (name, value) in &mut request.headers {
        if looks_secret(name) || is_credential(name) {
            hide(value);
        } else {
            template(value, redact);
        }
    }
    if let Some(body) = &mut request.body {
        template(&mut body.content, redact);
    }
    for assertion in &mut request.assertions {
        match assertion {
            Assertion::JsonSchema(source) => schema(source, redact),
            Assertion::ContainsText(needle) | Assertion::MatchesRegex(needle) => text(needle, redact),
            Assertion::JsonPath { expectation, .. } => match expectation {
                JsonExpectation::Equals(value) | JsonExpectation::Contains(value) | JsonExpectation::Matches(value) => {
                    text(value, redact);
                }
                JsonExpectation::Exists(_)
                | JsonExpectation::Type(_)
                | JsonExpectation::Length { .. }
                | JsonExpectation::Range { .. } => {}
            },
            Assertion::Header { expectation, .. } => match expectation {
                TextExpectation::Equals(value) | TextExpectation::Contains(value) | TextExpectation::Matches(value) => {
                    text(value, redact);
                }
                TextExpectation::Exists(_) => {}
            },
            Assertion::MaxDuration { .. } => {}
        }
    }
}

fn query(query: &mut Query, redact: Redact<'_>) {
    hide_password(&mut query.connection);
    template(&mut query.connection, redact);
    match &mut query.statement {
        Statement::Text(statement) => template(statement, redact),
        Statement::File(file) => path(file, redact),
    }
    for expectation in &mut query.expectations {
        match expectation {
            RowExpectation::Count(_) => {}
            RowExpectation::Schema(source) => schema(source, redact),
            RowExpectation::Contains(json) => text(json, redact),
        }
    }
}

fn browser(browser: &mut Browser, redact: Redact<'_>) {
    texts(&mut browser.server, redact);
    for command in &mut browser.commands {
        match &mut command.operation {
            BrowserOperation::Navigate(words) | BrowserOperation::Evaluate(words) | BrowserOperation::See(words) => {
                template(words, redact);
            }
            BrowserOperation::Fill(fields) => {
                for (field, value) in fields {
                    if looks_secret(field) {
                        hide(value);
                    } else {
                        template(value, redact);
                    }
                    text(field, redact);
                }
            }
            BrowserOperation::Click(words)
            | BrowserOperation::Screenshot(words)
            | BrowserOperation::WaitFor(words)
            | BrowserOperation::Content(Some(words)) => text(words, redact),
            BrowserOperation::Content(None) => {}
        }
    }
}

/// Hides the literal parts of the password in a connection, however short or common they are.
fn hide_password(connection: &mut Template) {
    let literal = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Captured(_) => String::new(),
    };
    let whole: String = connection.pieces().iter().map(literal).collect();
    let Some((before, password)) = password(&whole) else { return };
    let secret = before.len()..before.len() + password.len();
    let mut hidden = Template::default();
    let mut offset = 0;
    for piece in connection.pieces() {
        match piece {
            Piece::Text(text) => {
                let start = secret.start.clamp(offset, offset + text.len()) - offset;
                let end = secret.end.clamp(offset, offset + text.len()) - offset;
                hidden.push_text(&format!("{}{}{}", &text[..start], "*".repeat(end - start), &text[end..]));
                offset += text.len();
            }
            Piece::Captured(name) => hidden.push_captured(name.clone()),
        }
    }
    *connection = hidden;
}

fn schema(source: &mut SchemaSource, redact: Redact<'_>) {
    match source {
        SchemaSource::Inline(json) => text(json, redact),
        SchemaSource::File(file) => path(file, redact),
    }
}

/// Redacts the literal parts of a template; its placeholders stay.
fn template(template: &mut Template, redact: Redact<'_>) {
    *template = mapped(template, redact);
}

/// Hides all literal parts of a template.
fn hide(template: &mut Template) {
    *template = mapped(template, &|text| "*".repeat(text.len()));
}

fn mapped(template: &Template, change: Redact<'_>) -> Template {
    let mut changed = Template::default();
    for piece in template.pieces() {
        match piece {
            Piece::Text(text) => changed.push_text(&change(text)),
            Piece::Captured(name) => changed.push_captured(name.clone()),
        }
    }
    changed
}

/// Redacts conditions. A condition that no longer parses cannot be judged from the stored plan: a success
/// condition is then never met, and a failure condition always triggered.
fn criteria(criteria: &mut Criteria, redact: Redact<'_>) {
    let conditions = criteria.success.iter_mut().map(|condition| (condition, "false"));
    for (condition, closed) in conditions.chain(criteria.failure.iter_mut().map(|condition| (condition, "true"))) {
        text(&mut condition.description, redact);
        let redacted = redact(&condition.text);
        if redacted != condition.text {
            let parsed = parse(&redacted).map(|expression| (redacted, expression));
            let closed = || (closed.to_owned(), Expression::Literal(Literal::Boolean(closed == "true")));
            (condition.text, condition.expression) = parsed.unwrap_or_else(|_| closed());
        }
    }
    if let Some(expected) = &mut criteria.expected_output {
        texts(&mut expected.stdout_contains, redact);
    }
}

fn directory(directory: &mut PathBuf, redact: Redact<'_>) {
    let shown = directory.to_string_lossy();
    let redacted = redact(&shown);
    if redacted != shown {
        *directory = PathBuf::from(redacted);
    }
}

/// Redacts a path. Redaction replaces characters by `*`, so the result stays a path within the workspace.
fn path(path: &mut WorkspacePath, redact: Redact<'_>) {
    *path = WorkspacePath::parse(&redact(path.as_str())).unwrap_or_else(|_| WorkspacePath::root());
}

#[cfg(test)]
mod tests {
    use referee_model::plan::CaptureName;

    use super::*;

    #[test]
    fn the_password_of_a_connection_is_hidden_however_common_it_is() {
        for (url, stored) in [
            ("postgres://app:app@db/quotes", "postgres://app:***@db/quotes"),
            ("mysql://root:a:b@c@db:3306/quotes", "mysql://root:*****@db:3306/quotes"),
            ("postgres://app:p/w?x@db/quotes", "postgres://app:*****@db/quotes"),
            ("postgres://app@db:5432/quotes", "postgres://app@db:5432/quotes"),
            ("postgres://app:@db/quotes", "postgres://app:@db/quotes"),
            ("sqlite:data/quotes.db", "sqlite:data/quotes.db"),
        ] {
            let mut connection = Template::plain(url);
            hide_password(&mut connection);
            assert_eq!(connection.to_string(), stored);
        }
    }

    #[test]
    fn the_parts_of_a_password_around_a_captured_value_are_hidden() {
        let mut connection = Template::default();
        connection.push_text("postgres://app:first");
        connection.push_captured(CaptureName::parse("middle").unwrap());
        connection.push_text("last@db/quotes");
        hide_password(&mut connection);
        let texts: Vec<&str> = connection.pieces().iter().filter_map(literal).collect();
        assert_eq!(texts, ["postgres://app:*****", "****@db/quotes"]);
    }

    fn literal(piece: &Piece) -> Option<&str> {
        match piece {
            Piece::Text(text) => Some(text),
            Piece::Captured(_) => None,
        }
    }
}
