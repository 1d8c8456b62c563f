//! Splits a script into its commands where that is equivalent, following scripts that it runs.

use referee_model::plan::Role;

use super::super::TOOLS;
use super::super::command::{Command, commands, spelled};
use super::super::form::{Form, form};
use super::super::launcher::{is_assignment, program};
use super::manager::Manager;
use super::package::Package;
use super::tool::{is_housekeeping, is_system, role};
use crate::expand;

/// Maximum depth of scripts that run scripts.
const DEPTH: usize = 6;
/// Maximum number of members of one script.
const MEMBERS: usize = 30;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) line: String,
    /// Script that has the command.
    pub(super) script: String,
    /// Program of the command; empty if it is several commands.
    pub(super) program: String,
    /// Role of the program. None: unknown.
    pub(super) role: Option<Role>,
    /// Whether the member is several commands in one.
    pub(super) is_opaque: bool,
    /// Whether later commands may use its output files.
    pub(super) makes: bool,
    /// Description of a change, as a clause.
    pub(super) changed: Option<String>,
    /// Reason why it is left to people, as a clause.
    pub(super) unfit: Option<String>,
}

pub(super) struct Follower<'a> {
    pub(super) manager: &'a Manager,
    pub(super) package: &'a Package,
}

/// Reason why nothing of a script can be a check.
pub(super) struct Unfit {
    pub(super) why: String,
    /// The line that would be one, once that is fixed.
    pub(super) line: Option<String>,
}

impl From<String> for Unfit {
    fn from(why: String) -> Self {
        Self { why, line: None }
    }
}

