//! What a command is for: the first question of ruling 9.

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

/// Shells within shells that are looked through; deeper ones are left alone.
const DEEPEST_LINE: usize = 8;

/// The role of a command, and how it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferredRole {
    /// The role by which the command is judged.
    pub role: Role,
    /// The canonical name of the tool that runs, such as `eslint`, where it is known and the only one of its role.
    pub tool: Option<String>,
    /// The test runners that the line runs, each once, where the role is test and every tool that counts is a known one:
    /// then one of them sums the tests up (ruling 9).
    pub runners: Vec<&'static str>,
    /// How the role was told, for people.
    pub because: String,
    /// Where the declared role is not that of the known tool that runs: a sentence that says so. The declared role judges
    /// all the same.
    pub contradiction: Option<String>,
}

/// Returns the canonical names of all tools that are told from commands, some of them several times.
pub fn tools() -> impl Iterator<Item = &'static str> {
    tool::names()
}

/// Returns what a tool is used for, by its canonical name; nothing where it is not known.
pub(crate) fn of_tool(name: &str) -> impl Iterator<Item = Role> {
    tool::roles(name)
}

/// Whether a known test runner may write what a reader of another name reads: a report in a format that many runners write,
/// or the output of a runner that it runs or hands its reporting to.
pub(crate) fn writes(runner: &str, reader: &str) -> bool {
    tool::writes(runner, reader)
}

/// Whether a reader of this name reads findings in a format that tools of all kinds write.
pub(crate) fn is_finding_report(reader: &str) -> bool {
    tool::FINDING_REPORTS.contains(&reader)
}

/// Returns the canonical name of the tool that a program is, as reports name it: `tsc` for `vue-tsc` and for seed 1's
/// `typescript`. None: the name is not that of one known tool.
pub fn canonical(program: &str) -> Option<&'static str> {
    tool::canonical(program)
}

/// Tells the role of a command: the declared one, else that of the one known tool that its line runs.
///
/// Scripts that were seen through go before the line that names them. A line whose tools have different roles has
/// none of them: each is judged by other rules, and one exit code cannot speak for both.
pub fn tell(command: &Command) -> InferredRole {
    let seen = see(command);
    let Some(declared) = command.role else {
        return seen.told();
    };
    // Where the line runs several tools, the declared role says which of them counts.
    let of_role: Vec<Named> = seen.named.iter().filter(|named| named.role == declared).copied().collect();
    let counted = if of_role.is_empty() { &seen.named } else { &of_role };
    let other = counted.iter().find(|named| named.role != declared);
    let contradiction = other.and_then(|named| Some((named.tool?, named.role))).map(|(tool, role)| {
        format!("the declared role is {}, and `{tool}` {}: the declared role decided", declared.as_str(), deed(role))
    });
    InferredRole {
        role: declared,
        tool: only_tool(counted).map(str::to_owned),
        runners: runners(declared, counted),
        because: "declared in the specification".to_owned(),
        contradiction,
    }
}

/// Returns the smallest selection that an action belongs to: the declared one, else by what it does (ruling 17).
///
/// | what it does                              | level  |
/// |-------------------------------------------|--------|
/// | looks at files, starts or awaits a service | smoke |
/// | checks types, compiles                    | smoke  |
/// | runs tests, lints, asks by HTTP           | fast   |
/// | anything else                             | strict |
pub fn level(action: &Action) -> Level {
    action.level.unwrap_or_else(|| match &action.work {
        Work::File(_) | Work::Service(_) => Level::Smoke,
        Work::Http(_) => Level::Fast,
        Work::Unsupported(_) => Level::Strict,
        Work::Command(command) => match tell(command).role {
            Role::Typecheck | Role::Compile => Level::Smoke,
            Role::Test | Role::Lint => Level::Fast,
            Role::Format | Role::Other => Level::Strict,
        },
    })
}

/// Whether a non-zero exit code of the command can only come from the one known tool of its line: nothing after it, and
/// nothing beside it in its pipe, could have set the code. False where the line runs no known tool, or several.
pub(crate) fn exit_is_of_tool(command: &Command) -> bool {
    let seen = see(command);
    !seen.foreign_exit && only_tool(&seen.named).is_some()
}

/// The known tools that the command's line runs, in its order, and scripts whose names tell what they are for.
pub(crate) fn members(command: &Command) -> Vec<Member> {
    see(command).named
}

/// What can have made a command exit with a code that is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failing {
    /// The one known tool of its line.
    Tool,
    /// That tool, or what prepares the shell before it, such as `cd app`: the shell complains where that fails.
    ToolOrPreparation,
    /// Another command, too; or no tool is known.
    Others,
}

/// Tells what can have made a command fail. In this, unlike in [`exit_is_of_tool`], what stands before the tool counts:
/// it can have kept the tool from running.
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
    };
    match (is_one(&found.commands), prepares || found.prepares) {
        (false, _) => Failing::Others,
        (true, true) => Failing::ToolOrPreparation,
        (true, false) => Failing::Tool,
    }
}

