//! `${NAME}` in values that are not passed to a shell (ruling 3).

use std::collections::BTreeMap;

use referee_model::plan::{CaptureName, Piece, Template};
use referee_syntax::distance::nearest;
use referee_syntax::span::Span;

use crate::complaint::{Code, Finding};
use crate::source::quote;

/// Maximum number of bytes that expansion may produce for one document, so that nested variables cannot explode.
const FILLED_BYTES: usize = 16 * 1024 * 1024;

/// Variables in scope at one point of a document.
#[derive(Debug)]
pub(crate) struct Variables<'a> {
    known: BTreeMap<String, Value>,
    /// Variables of the enclosing scope, which this one shadows.
    outside: Option<&'a Variables<'a>>,
}

/// Value of a variable.
#[derive(Debug)]
enum Value {
    Known(String),
    /// A template of values that are captured during the run.
    Late(Template),
    /// A value of an undeclared variable, which is not passed to commands.
    BuiltIn(Template),
    /// An assumed default of an undeclared variable.
    Assumed(String),
}

/// Variable for the directory of the workspace.
pub(crate) const WORKSPACE_ROOT: &str = "WORKSPACE_ROOT";

/// Variable for the origin of the application's URLs.
pub(crate) const API_BASE_URL: &str = "API_BASE_URL";

/// Default of [`API_BASE_URL`].
pub(crate) const DEFAULT_BASE_URL: &str = "http://localhost:3000";

/// Remaining size of expanded texts.
#[derive(Debug)]
pub(crate) struct Budget {
    bytes: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { bytes: FILLED_BYTES }
    }
}

/// A text after expansion of known variables.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    /// Expanded text; values known only during the run are placeholders, unknown ones are left as written.
    pub(crate) template: Template,
    /// Unknown names.
    pub(crate) unknown: Vec<String>,
    /// Whether the text uses an assumed [`API_BASE_URL`].
    pub(crate) assumed: bool,
    /// Whether the text exceeds the budget, and is incomplete.
    pub(crate) too_large: bool,
}

/// Syntax of variable names between `${` and `}`; everything else is left for the consumer of the value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Names {
    /// Letters, digits and `_`, and names of service ports.
    Plain,
    /// All names that captured values may have.
    Captured,
}

impl Budget {
    /// Creates a budget of this many bytes.
    pub(crate) fn of(bytes: usize) -> Self {
        Self { bytes }
    }
}

impl<'a> Variables<'a> {
    /// Returns the variables that need no declaration.
    pub(crate) fn built_in(workspace: &str) -> Self {
        let mut variables = Self { known: BTreeMap::new(), outside: None };
        variables.declare_built_in(WORKSPACE_ROOT, Template::plain(workspace));
        variables.known.insert(API_BASE_URL.to_owned(), Value::Assumed(DEFAULT_BASE_URL.to_owned()));
        variables
    }

    /// Returns an empty set of variables.
    pub(crate) fn nothing() -> Self {
        Self { known: BTreeMap::new(), outside: None }
    }

    /// Returns an inner scope: all variables of this one, and those to be declared inside.
    pub(crate) fn inside(&'a self) -> Self {
        Self { known: BTreeMap::new(), outside: Some(self) }
    }

    /// Returns the template of a variable that is known only during the run. None: there is no such variable.
    pub(crate) fn late(&self, name: &str) -> Option<&Template> {
        match self.get(name)? {
            Value::Late(made_of) => Some(made_of),
            Value::Known(_) | Value::BuiltIn(_) | Value::Assumed(_) => None,
        }
    }

