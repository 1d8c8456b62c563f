//! Purpose of a command: the first question of ruling 9.

use referee_model::plan::{Action, Command, Invocation, Role, Work};
use referee_model::selection::Level;

use self::launcher::Inner;
use self::line::Simple;
pub(crate) use self::tool::Named as Member;
use self::tool::Named;

mod launcher;
mod line;
mod tool;
mod word;

/// Maximum depth of nested shells; deeper ones are ignored.
const DEEPEST_LINE: usize = 8;

/// Role of a command, and how it was determined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferredRole {
    /// Role by which the command is judged.
    pub role: Role,
    /// Canonical name of the tool that runs, such as `eslint`, if it is known and the only one of its role.
    pub tool: Option<String>,
    /// Test runners of the line, each once, if the role is test and every tool that counts is a known one: then
    /// one of them prints a summary (ruling 9).
    pub runners: Vec<&'static str>,
    /// Explanation of how the role was determined.
    pub because: String,
    /// Sentence about a declared role that differs from the role of the known tool that runs. The command is
    /// judged by the declared role all the same.
    pub contradiction: Option<String>,
}

/// Returns the canonical names of all tools that are recognized in commands, some of them several times.
pub fn tools() -> impl Iterator<Item = &'static str> {
    tool::names()
}

/// Returns the roles of a tool, by its canonical name; none if it is not known.
pub(crate) fn of_tool(name: &str) -> impl Iterator<Item = Role> {
    tool::roles(name)
}

/// Returns whether a known test runner may write output for a reader of another name: a report in a common
/// format, or the output of a runner that it runs or delegates reporting to.
pub(crate) fn writes(runner: &str, reader: &str) -> bool {
    tool::writes(runner, reader)
}

/// Returns whether a reader of this name reads findings in a common format.
pub(crate) fn is_finding_report(reader: &str) -> bool {
    tool::FINDING_REPORTS.contains(&reader)
}

/// Returns the canonical name of a program's tool, as reports use it: `tsc` for `vue-tsc` and for seed 1's
/// `typescript`. None: the name is not that of a single known tool.
pub fn canonical(program: &str) -> Option<&'static str> {
    tool::canonical(program)
}

/// Determines the role of a command: the declared one, else that of the one known tool that its line runs.
///
/// Resolved scripts take precedence over the line that names them. A line whose tools have different roles has
/// none of them: each is judged by other rules, and one exit code cannot represent both.
pub fn tell(command: &Command) -> InferredRole {
    let seen = see(command);
    let Some(declared) = command.role else {
        return seen.told();
    };
    // If the line runs several tools, the declared role selects the one that counts.
    let of_role: Vec<Named> = seen.named.iter().filter(|named| named.role == declared).copied().collect();
    let counted = if of_role.is_empty() { &seen.named } else { &of_role };
    let other = counted.iter().find(|named| named.role != declared);
    let contradiction = other.and_then(|named| Some((named.tool?, named.role))).map(|(tool, role)| {
        format!(
            "the declared role is {}, and `{tool}` {}: the declared role decided",
            declared.as_str(),
            operation(role)
        )
    });
    InferredRole {
        role: declared,
        tool: only_tool(counted).map(str::to_owned),
        runners: runners(declared, counted),
        because: "declared in the specification".to_owned(),
        contradiction,
    }
}

/// Returns the smallest selection that includes an action: the declared one, else by its work (ruling 17).
///
/// | what it does                              | level  |
/// |-------------------------------------------|--------|
/// | checks files, starts or awaits a service  | smoke  |
/// | checks types, compiles                    | smoke  |
/// | runs tests, lints, sends HTTP requests    | fast   |
/// | asks a database or a browser              | fast   |
/// | anything else                             | strict |
pub fn level(action: &Action) -> Level {
    action.level.unwrap_or_else(|| match &action.work {
        Work::File(_) | Work::Service(_) => Level::Smoke,
        Work::Http(_) | Work::Interaction(_) => Level::Fast,
        Work::Command(command) => match tell(command).role {
            Role::Typecheck | Role::Compile => Level::Smoke,
            Role::Test | Role::Lint => Level::Fast,
            Role::Format | Role::Other => Level::Strict,
        },
    })
}

/// Returns whether a non-zero exit code of the command can only come from the one known tool of its line:
/// nothing after it, or beside it in its pipe, could have set the code. False if the line runs no known tool,
/// or several.
pub(crate) fn exit_is_of_tool(command: &Command) -> bool {
    let seen = see(command);
    !seen.foreign_exit && only_tool(&seen.named).is_some()
}

/// Returns the known tools that the command's line runs, in order, and scripts whose names reveal their purpose.
pub(crate) fn members(command: &Command) -> Vec<Member> {
    see(command).named
}

/// Possible sources of a non-zero exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    /// Only the one known tool of the line.
    Tool,
    /// That tool, or preparation of the shell before it, such as `cd app`: the shell reports its failure.
    ToolOrPreparation,
    /// Another command as well; or no tool is known.
    Others,
}