/// The commands of a line that can fail.
#[derive(Debug, Default)]
struct Fallible {
    /// Each command, as the tool that it is known to be.
    commands: Vec<Option<Named>>,
    /// Whether there is something that prepares the shell.
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

/// Whether these are one command at most, or one known tool several times.
fn is_one(commands: &[Option<Named>]) -> bool {
    commands.windows(2).all(|pair| pair[0].is_some() && pair[0] == pair[1])
}

/// Returns the values of an option wherever the command's lines give it, as `--option=VALUE` or `--option VALUE`; an
/// empty text where none follows.
pub(crate) fn option_values(command: &Command, option: &str) -> Vec<String> {
    let mut words: Vec<Vec<String>> = command.seen_through.iter().map(|line| line_words(line, 0)).collect();
    words.push(match &command.invocation {
        Invocation::Shell { line, .. } => line_words(line, 0),
        Invocation::Argv(argv) => inner_words(argv, 0),
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

/// The words of a line, with those of the lines that it gives to other shells.
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
    /// The known tools, in the order of the line.
    named: Vec<Named>,
    /// Whether a command that is not known may have set the exit code.
    foreign_exit: bool,
    line: String,
}

fn see(command: &Command) -> Seen {
    let lines = &command.seen_through;
    for (at, line) in lines.iter().enumerate().rev() {
        let mut seen = see_line(line, 0);
        if !seen.named.is_empty() {
            // The lines of a make target run one after the other.
            let after = lines[at + 1..].iter().flat_map(|line| line::commands(line));
            seen.foreign_exit |= after.into_iter().any(|simple| !is_harmless(&simple));
            return seen;
        }
    }
    match &command.invocation {
        Invocation::Shell { line, .. } => see_line(line, 0),
        Invocation::Argv(argv) => {
            let mut seen = Seen { line: argv.join(" "), ..Seen::default() };
            see_words(argv, &mut seen, 0);
            seen
        }
    }
}

fn see_line(line: &str, depth: usize) -> Seen {
    let mut seen = Seen { line: line.to_owned(), ..Seen::default() };
    let mut unknown_in_pipe = false;
    for simple in line::commands(line) {
        unknown_in_pipe &= simple.piped;
        if simple.piped
            && let Some(named) = seen.named.last_mut().filter(|named| named.tool == Some("tap"))
        {
            // A formatter that nobody knows takes the summary away: then the exit code decides.
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

/// Adds the tools that one simple command runs; false where none is known.
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

/// Whether a command beside the tool cannot be what set a non-zero exit code: it always succeeds.
///
/// Not in it: `exit`, which sets the code; `tee`, `cat` and all else that opens files; `cd`. `echo` and `printf` are
/// where they expand nothing that could fail (`${NAME:?}`), write to no file of their own and, of `printf`, convert
/// nothing.
fn is_harmless(simple: &Simple) -> bool {
    let Some((first, rest)) = simple.words.split_first() else { return true };
    if simple.redirected {
        return false;
    }
    // make takes `@` before a recipe's command for itself.
    match first.trim_start_matches('@') {
        // They end a compound command, and pass the code on.
        "fi" | "done" | "esac" | "}" | "true" | ":" => rest.is_empty(),
        "echo" => rest.iter().all(|word| expands_safely(word)),
        "printf" => match rest {
            [text] => expands_safely(text) && !text.contains('%') && !text.starts_with('-'),
            _ => false,
        },
        _ => false,
    }
}

/// Whether a word holds no expansion, or only `$?` and `$(…)`: others may end the shell.
fn expands_safely(word: &str) -> bool {
    word.split('$').skip(1).all(|after| after.starts_with(['?', '(']))
}

fn only_tool(named: &[Named]) -> Option<&'static str> {
    let first = named.first()?.tool?;
    named.iter().all(|named| named.tool == Some(first)).then_some(first)
}

/// The runners of a test command; none where something that is no known runner may be what runs the tests.
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
            let deeds: Vec<String> = self
                .named
                .iter()
                .map(|named| format!("{} {}", named.tool.unwrap_or("a script"), deed(named.role)))
                .collect();
            let because = format!("one line does several things ({}): split it into one check each", deeds.join(", "));
            return InferredRole { role: Role::Other, tool: None, runners: Vec::new(), because, contradiction: None };
        }
        let tool = only_tool(&self.named).map(str::to_owned);
        let because = match &tool {
            Some(tool) => format!("`{tool}` {}", deed(first.role)),
            None => format!("`{line}` by its name {}", deed(first.role)),
        };
        InferredRole { role: first.role, tool, runners: runners(first.role, &self.named), because, contradiction: None }
    }
}

fn deed(role: Role) -> &'static str {
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