impl Follower<'_> {
    pub(super) fn script(&self, name: &str) -> Result<Vec<Member>, Unfit> {
        let mut path = Vec::new();
        let mut members = self.followed(name, &mut path)?;
        members.truncate(MEMBERS);
        Ok(members)
    }

    fn followed(&self, name: &str, path: &mut Vec<String>) -> Result<Vec<Member>, Unfit> {
        let Some(line) = self.package.script(name) else {
            return Err(format!("there is no script `{name}`: add it, or take its call away").into());
        };
        if path.len() >= DEPTH || path.iter().any(|before| before == name) {
            return Ok(vec![self.whole(name, &commands(line))]);
        }
        path.push(name.to_owned());
        let split = self.line(name, line, true, path);
        let around = |hook: &str, path: &mut Vec<String>| {
            let hook = format!("{hook}{name}");
            let is_run = self.manager.runs_hooks() && self.package.script(&hook).is_some();
            if is_run { self.followed(&hook, path) } else { Ok(Vec::new()) }
        };
        let members = match split {
            // A script with a single command is run as a script, with the npm hooks before and after.
            Ok(Some(members)) if !is_itself(&members, &self.manager.run(name)) => {
                let before = around("pre", path)?;
                before.into_iter().chain(members).chain(around("post", path)?).collect()
            }
            Ok(Some(members)) => members,
            Ok(None) => vec![self.opaque(name, line)?],
            Err(why) => return Err(why),
        };
        path.pop();
        Ok(members)
    }

    /// Returns the checks of a line. None: it needs a shell, or is not a list of independent commands.
    fn line(
        &self,
        script: &str,
        line: &str,
        is_script: bool,
        path: &mut Vec<String>,
    ) -> Result<Option<Vec<Member>>, Unfit> {
        let all = commands(line);
        let plain = expand::commands(line).filter(|plain| plain.len() == all.len());
        let Some(plain) = plain else { return Ok(None) };
        let is_alone = is_script && all.len() == 1;
        let mut members = Vec::new();
        for (command, words) in all.iter().zip(plain) {
            let name = command.program();
            if matches!(name, "cd" | "pushd" | "export" | "set" | "source" | ".") || is_housekeeping(name) {
                return Ok(None);
            }
            if name == "echo" {
                continue;
            }
            let found = match self.called(command, &words) {
                Some(called) => self.all_of(script, &called, path)?,
                None => self.leaf(script, command, is_alone)?.map(|member| vec![member]),
            };
            let Some(found) = found else { return Ok(None) };
            members.extend(found);
        }
        Ok((!members.is_empty()).then_some(members))
    }

    /// Returns the checks of the scripts and lines that a command runs.
    fn all_of(&self, script: &str, called: &[Called], path: &mut Vec<String>) -> Result<Option<Vec<Member>>, Unfit> {
        let mut members = Vec::new();
        for called in called {
            match called {
                Called::Script(name) => members.extend(self.followed(name, path)?),
                Called::Line(line) => match self.line(script, line, false, path)? {
                    Some(found) => members.extend(found),
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(members))
    }

    /// Returns the scripts and lines that a command runs. None: it does not run scripts, or has further arguments.
    fn called(&self, command: &Command, words: &[String]) -> Option<Vec<Called>> {
        let name = command.program();
        let wraps = |word: &str| {
            matches!(word, "c8" | "nyc") && !command.prefix.iter().any(|word| word.text == "--check-coverage")
        };
        let is_bare = command.prefix.first().is_none_or(|word| wraps(&word.text));
        if !is_bare {
            return None;
        }
        match name {
            "run-s" | "run-p" | "npm-run-all" => {
                let mut called = Vec::new();
                for word in command.arguments().filter(|word| !TOOLS.holds("npm-run-all.silent", word)) {
                    called.extend(self.matching(word)?);
                }
                Some(called)
            }
            "concurrently" => {
                let mut called = Vec::new();
                let mut words = command.arguments();
                while let Some(word) = words.next() {
                    match word {
                        "-n" | "--names" | "-c" | "--prefix-colors" | "-p" | "--prefix" => drop(words.next()),
                        "-g" | "--group" | "--raw" | "-r" | "--kill-others-on-fail" | "--timings" => {}
                        option if option.starts_with('-') => return None,
                        line => match line.strip_prefix("npm:") {
                            Some(pattern) => called.extend(self.matching(pattern)?),
                            None => called.push(Called::Line(line.to_owned())),
                        },
                    }
                }
                Some(called)
            }
            _ => {
                let own: Vec<String> = words[words.len().saturating_sub(command.words.len())..].to_vec();
                let (name, arguments) = expand::own_script(&own)?;
                (arguments.is_empty() && self.package.script(&name).is_some()).then(|| vec![Called::Script(name)])
            }
        }
    }

    /// Returns the scripts that match a pattern.
    fn matching(&self, pattern: &str) -> Option<Vec<Called>> {
        let prefix = pattern.trim_end_matches('*');
        if pattern.starts_with('-') || prefix.contains(['*', '!', '{', '?', ' ']) {
            return None;
        }
        let is_meant = |name: &&str| match pattern.len() - prefix.len() {
            0 => *name == pattern,
            1 => name.strip_prefix(prefix).is_some_and(|rest| !rest.contains(':')),
            _ => name.starts_with(prefix),
        };
        let named: Vec<Called> =
            self.package.names().filter(is_meant).map(|name| Called::Script(name.to_owned())).collect();
        (!named.is_empty()).then_some(named)
    }

    /// Returns the member for one command. None: its program is unknown.
    fn leaf(&self, script: &str, command: &Command, is_alone: bool) -> Result<Option<Member>, Unfit> {
        let command = self.unwrapped(command);
        let mut unfit = None;
        let (command, changed) = match form(&command) {
            Form::Same => (command, None),
            Form::Changed { command, because } => (command, Some(because)),
            Form::Unfit(why) => {
                unfit = Some(why);
                (command, None)
            }
        };
        let unfit = unfit.or_else(|| self.absent(&command));
        let member = |line: String| Member {
            line,
            script: script.to_owned(),
            program: command.program().to_owned(),
            role: role(&command),
            is_opaque: false,
            makes: makes(script, &command),
            changed: changed.clone(),
            unfit: unfit.clone(),
        };
        if is_alone && changed.is_none() {
            return Ok(Some(member(self.manager.run(script))));
        }
        if unfit.is_some() {
            return Ok(Some(member(command.text())));
        }
        match (self.direct(&command), &changed) {
            (None, Some(changed)) => Err(Unfit {
                why: format!(
                    "asked {changed}, it needs {0} in dependencies or devDependencies, where it is not: add it there",
                    command.program()
                ),
                line: Some(self.manager.execute(&spelled(&[&command.prefix[..], &command.words[..]].concat()))),
            }),
            (line, _) => Ok(line.map(member)),
        }
    }

    /// Returns the command of a tool run by pnpm or yarn, if no script has its name.
    pub(super) fn unwrapped(&self, command: &Command) -> Command {
        let mut command = command.clone();
        let runs_tool = command.words.get(1).is_some_and(|word| self.package.is_local(program(&word.text)));
        if matches!(command.program(), "pnpm" | "yarn") && runs_tool {
            command.prefix.push(command.words.remove(0));
        }
        command
    }

    /// Returns what is missing for a command, as far as that is visible without running it.
    fn absent(&self, command: &Command) -> Option<String> {
        let asked = command.prefix.iter().find(|word| matches!(word.text.as_str(), "npx" | "bunx" | "pnpx"));
        let launcher = asked.filter(|_| !self.package.is_local(command.program()))?;
        let tool = command.words.first().map_or("", |word| &word.text);
        Some(format!(
            "`{} {tool}`: {tool} is neither in dependencies nor in devDependencies, so it would be fetched; add it there",
            launcher.text
        ))
    }

    /// Returns the line that runs a command outside of its script, where npm would have found its tools.
    pub(super) fn direct(&self, command: &Command) -> Option<String> {
        let all: Vec<_> = command.prefix.iter().chain(&command.words).cloned().collect();
        let assigned = all.iter().take_while(|word| is_assignment(&word.text)).count();
        let (variables, rest) = all.split_at(assigned);
        let before = if variables.is_empty() { String::new() } else { format!("{} ", spelled(variables)) };
        let first = rest.first()?.text.as_str();
        let name = program(first);
        let is_tool_of = |at: usize| rest.get(at).is_some_and(|word| self.package.is_local(program(&word.text)));
        let line = match name {
            // `pnpm vitest` runs the tool, if no script has that name.
            "pnpm" | "yarn" if is_tool_of(1) => self.manager.execute(&spelled(&rest[1..])),
            _ if first.contains('/') || is_system(name) => spelled(rest),
            _ if self.package.is_local(name) => self.manager.execute(&spelled(rest)),
            _ => return None,
        };
        Some(format!("{before}{line}"))
    }

    fn whole(&self, name: &str, all: &[Command]) -> Member {
        let roles: Vec<Option<Role>> = all.iter().map(role).collect();
        let is_one = !all.is_empty() && roles.iter().all(|role| *role == roles[0]);
        Member {
            line: self.manager.run(name),
            script: name.to_owned(),
            program: String::new(),
            role: roles.first().copied().flatten().filter(|_| is_one),
            is_opaque: true,
            makes: is_build(name),
            changed: None,
            unfit: None,
        }
    }

    /// Returns a script as a single member: nothing in it may edit or run forever.
    fn opaque(&self, name: &str, line: &str) -> Result<Member, Unfit> {
        let all = commands(line);
        for command in &all {
            match form(command) {
                Form::Same => {
                    if let Some(why) = self.absent(command) {
                        return Err(why.into());
                    }
                }
                Form::Changed { because, .. } => {
                    return Err(format!("`{}` would have to run {because}", command.own_text()).into());
                }
                Form::Unfit(why) => return Err(why.into()),
            }
        }
        // The same applies to scripts that it runs.
        for command in &all {
            if let Some((inner, _)) = command.own_script()
                && inner != name
                && let Some(inner_line) = self.package.script(&inner)
            {
                for command in commands(inner_line) {
                    if form(&command) != Form::Same {
                        return Err(format!("its script `{inner}` edits files, or never ends").into());
                    }
                }
            }
        }
        Ok(self.whole(name, &all))
    }
}

enum Called {
    Script(String),
    Line(String),
}

fn is_itself(members: &[Member], run: &str) -> bool {
    matches!(members, [member] if member.line == run)
}

/// Returns whether later commands may use the output files of a command.
fn makes(script: &str, command: &Command) -> bool {
    match role(command) {
        Some(Role::Test | Role::Lint | Role::Format) => false,
        Some(Role::Typecheck) => !command.runs("tsc --noEmit") && command.program() == "tsc",
        Some(Role::Compile | Role::Other) => true,
        None => is_build(script),
    }
}

/// Returns whether a script of this name creates files for others.
fn is_build(script: &str) -> bool {
    ["build", "compile", "generate", "codegen", "prepare", "transpile", "bundle"]
        .iter()
        .any(|start| script.starts_with(start))
}