/// Returns the possible sources of a failure. Unlike in [`exit_is_of_tool`], commands before the tool count:
/// they can have prevented the tool from running.
pub(crate) fn failing(command: &Command) -> Failing {
    if !exit_is_of_tool(command) {
        return Failing::Others;
    }
    let mut prepares = false;
    for line in &command.seen_through {
        let found = fallible(line, 0);
        if !is_one(&found.commands) {
            return Failing::Others;
        }
        prepares |= found.prepares;
    }
    let found = match &command.invocation {
        Invocation::Shell { line, .. } => fallible(line, 0),
        Invocation::Argv(argv) => match launcher::unwrap(argv) {
            Inner::Line(line) => fallible(line, 1),
            _ => return if prepares { Failing::ToolOrPreparation } else { Failing::Tool },
        },
        Invocation::Container(_) => return Failing::Others,
    };
    match (is_one(&found.commands), prepares || found.prepares) {
        (false, _) => Failing::Others,
        (true, true) => Failing::ToolOrPreparation,
        (true, false) => Failing::Tool,
    }
}

/// Commands of a line that can fail.
#[derive(Debug, Default)]
struct Fallible {
    /// The known tool of each command. None: it is not known.
    commands: Vec<Option<Named>>,
    /// Whether a command prepares the shell.
    prepares: bool,
}

fn fallible(line: &str, depth: usize) -> Fallible {
    let mut found = Fallible::default();
    for simple in line::commands(line) {
        match (launcher::unwrap(&simple.words), simple.words.first().map(String::as_str)) {
            _ if is_harmless(&simple) => {}
            (_, Some("cd" | "pushd" | "export" | "set" | "source" | ".")) => found.prepares = true,
            (Inner::Line(inner), _) if depth < DEEPEST_LINE => {
                let inner = fallible(inner, depth + 1);
                found.commands.extend(inner.commands);
                found.prepares |= inner.prepares;
            }
            _ => {
                let mut seen = Seen::default();
                see_words(&simple.words, &mut seen, DEEPEST_LINE);
                found.commands.push(seen.named.first().copied());
            }
        }
    }
    found
}

/// Returns whether these are at most one command, or one known tool several times.
fn is_one(commands: &[Option<Named>]) -> bool {
    commands.windows(2).all(|pair| pair[0].is_some() && pair[0] == pair[1])
}

/// Returns all values of an option in the command's lines, as `--option=VALUE` or `--option VALUE`; an empty
/// string if it has none.
pub(crate) fn option_values(command: &Command, option: &str) -> Vec<String> {
    let mut words: Vec<Vec<String>> = command.seen_through.iter().map(|line| line_words(line, 0)).collect();
    words.push(match &command.invocation {
        Invocation::Shell { line, .. } => line_words(line, 0),
        Invocation::Argv(argv) => inner_words(argv, 0),
        Invocation::Container(container) => inner_words(&container.argv(), 0),
    });
    let mut values = Vec::new();
    for words in words {
        for (at, word) in words.iter().enumerate() {
            if word == option {
                values.push(words.get(at + 1).cloned().unwrap_or_default());
            } else if let Some(value) = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')) {
                values.push(value.to_owned());
            }
        }
    }
    values
}

/// Returns the words of a line, including those of lines for nested shells.
fn line_words(line: &str, depth: usize) -> Vec<String> {
    line::commands(line).iter().flat_map(|simple| inner_words(&simple.words, depth)).collect()
}

fn inner_words(words: &[String], depth: usize) -> Vec<String> {
    match launcher::unwrap(words) {
        Inner::Line(line) if depth < DEEPEST_LINE => line_words(line, depth + 1),
        _ => words.to_vec(),
    }
}

#[derive(Debug, Default)]
struct Seen {
    /// Known tools, in order of the line.
    named: Vec<Named>,
    /// Whether an unknown command may have set the exit code.
    foreign_exit: bool,
    line: String,
}

fn see(command: &Command) -> Seen {
    let lines = &command.seen_through;
    for (at, line) in lines.iter().enumerate().rev() {
        let mut seen = see_line(line, 0);
        if !seen.named.is_empty() {
            // The lines of a make target run one after another.
            let after = lines[at + 1..].iter().flat_map(|line| line::commands(line));
            seen.foreign_exit |= after.into_iter().any(|simple| !is_harmless(&simple));
            return seen;
        }
    }
    match &command.invocation {
        Invocation::Shell { line, .. } => see_line(line, 0),
        Invocation::Argv(argv) => see_argv(argv),
        Invocation::Container(container) => see_argv(&container.argv()),
    }
}

fn see_argv(argv: &[String]) -> Seen {
    let mut seen = Seen { line: argv.join(" "), ..Seen::default() };
    see_words(argv, &mut seen, 0);
    seen
}

