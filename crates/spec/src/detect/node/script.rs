//! Scripts that are checks: those with common names, and those that CI runs; each check once.

use referee_model::plan::Role;
use referee_model::selection::Level;

use super::super::ci::Line;
use super::super::form::{Form, form};
use super::super::project::Draft;
use super::super::silent;
use super::super::{ProjectDirectory, TOOLS};
use super::manager::Manager;
use super::member::{Follower, Member};
use super::name::{is_again, level_of, name_of, plain, test_of};
use super::package::{self, Package};
use super::tool::{as_it_is, role};
use super::{browser, browser_tools, format, reports_no_test};

/// Known runners without a reader for their summaries.
const WITHOUT_READER: &[&str] = &["tape", "borp", "lab", "react-scripts", "ng"];

/// Proposes the checks of the scripts.
pub(super) struct Scripts<'a> {
    pub(super) place: &'a ProjectDirectory<'a>,
    pub(super) follower: Follower<'a>,
    pub(super) draft: &'a mut Draft,
    /// Lines that were proposed or left to people, with the name of the check, its role and program.
    taken: Vec<ScriptCommand>,
    /// Script that fails for the format among other things, and is proposed in parts.
    rejecting: Option<String>,
}

struct ScriptCommand {
    line: String,
    name: String,
    role: Option<Role>,
    program: String,
}

impl<'a> Scripts<'a> {
    pub(super) fn new(
        place: &'a ProjectDirectory<'a>,
        manager: &'a Manager,
        package: &'a Package,
        draft: &'a mut Draft,
    ) -> Self {
        Self { place, follower: Follower { manager, package }, draft, taken: Vec::new(), rejecting: None }
    }