    /// Returns the undeclared variables that a shell line mentions, with their values: the shell must be given
    /// them. An assumed one yields to an assignment in the line itself.
    pub(crate) fn built_in_mentioned(&self, line: &str) -> Vec<BuiltIn> {
        let built_in = |name: &'static str| match self.get(name)? {
            Value::BuiltIn(value) => Some(BuiltIn { name, value: value.clone(), assumed: false }),
            Value::Assumed(value) => Some(BuiltIn { name, value: Template::plain(value.as_str()), assumed: true }),
            Value::Known(_) | Value::Late(_) => None,
        };
        let given =
            |built_in: &BuiltIn| mentions(line, built_in.name) && !(built_in.assumed && sets(line, built_in.name));
        [WORKSPACE_ROOT, API_BASE_URL].into_iter().filter_map(built_in).filter(given).collect()
    }

    /// Returns whether a variable is declared.
    pub(crate) fn declares(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Known(_) | Value::Late(_)))
    }

    /// Returns whether a variable has a value, now or during the run.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    fn get(&self, name: &str) -> Option<&Value> {
        match self.known.get(name) {
            Some(value) => Some(value),
            None => self.outside?.get(name),
        }
    }

    fn names(&self) -> Vec<&str> {
        let outside = self.outside.map(Self::names).unwrap_or_default();
        self.known.keys().map(String::as_str).chain(outside).collect()
    }

    /// Adds a variable, or replaces its value.
    pub(crate) fn declare(&mut self, name: &str, value: &Template) {
        let value = match value.as_plain() {
            Some(text) => Value::Known(text.to_owned()),
            None => Value::Late(value.clone()),
        };
        self.known.insert(name.to_owned(), value);
    }

    /// Adds a variable that needs no declaration.
    pub(crate) fn declare_built_in(&mut self, name: &str, value: Template) {
        self.known.insert(name.to_owned(), Value::BuiltIn(value));
    }

    /// Removes a variable that needs no declaration.
    pub(crate) fn forget(&mut self, name: &str) {
        self.known.remove(name);
    }

    /// Expands known variables, without complaints.
    pub(crate) fn expand(&self, text: &str, names: Names, budget: &mut Budget) -> Expanded {
        let mut expanded = Expanded::default();
        let mut bytes = 0;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            expanded.template.push_text(before);
            let reference = after.split_once('}').map(|(name, after)| (name, self.get(name), after));
            let (written, after) = match reference {
                Some((_, Some(Value::Known(value)), after)) => (value.as_str(), after),
                Some((_, Some(Value::Assumed(value)), after)) => {
                    expanded.assumed = true;
                    (value.as_str(), after)
                }
                Some((_, Some(Value::BuiltIn(value) | Value::Late(value)), after)) => {
                    bytes += append(&mut expanded.template, value);
                    ("", after)
                }
                Some((name, None, after)) if names.holds(name) => {
                    expanded.unknown.push(name.to_owned());
                    (&rest[before.len()..rest.len() - after.len()], after)
                }
                Some(_) | None => ("${", after),
            };
            expanded.template.push_text(written);
            bytes += before.len() + written.len();
            rest = after;
            if bytes > budget.bytes {
                expanded.too_large = true;
                return expanded;
            }
        }
        expanded.template.push_text(rest);
        budget.bytes = budget.bytes.saturating_sub(bytes + rest.len());
        expanded
    }

    /// Returns the known variable that a name may be a misspelling of.
    pub(crate) fn similar(&self, name: &str) -> Option<&str> {
        nearest(name, self.names())
    }
}

/// An undeclared variable.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    pub(crate) value: Template,
    /// Whether its value is only assumed.
    pub(crate) assumed: bool,
}

/// Returns a template with one captured value.
pub(crate) fn captured(name: CaptureName) -> Template {
    let mut template = Template::default();
    template.push_captured(name);
    template
}

/// Returns the names that occur in a text as `${NAME}`.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|after| Some(after.split_once('}')?.0))
}

/// Appends a template to another. Returns the bytes of its text.
fn append(template: &mut Template, more: &Template) -> usize {
    let mut bytes = 0;
    for piece in more.pieces() {
        match piece {
            Piece::Text(text) => {
                bytes += text.len();
                template.push_text(text);
            }
            Piece::Captured(name) => template.push_captured(name.clone()),
        }
    }
    bytes
}

/// Returns whether a line for a shell reads a variable: `$NAME`, `${NAME}`, `${NAME:-…}`, `${#NAME}`.
pub(crate) fn mentions(line: &str, name: &str) -> bool {
    shell_variables(line).any(|found| found == name)
}

/// Returns whether a shell line itself sets a variable: `NAME=…`, `${NAME:-…}`.
fn sets(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + name.len()..]);
        if before.ends_with("${") {
            return after.trim_start_matches(':').starts_with(['-', '=']);
        }
        let is_whole = !before.ends_with(|last: char| last.is_ascii_alphanumeric() || "_$".contains(last));
        is_whole && after.starts_with('=')
    })
}

/// Returns the variables that a line for a shell reads.
pub(crate) fn shell_variables(line: &str) -> impl Iterator<Item = &str> {
    line.split('$').skip(1).filter_map(|after| {
        let after = after.strip_prefix('{').map_or(after, |inner| inner.trim_start_matches(['#', '!']));
        let end = after.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_')).unwrap_or(after.len());
        is_name(&after[..end]).then_some(&after[..end])
    })
}

impl Names {
    fn holds(self, name: &str) -> bool {
        match self {
            Self::Plain => is_name(name) || name.starts_with("services."),
            Self::Captured => CaptureName::parse(name).is_some(),
        }
    }
}

/// Returns the complaint about a value that is only known during the run, where it must be known before.
pub(crate) fn late(name: &CaptureName, span: Span) -> Finding {
    let message = format!(
        "{} is known only while the run goes on: use it in a url, header, body or env",
        quote(&format!("${{{name}}}"))
    );
    Finding::error(Code::UnresolvedVariable, span, message)
}

/// Returns the complaint about a value that would become too large by expansion.
pub(crate) fn too_large(span: Span) -> Finding {
    Finding::error(Code::UnresolvedVariable, span, "the variables in this value make it too large")
}