fn see_line(line: &str, depth: usize) -> Seen {
    let mut seen = Seen { line: line.to_owned(), ..Seen::default() };
    let mut unknown_in_pipe = false;
    for simple in line::commands(line) {
        unknown_in_pipe &= simple.piped;
        if simple.piped
            && let Some(named) = seen.named.last_mut().filter(|named| named.tool == Some("tap"))
        {
            // An unknown formatter hides the summary: then the exit code decides.
            let keeps = matches!(launcher::unwrap(&simple.words), Inner::Tool([program, ..]) if tool::keeps_tap(word::program(program)));
            named.tool = named.tool.filter(|_| keeps);
        }
        if see_words(&simple.words, &mut seen, depth) {
            seen.foreign_exit |= unknown_in_pipe;
        } else if !is_harmless(&simple) {
            unknown_in_pipe = true;
            seen.foreign_exit |= !seen.named.is_empty();
        }
    }
    seen
}

/// Adds the tools that one simple command runs; returns false if none is known.
fn see_words(words: &[String], seen: &mut Seen, depth: usize) -> bool {
    let named = match launcher::unwrap(words) {
        Inner::Tool(words) => tool::told(words),
        Inner::ScriptOrTool(words) => {
            tool::told(words).or_else(|| words.first().and_then(|name| tool::by_convention(name)))
        }
        Inner::Script(name) => tool::by_convention(name),
        Inner::Line(line) if depth < DEEPEST_LINE => {
            let inner = see_line(line, depth + 1);
            seen.foreign_exit |= inner.foreign_exit;
            let known = !inner.named.is_empty();
            seen.named.extend(inner.named);
            return known;
        }
        Inner::Line(_) | Inner::Unknown => None,
    };
    seen.named.extend(named);
    named.is_some()
}

/// Returns whether a command beside the tool always succeeds, so that it cannot have set a non-zero exit code.
///
/// Not included: `exit`, which sets the code; `tee`, `cat` and everything else that opens files; `cd`. `echo`
/// and `printf` are included if they expand nothing that could fail (`${NAME:?}`), write to no file of their
/// own and, for `printf`, convert nothing.
fn is_harmless(simple: &Simple) -> bool {
    let Some((first, rest)) = simple.words.split_first() else { return true };
    if simple.redirected {
        return false;
    }
    // make removes `@` before a recipe's command.
    match first.trim_start_matches('@') {
        // These end a compound command, and pass the code on.
        "fi" | "done" | "esac" | "}" | "true" | ":" => rest.is_empty(),
        "echo" => rest.iter().all(|word| expands_safely(word)),
        "printf" => match rest {
            [text] => expands_safely(text) && !text.contains('%') && !text.starts_with('-'),
            _ => false,
        },
        _ => false,
    }
}

/// Returns whether a word has no expansion, or only `$?` and `$(…)`: others may end the shell.
fn expands_safely(word: &str) -> bool {
    word.split('$').skip(1).all(|after| after.starts_with(['?', '(']))
}

fn only_tool(named: &[Named]) -> Option<&'static str> {
    let first = named.first()?.tool?;
    named.iter().all(|named| named.tool == Some(first)).then_some(first)
}

/// Returns the runners of a test command; none if something that is not a known runner may run the tests.
fn runners(role: Role, counted: &[Named]) -> Vec<&'static str> {
    if role != Role::Test || counted.iter().any(|named| named.role != Role::Test) {
        return Vec::new();
    }
    let mut runners: Vec<_> = counted.iter().map(|named| named.tool).collect::<Option<_>>().unwrap_or_default();
    runners.sort_unstable();
    runners.dedup();
    runners
}

impl Seen {
    fn told(&self) -> InferredRole {
        let line = referee_syntax::cut::first_line(&self.line, 120);
        let Some(first) = self.named.first() else {
            return InferredRole {
                role: Role::Other,
                tool: None,
                runners: Vec::new(),
                because: format!("no known tool in `{line}`"),
                contradiction: None,
            };
        };
        if self.named.iter().any(|named| named.role != first.role) {
            let operations: Vec<String> = self
                .named
                .iter()
                .map(|named| format!("{} {}", named.tool.unwrap_or("a script"), operation(named.role)))
                .collect();
            let because =
                format!("one line does several things ({}): split it into one check each", operations.join(", "));
            return InferredRole { role: Role::Other, tool: None, runners: Vec::new(), because, contradiction: None };
        }
        let tool = only_tool(&self.named).map(str::to_owned);
        let because = match &tool {
            Some(tool) => format!("`{tool}` {}", operation(first.role)),
            None => format!("`{line}` by its name {}", operation(first.role)),
        };
        InferredRole { role: first.role, tool, runners: runners(first.role, &self.named), because, contradiction: None }
    }
}

fn operation(role: Role) -> &'static str {
    match role {
        Role::Test => "runs tests",
        Role::Typecheck => "checks types",
        Role::Lint => "lints",
        Role::Format => "checks the format",
        Role::Compile => "compiles",
        Role::Other => "does something else",
    }
}

#[cfg(test)]
mod tests;