    pub(super) fn propose(&mut self) {
        let package = self.follower.package;
        let is_there = |name: &&'static str| package.script(name).is_some();
        let first = |kind: &str| TOOLS.words(&format!("scripts.{kind}")).find(is_there);
        if let Some(name) = first("types") {
            self.add("types", name, Level::Smoke);
        }
        for kind in ["lint", "styles"] {
            if let Some(name) = first(kind) {
                self.add(kind, name, Level::Fast);
            }
        }
        let checkers: Vec<&str> = TOOLS.words("programs.checkers").collect();
        for name in ["check", "biome", "ci"] {
            if package.reaches(name, &checkers).is_some() {
                self.add(if name == "biome" { "lint" } else { "check" }, name, Level::Fast);
                break;
            }
        }
        self.build();
        self.tests();
        let looks = |name: &&'static str| {
            let line = package.script(name).unwrap_or_default();
            line.split(' ').any(|word| matches!(word, "--check" | "-c" | "--list-different" | "-l"))
        };
        if let Some(name) = first("format").or_else(|| ["format", "fmt", "prettier"].into_iter().find(looks)) {
            self.add("format", name, Level::Strict);
        }
        self.of_ci();
        self.format_policy();
        self.draft.checks.sort_by_key(|check| {
            let is = |name: &str| check.name == name || check.name.starts_with(&format!("{name}-"));
            ["types", "lint"].iter().position(|name| is(name)).unwrap_or_else(|| {
                if is("build") {
                    3
                } else if is("test") {
                    4
                } else if is("format") {
                    5
                } else {
                    2
                }
            })
        });
    }

    fn build(&mut self) {
        let Some(line) = self.follower.package.script("build") else { return };
        let run = self.follower.manager.run("build");
        if package::watches(line) {
            let because = "Script `build` of package.json, which watches and never ends";
            return self.draft.leave("build", run, Level::Fast, because);
        }
        self.draft.check("build", run.clone(), Level::Fast, "Script `build` of package.json");
        self.taken.push(ScriptCommand {
            line: run,
            name: "build".to_owned(),
            role: Some(Role::Compile),
            program: String::new(),
        });
    }

    fn tests(&mut self) {
        let (package, manager) = (self.follower.package, self.follower.manager);
        let named = |name: &&str| package.script(name).is_some_and(|line| !package::is_placeholder(line));
        let candidates: Vec<&str> = ["test"].into_iter().chain(TOOLS.words("scripts.test")).filter(named).collect();
        let in_browser = |name: &str| browser(package, name);
        let ends = |name: &&&str| !package.script(name).is_some_and(package::watches) && in_browser(name).is_none();
        let goes = |name: &&&str| in_browser(name).is_none() && self.follower.script(name).is_ok();
        let Some(name) = candidates.iter().find(ends).or_else(|| candidates.iter().find(goes)).copied() else {
            if let Some(name) = candidates.first() {
                let why =
                    in_browser(name).map_or("watches and never ends".to_owned(), |tool| format!("needs `{tool}`"));
                let because = format!("Script `{name}` of package.json, which {why}");
                self.draft.leave("test", manager.run(name), Level::Fast, because);
            }
            return;
        };
        let because = format!("Script `{name}` of package.json");
        if package.reaches(name, &["ng test"]).is_some() {
            let karma = self.place.text("angular.json").is_some_and(|text| text.contains("karma"));
            let command = manager.run_with(name, "--watch=false");
            if karma {
                return self.draft.leave(
                    "test",
                    command,
                    Level::Fast,
                    format!("{because}, which needs a browser (karma)"),
                );
            }
            self.draft.check("test", command, Level::Fast, format!("{because}, once instead of on each change"));
        } else if package.reaches(name, &["react-scripts test"]).is_some() {
            self.draft.check("test", format!("CI=true {}", manager.run(name)), Level::Fast, because);
        } else if package.script(name).is_some_and(|line| line.trim() == "node --test") && !package.has_tests {
            let because = format!("{because}, and there is no test yet: write one, then move this up");
            self.draft.leave("test", manager.run(name), Level::Fast, because);
        } else {
            self.add("test", name, Level::Fast);
        }
    }

    /// Proposes further runs of CI: scripts that are checks by name or by all that they run, and tools.
    fn of_ci(&mut self) {
        let place = self.place;
        for line in place.lines().filter(|line| line.is_of_ci) {
            let words = &line.command.words;
            let explicit = words.iter().any(|word| matches!(word.text.as_str(), "run" | "run-script"))
                || words.first().is_some_and(|word| word.text == "npm");
            match line.command.own_script() {
                Some((name, arguments)) if arguments.is_empty() && self.follower.package.script(&name).is_some() => {
                    self.script_of_ci(&name, line);
                }
                Some((name, _))
                    if explicit && self.follower.package.script(&name).is_none() && line.command.is_fixed() =>
                {
                    let because = format!(
                        "{} runs it, and package.json has no script `{name}`: add it, then move this up",
                        line.file
                    );
                    self.leave_once(&name, self.follower.manager.run(&name), because);
                }
                _ => self.tool_of_ci(line),
            }
        }
    }

    fn script_of_ci(&mut self, name: &str, line: &Line) {
        let file = &line.file;
        let run = self.follower.manager.run(name);
        if self.taken.iter().any(|taken| taken.line == run)
            || package::is_placeholder(self.follower.package.script(name).unwrap_or_default())
        {
            return;
        }
        let is_named = TOOLS.words("scripts.checking").any(|start| name.starts_with(start)) && !name.contains(":fix");
        let in_browser = browser(self.follower.package, name).is_some();
        match self.follower.script(name) {
            // In which environment CI runs it, and after which commands, is not known here.
            Ok(members) if line.is_conditional || members.iter().any(is_again) => {
                let known = members.iter().all(|member| self.taken.iter().any(|taken| taken.line == member.line));
                if !known {
                    self.leave_once(
                        name,
                        run,
                        format!("Script `{name}` of package.json, which {file} runs under conditions of its own"),
                    );
                }
            }
            Ok(members)
                if !in_browser
                    && (is_named || members.iter().all(|member| member.role.is_some() && !member.is_opaque)) =>
            {
                let kind = if name.starts_with("test") || name.starts_with("unit") { "test" } else { name };
                let level = level_of(members.first().and_then(|member| member.role));
                self.add_members(kind, name, level, &members);
            }
            Ok(_) if in_browser => {}
            Ok(_) => self.leave_once(
                name,
                run,
                format!(
                    "Script `{name}` of package.json, which {file} runs; whether it checks anything is not known here"
                ),
            ),
            Err(unfit) => {
                let because = format!("Script `{name}` of package.json, which {file} runs: {}", unfit.why);
                self.leave_once(name, unfit.line.unwrap_or(run), because);
            }
        }
    }

    /// Proposes a tool that CI runs and no script does.
    fn tool_of_ci(&mut self, line: &Line) {
        let command = self.follower.unwrapped(&line.command);
        let Some(role) = role(&command).filter(|role| *role != Role::Compile) else { return };
        let program = command.program().to_owned();
        let is_taken =
            |taken: &ScriptCommand| taken.role == Some(role) && (role == Role::Test || taken.program == program);
        if self.taken.iter().any(is_taken) || browser_tools().iter().any(|tool| command.runs(tool)) {
            return;
        }
        let (command, changed) = match form(&command) {
            Form::Same => (command, String::new()),
            Form::Changed { command, because } => (command, format!(", asked here {because}")),
            Form::Unfit(_) => return,
        };
        let name = name_of(role);
        let because = format!("{} runs it{changed}", line.file);
        if !command.is_fixed() {
            let because = format!("{because}, with words that only CI knows");
            return self.leave_once(name, self.follower.manager.execute(&command.own_text()), because);
        }
        let is_there = self.follower.package.is_local(&program) || program == "node";
        let (run, because) = match self.follower.direct(&command).filter(|_| is_there) {
            Some(run) => (run, because),
            None => (as_it_is(&command), format!("{because}; {program} is not a dependency, so it may not be there")),
        };
        self.take(name, run, level_of(Some(role)), because, Some(role), (&program, &program));
    }

    /// Lets the format block, if it is checked and something fails for it.
    fn format_policy(&mut self) {
        let package = self.follower.package;
        let is_format = |taken: &&ScriptCommand| taken.role == Some(Role::Format) || taken.name.starts_with("format");
        let formats: Vec<&ScriptCommand> = self.taken.iter().filter(is_format).collect();
        if formats.is_empty() {
            return;
        }
        let script = |taken: &&ScriptCommand| taken.line.rsplit(' ').next().and_then(|name| package.script(name));
        let scripts: Vec<&str> = formats.iter().filter_map(script).collect();
        format::policy(self.place, package, &scripts, self.rejecting.as_deref(), self.draft);
    }

    fn leave_once(&mut self, name: &str, line: String, because: String) {
        if self.draft.left_to_people.iter().all(|left| left.line != line) {
            self.draft.leave(&plain(name), line, Level::Fast, because);
        }
    }

    /// Proposes the checks of a script.
    fn add(&mut self, kind: &str, name: &str, level: Level) {
        match self.follower.script(name) {
            Ok(members) => self.add_members(kind, name, level, &members),
            Err(unfit) => {
                let because = format!("Script `{name}` of package.json: {}", unfit.why);
                self.leave_once(kind, unfit.line.unwrap_or_else(|| self.follower.manager.run(name)), because);
            }
        }
    }

    fn add_members(&mut self, kind: &str, name: &str, level: Level, members: &[Member]) {
        let is_one = members.len() == 1;
        // A finding of one of its parts fails the whole script.
        let fails = |member: &Member| {
            member.role == Some(Role::Format) && member.changed.is_none() && format::rejects(&self.lines(member), false)
        };
        if kind != "format" && self.rejecting.is_none() && members.iter().any(fails) {
            self.rejecting = Some(name.to_owned());
        }
        let tests = if kind == "test" { test_of(members, name) } else { None };
        let mut before: Vec<String> = Vec::new();
        for (at, member) in members.iter().enumerate() {
            if let Some(why) = &member.unfit {
                let because = format!("Script `{}` of package.json: {why}", member.script);
                self.leave_once(if is_one { kind } else { &member.program }, member.line.clone(), because);
                continue;
            }
            let is_test = tests == Some(at) || member.role == Some(Role::Test);
            if let Some(taken) = self.taken.iter().find(|taken| taken.line == member.line) {
                if member.makes {
                    before.push(taken.name.clone());
                }
                continue;
            }
            let of_role = if is_test { Some(Role::Test) } else { member.role };
            let wanted = match of_role {
                _ if is_one && !(is_test && kind != "test") => kind.to_owned(),
                Some(role) => name_of(role).to_owned(),
                None if member.is_opaque
                    || member.program.is_empty()
                    || member.line == self.follower.manager.run(&member.script) =>
                {
                    plain(&member.script)
                }
                None => plain(&member.program),
            };
            let level = if is_one && kind != "check" { level } else { level_of(of_role) };
            let is_run = member.line == self.follower.manager.run(&member.script);
            let other = if is_run { &member.script } else { &member.program };
            let called = self.take(
                &wanted,
                member.line.clone(),
                level,
                because(member, name),
                of_role,
                (&member.program, other),
            );
            // Tests may use what was built before them; other checks use the sources.
            let needs = if is_test || of_role.is_none() { before.clone() } else { Vec::new() };
            self.finish(&called, member, is_test, needs);
            if member.makes {
                before.push(called);
            }
        }
    }

    /// Adds a check; if its name is taken, the check is named after its program or script.
    fn take(
        &mut self,
        name: &str,
        line: String,
        level: Level,
        because: String,
        role: Option<Role>,
        (program, other): (&str, &str),
    ) -> String {
        let is_free = |name: &str| !name.is_empty() && self.draft.checks.iter().all(|check| check.name != name);
        let other = plain(other);
        let name = if is_free(name) || !is_free(&other) { name.to_owned() } else { other };
        let called = self.draft.check(&name, line.clone(), level, because).name.clone();
        self.taken.push(ScriptCommand { line, name: called.clone(), role, program: program.to_owned() });
        called
    }

    /// Returns the lines that a member runs.
    fn lines<'member>(&self, member: &'member Member) -> Vec<&'member str>
    where
        'a: 'member,
    {
        if member.line == self.follower.manager.run(&member.script) {
            self.follower.package.lines(&member.script)
        } else {
            vec![member.line.as_str()]
        }
    }

    /// Sets the properties of a check that its line does not reveal.
    fn finish(&mut self, called: &str, member: &Member, is_test: bool, needs: Vec<String>) {
        let silent = self.lines(member).into_iter().find_map(|line| silent::why(line)).filter(|_| is_test);
        let by_node = member.program == "node" && member.role == Some(Role::Test) && reports_no_test(self.place);
        let is_conventional = member.script.split(':').next().is_some_and(|start| matches!(start, "test" | "tests"));
        let several = member.is_opaque
            || member.role.is_none() && !is_conventional
            || WITHOUT_READER.contains(&member.program.as_str());
        let Some(check) = self.draft.checks.iter_mut().find(|check| check.name == called) else { return };
        check.needs = needs;
        if is_test && several {
            check.role = Some(Role::Test);
        }
        if let Some(why) = silent {
            check.exit_code_only = true;
            check.because = format!("{}; {why}, so its exit code decides", check.because);
        } else if by_node {
            check.exit_code_only = true;
            check.because.push_str("; no file of tests uses node:test, so the exit code of each decides");
        }
    }
}

fn because(member: &Member, entry: &str) -> String {
    let by = if member.script == entry { String::new() } else { format!(", which `{entry}` runs") };
    let changed = member.changed.as_ref().map(|changed| format!("; asked here {changed}")).unwrap_or_default();
    format!("Script `{}` of package.json{by}{changed}", member.script)
}