/// Returns whether a text is a valid name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_everything_else_is_left() {
        let mut variables = Variables::built_in("/w");
        variables.declare("A", &Template::plain("1"));
        for (text, filled) in [
            ("${A}${A}b", "11b"),
            ("${WORKSPACE_ROOT}/x", "/w/x"),
            ("$A ${A", "$A ${A"),
            ("${A:-2} ${} ${a.b}", "${A:-2} ${} ${a.b}"),
            ("${${A}}", "${1}"),
        ] {
            let found = variables.expand(text, Names::Plain, &mut Budget::default());
            assert_eq!((found.template.as_plain(), found.unknown), (Some(filled), vec![]), "{text}");
        }
    }

    #[test]
    fn what_is_known_only_later_is_a_hole() {
        let mut variables = Variables::built_in("/w");
        for name in ["token", "services.web.port"] {
            variables.declare(name, &captured(CaptureName::parse(name).unwrap()));
        }
        let expand = |variables: &Variables<'_>, text: &str| {
            variables.expand(text, Names::Captured, &mut Budget::default()).template
        };
        for (text, shown, holes) in [
            ("Bearer ${token}", "Bearer ${token}", 1),
            ("${WORKSPACE_ROOT}:${services.web.port}${token}", "/w:${services.web.port}${token}", 2),
            ("${A:-b} ${}", "${A:-b} ${}", 0),
        ] {
            let template = expand(&variables, text);
            assert_eq!((template.to_string().as_str(), template.captured().count()), (shown, holes), "{text}");
        }
        for names in [Names::Plain, Names::Captured] {
            assert_eq!(
                variables.expand("${services.wep.port}", names, &mut Budget::default()).unknown,
                ["services.wep.port"]
            );
        }
        let mut inner = variables.inside();
        inner.declare("AUTH", &expand(&inner, "Bearer ${token}"));
        assert_eq!(expand(&inner, "${AUTH}, ${AUTH}").to_string(), "Bearer ${token}, Bearer ${token}");
        inner.declare("token", &Template::plain("known"));
        assert_eq!(expand(&inner, "${token}").as_plain(), Some("known"));
        assert!(variables.late("token").is_some() && inner.late("token").is_none());
    }

    #[test]
    fn a_shell_is_given_what_nobody_declared_and_the_line_reads() {
        let mut declared = Variables::built_in("/w");
        declared.declare(API_BASE_URL, &Template::plain("http://a"));
        let assumed = Variables::built_in("/w");
        for (variables, line, names) in [
            (&assumed, "test ! -e \"${WORKSPACE_ROOT}/bad.txt\"", vec![WORKSPACE_ROOT]),
            (&assumed, "ls $WORKSPACE_ROOT; curl $API_BASE_URL/a", vec![WORKSPACE_ROOT, API_BASE_URL]),
            (&assumed, "curl ${API_BASE_URL:-http://localhost:4000}", vec![]),
            (&assumed, "API_BASE_URL=http://b; curl $API_BASE_URL", vec![]),
            (&assumed, "ls WORKSPACE_ROOT $WORKSPACE_ROOTS", vec![]),
            (&declared, "curl $API_BASE_URL $WORKSPACE_ROOT", vec![WORKSPACE_ROOT]),
        ] {
            let given = variables.built_in_mentioned(line);
            assert_eq!(given.iter().map(|built_in| built_in.name).collect::<Vec<_>>(), names, "{line}");
        }
    }

    #[test]
    fn a_shell_line_reads_whole_names() {
        for (line, names) in [
            ("curl $token \"${id}\"", vec!["token", "id"]),
            ("echo ${token:-none} ${#token}", vec!["token", "token"]),
            ("echo $tokens-a$b_1", vec!["tokens", "b_1"]),
            ("echo $$ $ ${} $1 token \u{e4}$\u{e4}", vec![]),
        ] {
            assert_eq!(shell_variables(line).collect::<Vec<_>>(), names, "{line}");
        }
    }

    #[test]
    fn what_is_not_known_is_named_and_left_as_it_is_written() {
        let variables = Variables::built_in("/w");
        let expanded = variables.expand("a${X}b${Y}${X}", Names::Plain, &mut Budget::default());
        assert_eq!(expanded.template.as_plain(), Some("a${X}b${Y}${X}"));
        assert_eq!(expanded.unknown, ["X", "Y", "X"]);
    }

    #[test]
    fn variables_that_multiply_each_other_end_at_the_budget() {
        let mut variables = Variables::built_in("/w");
        let mut budget = Budget::default();
        variables.declare("V0", &Template::plain("x".repeat(1000)));
        let too_large = (1..10).any(|level| {
            let text = format!("${{V{}}}", level - 1).repeat(20);
            let expanded = variables.expand(&text, Names::Plain, &mut budget);
            variables.declare(&format!("V{level}"), &expanded.template);
            expanded.too_large
        });
        assert!(too_large);
    }
}
