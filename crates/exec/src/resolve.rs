//! Resolves a command to the program that is started, as found in the command's own environment.
//!
//! `npx X` is resolved to X itself: X is run from `node_modules/.bin`, and never fetched (ruling 4). Where npm
//! itself must find X, its consent to installing is removed; a shell line that consents is refused.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use referee_model::id::WorkspacePath;
use referee_model::plan::{Container, ContainerProgram, Invocation, Shell};
use referee_model::record::{Executable, Notice, NoticeCode, StartFailure};
use rustix::fs::Access;

use crate::executable::Executables;
use crate::npm;
use crate::shell_line;

/// Reason why a command cannot be started.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) cause: StartFailure,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(cause: StartFailure, message: impl Into<String>) -> Self {
        Self { cause, message: message.into() }
    }
}

/// Working directory of a command, as real paths with symbolic links resolved.
#[derive(Debug)]
pub(crate) struct WorkingDirectory {
    pub(crate) workspace: PathBuf,
    pub(crate) directory: PathBuf,
}

impl WorkingDirectory {
    /// Finds the directory, and ensures that no symbolic link leads out of the workspace.
    pub(crate) fn find(workspace: &Path, directory: &WorkspacePath) -> Result<Self, Refusal> {
        let refused = |message| Refusal::new(StartFailure::BadDirectory, message);
        let workspace = std::fs::canonicalize(workspace)
            .map_err(|error| refused(format!("the workspace {} cannot be used: {error}", workspace.display())))?;
        let wanted = workspace.join(directory.as_str());
        let real = std::fs::canonicalize(&wanted)
            .map_err(|error| refused(format!("the directory `{directory}` cannot be used: {error}")))?;
        if !real.is_dir() {
            return Err(refused(format!("`{directory}` is not a directory")));
        }
        if !real.starts_with(&workspace) {
            return Err(refused(format!("`{directory}` leads outside the workspace, to {}", real.display())));
        }
        Ok(Self { workspace, directory: real })
    }
}

/// A command, ready to be started.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Absolute path of the program.
    pub(crate) program: PathBuf,
    /// Name and arguments with which the program is started.
    pub(crate) argv: Vec<String>,
    /// Known facts about the programs: the started one, then those that a shell line names.
    pub(crate) executables: Vec<Executable>,
    pub(crate) notices: Vec<Notice>,
    /// Whether the command is run by a shell that fails a line when a command inside a pipe fails.
    pub(crate) pipefail: bool,
}

/// Returns the words of a command that could not be resolved, for the record.
pub(crate) fn as_asked(invocation: &Invocation) -> Vec<String> {
    match invocation {
        Invocation::Argv(words) => words.clone(),
        Invocation::Container(container) => container.argv(),
        Invocation::Shell { line, shell, .. } => {
            let (name, arguments) = match shell {
                Shell::Posix | Shell::Sh | Shell::PreferPowerShell | Shell::PreferCmd => ("sh", PLAIN),
                Shell::Bash => ("bash", PLAIN),
                Shell::PowerShell => (POWER_SHELLS[0], POWER_SHELL),
                Shell::Cmd => (CMDS[0], CMD),
            };
            let words = std::iter::once(name).chain(arguments.iter().copied()).chain([line.as_str()]);
            words.map(str::to_owned).collect()
        }
    }
}

/// Resolves what an invocation starts. `path` is the search path of the command itself.
pub(crate) fn resolve(
    invocation: &Invocation,
    place: &WorkingDirectory,
    path: Option<&OsStr>,
    executables: &Executables,
) -> Result<Resolved, Refusal> {
    let resolved = match invocation {
        Invocation::Argv(words) => resolve_words(words, place, path, executables)?,
        Invocation::Container(container) => resolve_container(container, place, path, executables)?,
        Invocation::Shell { line, pipefail, shell } => resolve_line(line, *pipefail, *shell, place, path, executables)?,
    };
    refuse_plain_text(&resolved)?;
    Ok(resolved)
}

/// Resolves a command of docker or podman. Where either will do, docker is preferred.
fn resolve_container(
    container: &Container,
    place: &WorkingDirectory,
    path: Option<&OsStr>,
    executables: &Executables,
) -> Result<Resolved, Refusal> {
    let mut words = container.argv();
    let first = resolve_words(&words, place, path, executables);
    match first {
        Err(refusal) if container.program == ContainerProgram::Any && refusal.cause == StartFailure::NotFound => {
            "podman".clone_into(&mut words[0]);
            resolve_words(&words, place, path, executables).map_err(|refusal| match refusal.cause {
                StartFailure::NotFound => {
                    let message = "neither docker nor podman is in PATH: install one of them";
                    Refusal::new(StartFailure::NotFound, message.to_owned())
                }
                _ => refusal,
            })
        }
        first => first,
    }
}

fn resolve_words(
    words: &[String],
    place: &WorkingDirectory,
    path: Option<&OsStr>,
    executables: &Executables,
) -> Result<Resolved, Refusal> {
    let name = words
        .first()
        .filter(|name| !name.is_empty())
        .ok_or_else(|| Refusal::new(StartFailure::NotFound, "the command names no program"))?;
    let consent = npm::consent(words);
    let installed = |tool: &str| {
        find_installed(tool, place).map_err(|mut refusal| {
            if let Some(consent) = &consent {
                refusal.message = format!("{}, and drop `{}`", refusal.message, consent.word);
            }
            refusal
        })
    };
    let (name, program, argv) = if let Some(at) = npm::npx_tool(words) {
        let program = installed(&words[at])?;
        let mut argv = vec![program.to_string_lossy().into_owned()];
        argv.extend_from_slice(&words[at + 1..]);
        (&words[at], program, argv)
    } else {
        if let Some(tool) = consent.as_ref().and_then(|consent| consent.tool) {
            installed(tool)?;
        }
        if consent.as_ref().is_some_and(|consent| !consent.is_removable) {
            refuse_consent(words)?;
        }
        (name, find(name, place, path)?, consent.map_or_else(|| words.to_vec(), |consent| consent.without))
    };
    let executables = vec![executables.identify(name, &program)];
    Ok(Resolved { program, argv, executables, notices: Vec::new(), pipefail: false })
}

fn resolve_line(
    line: &str,
    pipefail: bool,
    shell: Shell,
    place: &WorkingDirectory,
    path: Option<&OsStr>,
    executables: &Executables,
) -> Result<Resolved, Refusal> {
    let commands = shell_line::commands(line);
    for words in &commands {
        refuse_consent(words)?;
    }
    let Interpreter { name, program, arguments, pipefail, notices } = interpreter(shell, pipefail, line, path)?;
    let mut argv = vec![name.to_owned()];
    argv.extend(arguments.iter().map(|argument| (*argument).to_owned()));
    argv.push(line.to_owned());

    let mut known = vec![executables.identify(name, &program)];
    for words in &commands {
        let found = match npm::npx_tool(words) {
            Some(at) => find_installed(&words[at], place).map(|found| (&words[at], found)),
            None => find(&words[0], place, path).map(|found| (&words[0], found)),
        };
        if let Ok((name, found)) = found
            && known.iter().all(|executable| &executable.name != name)
        {
            known.push(executables.identify(name, &found));
        }
    }
    Ok(Resolved { program, argv, executables: known, notices, pipefail })
}

/// Adds the tools of `node_modules/.bin` that resolved scripts run, such as `jest` behind `npm test`.
pub(crate) fn add_installed(
    known: &mut Vec<Executable>,
    seen_through: &[String],
    place: &WorkingDirectory,
    executables: &Executables,
) {
    for words in seen_through.iter().flat_map(|line| shell_line::commands(line)) {
        let name = &words[npm::npx_tool(&words).unwrap_or(0)];
        if known.iter().all(|executable| &executable.name != name)
            && let Ok(found) = find_installed(name, place)
        {
            known.push(executables.identify(name, &found));
        }
    }
}

/// Arguments of a POSIX shell before a line.
const PLAIN: &[&str] = &["-c"];
const PIPEFAIL: &[&str] = &["-o", "pipefail", "-c"];

/// Names of PowerShell, the newer first, and its arguments before a line, by which it asks nothing.
const POWER_SHELLS: [&str; 2] = ["pwsh", "powershell"];
const POWER_SHELL: &[&str] = &["-NoLogo", "-NoProfile", "-NonInteractive", "-Command"];

/// Names of cmd.exe, and its arguments before a line: no startup commands, and the line as it is.
const CMDS: [&str; 2] = ["cmd.exe", "cmd"];
const CMD: &[&str] = &["/d", "/s", "/c"];

/// A shell that was found, and how a line is passed to it.
struct Interpreter {
    name: &'static str,
    program: PathBuf,
    arguments: &'static [&'static str],
    /// Whether the shell fails a line when a command inside a pipe fails.
    pipefail: bool,
    notices: Vec<Notice>,
}

/// Finds the shell that runs a line.
fn interpreter(shell: Shell, pipefail: bool, line: &str, path: Option<&OsStr>) -> Result<Interpreter, Refusal> {
    match shell {
        Shell::Posix => {
            bash(pipefail, path).or_else(|_| sh(pipefail, line, "bash was not found, so the line ran in sh", path))
        }
        Shell::Bash => bash(pipefail, path),
        Shell::Sh => sh(pipefail, line, "the line is for sh", path),
        Shell::PowerShell => foreign("PowerShell", &POWER_SHELLS, POWER_SHELL, path),
        Shell::Cmd => foreign("cmd.exe", &CMDS, CMD, path),
        Shell::PreferPowerShell => preferred("PowerShell", &POWER_SHELLS, POWER_SHELL, pipefail, line, path),
        Shell::PreferCmd => preferred("cmd.exe", &CMDS, CMD, pipefail, line, path),
    }
}

fn bash(pipefail: bool, path: Option<&OsStr>) -> Result<Interpreter, Refusal> {
    let program = search("bash", path)?;
    let arguments = if pipefail { PIPEFAIL } else { PLAIN };
    Ok(Interpreter { name: "bash", program, arguments, pipefail, notices: Vec::new() })
}

/// Returns sh, which cannot fail a line for a command inside a pipe; `why` states why it is not bash.
fn sh(pipefail: bool, line: &str, why: &str, path: Option<&OsStr>) -> Result<Interpreter, Refusal> {
    let program = search("sh", path)?;
    let mut notices = Vec::new();
    if pipefail && shell_line::has_pipe(line) {
        notices.push(Notice {
            code: NoticeCode::NoPipefail,
            message: format!(
                "{why}, where a failing command inside a pipe goes unnoticed: install bash, or give the command \
                 without a pipe"
            ),
        });
    }
    Ok(Interpreter { name: "sh", program, arguments: PLAIN, pipefail: false, notices })
}

/// Finds a shell of another system, which may be installed here.
fn foreign(
    title: &str,
    names: &[&'static str],
    arguments: &'static [&'static str],
    path: Option<&OsStr>,
) -> Result<Interpreter, Refusal> {
    let found = names.iter().find_map(|name| Some((*name, search(name, path).ok()?)));
    let (name, program) = found.ok_or_else(|| {
        let message = format!(
            "{title} (`{}`) was not found in PATH: install it, or write the line for another shell",
            names.join("` or `")
        );
        Refusal::new(StartFailure::NotFound, message)
    })?;
    Ok(Interpreter { name, program, arguments, pipefail: false, notices: Vec::new() })
}

/// Returns a shell of another system where it is installed, otherwise a POSIX shell.
fn preferred(
    title: &str,
    names: &[&'static str],
    arguments: &'static [&'static str],
    pipefail: bool,
    line: &str,
    path: Option<&OsStr>,
) -> Result<Interpreter, Refusal> {
    foreign(title, names, arguments, path).or_else(|_| {
        let mut instead = interpreter(Shell::Posix, pipefail, line, path)?;
        let message = format!(
            "the specification prefers {title}, which was not found, so the line ran in {}: what only {title} \
             understands fails there",
            instead.name
        );
        instead.notices.push(Notice { code: NoticeCode::ShellReplaced, message });
        Ok(instead)
    })
}

/// Refuses a command that makes npm install missing packages, where its words cannot be changed: in a shell line
/// they belong to the shell, and some consents cannot be removed without changing the meaning of the rest.
fn refuse_consent(words: &[String]) -> Result<(), Refusal> {
    let Some(consent) = npm::consent(words) else { return Ok(()) };
    let message = format!(
        "with `{}`, `{}` would install what is missing, and checks install nothing. Run npm ci first, and drop `{0}`",
        consent.word,
        consent.without.join(" ")
    );
    Err(Refusal::new(StartFailure::NotFound, message))
}

/// Finds a tool in `node_modules/.bin`, from the command's directory up to the workspace.
fn find_installed(name: &str, place: &WorkingDirectory) -> Result<PathBuf, Refusal> {
    let directories = place.directory.ancestors().take_while(|directory| directory.starts_with(&place.workspace));
    let mut candidates = directories.map(|directory| directory.join("node_modules/.bin").join(name));
    let found = candidates.find(|candidate| candidate.is_file()).ok_or_else(|| {
        let message =
            format!("`{name}` is not installed in node_modules/.bin; npx would download it. Run npm ci first");
        Refusal::new(StartFailure::NotFound, message)
    })?;
    check_executable(name, &found)?;
    Ok(found)
}

/// Finds a program as the system would: a name with a slash by its path, any other on the search path.
pub(crate) fn find(name: &str, place: &WorkingDirectory, path: Option<&OsStr>) -> Result<PathBuf, Refusal> {
    if !name.contains('/') {
        return search(name, path);
    }
    let program = place.directory.join(name);
    match std::fs::metadata(&program) {
        Ok(metadata) if !metadata.is_file() => {
            let kind = if metadata.is_dir() { "a directory" } else { "no file that could be a program" };
            Err(Refusal::new(StartFailure::NotExecutable, format!("`{name}` is {kind}")))
        }
        Ok(_) => check_executable(name, &program).map(|()| program),
        Err(error) => {
            let message = format!("`{name}` cannot be found from {}: {error}", place.directory.display());
            Err(Refusal::new(StartFailure::NotFound, message))
        }
    }
}

pub(crate) fn search(name: &str, path: Option<&OsStr>) -> Result<PathBuf, Refusal> {
    let directories = path.unwrap_or_default().as_bytes().split(|byte| *byte == b':');
    let mut refused = None;
    for directory in directories.filter(|directory| directory.starts_with(b"/")) {
        let candidate = Path::new(OsStr::from_bytes(directory)).join(name);
        if !candidate.is_file() {
            continue;
        }
        match check_executable(name, &candidate) {
            Ok(()) => return Ok(candidate),
            Err(refusal) => refused = refused.or(Some(refusal)),
        }
    }
    Err(refused.unwrap_or_else(|| {
        let place = if path.is_none_or(OsStr::is_empty) { "PATH, which is empty" } else { "PATH" };
        Refusal::new(
            StartFailure::NotFound,
            format!("`{name}` was not found in {place}: install it, or correct its name"),
        )
    }))
}

fn check_executable(name: &str, program: &Path) -> Result<(), Refusal> {
    rustix::fs::access(program, Access::EXEC_OK).map_err(|_| {
        let message = format!("`{name}` may not be executed: {} lacks the permission (chmod +x)", program.display());
        Refusal::new(StartFailure::NotExecutable, message)
    })
}

/// Refuses a text file without a `#!` line. The system refuses it too, but a C library may pass it to a shell
/// instead, where an empty file succeeds.
fn refuse_plain_text(resolved: &Resolved) -> Result<(), Refusal> {
    let is_text = head(&resolved.program).is_some_and(|head| !head.contains(&0) && !head.starts_with(b"#!"));
    if is_text {
        let message = format!("`{}` has no `#!` line and is not a program", resolved.program.display());
        return Err(Refusal::new(StartFailure::BadFormat, message));
    }
    Ok(())
}

/// Returns what the system is missing to start an existing program.
pub(crate) fn missing_interpreter(program: &Path) -> String {
    let head = head(program).unwrap_or_default();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let interpreter = line.strip_prefix(b"#!").map(|line| String::from_utf8_lossy(line).into_owned());
    match interpreter {
        Some(line) => {
            format!("`{}` asks for the interpreter {:?}, which is missing", program.display(), line.trim_start())
        }
        None => format!("`{}` needs a loader that is missing", program.display()),
    }
}

/// Returns the first bytes of a program. None: it may be executed but not read.
pub(crate) fn head(program: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(program).ok()?.take(256).read_to_end(&mut head).ok()?;
    Some(head)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked at")]
mod tests {
    use std::ffi::OsString;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    struct Workspace(tempfile::TempDir);

    impl Workspace {
        /// Creates a workspace with a program at each of the paths.
        fn with(programs: &[&str]) -> Self {
            let workspace = Self(tempfile::tempdir().unwrap());
            for program in programs {
                workspace.file(program, "#!/bin/sh\n", 0o755);
            }
            workspace
        }

        fn file(&self, path: &str, text: &str, mode: u32) {
            let path = self.0.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }

        fn resolve(&self, directory: &str, invocation: &Invocation) -> Result<Resolved, Refusal> {
            let place = WorkingDirectory::find(self.0.path(), &WorkspacePath::parse(directory).unwrap())?;
            let path = OsString::from(format!("relative:{0}/bin:{0}/more", place.workspace.display()));
            resolve(invocation, &place, Some(&path), &Executables::default())
        }

        fn argv(&self, directory: &str, line: &str) -> Result<(String, String), (StartFailure, String)> {
            let words = line.split(' ').map(str::to_owned).collect();
            let root = self.0.path().canonicalize().unwrap().to_str().unwrap().to_owned();
            let relative = |text: String| text.replace(&root, "~");
            match self.resolve(directory, &Invocation::Argv(words)) {
                Ok(resolved) => {
                    Ok((relative(resolved.program.display().to_string()), relative(resolved.argv.join(" "))))
                }
                Err(refusal) => Err((refusal.cause, relative(refusal.message))),
            }
        }
    }

    #[test]
    fn programs_are_found_by_path_from_the_directory_and_by_name_in_the_search_path() {
        let workspace = Workspace::with(&["bin/tool", "more/tool", "more/other", "web/run", "relative/hidden"]);
        workspace.file("bin/other", "#!/bin/sh\n", 0o644);
        for (directory, line, program) in [
            ("", "tool -x", "~/bin/tool"),
            ("", "other", "~/more/other"),
            ("web", "./run a", "~/web/./run"),
            ("", "web/run", "~/web/run"),
        ] {
            assert_eq!(workspace.argv(directory, line), Ok((program.to_owned(), line.to_owned())), "{line}");
        }
    }

    #[test]
    fn what_cannot_be_started_is_told_by_kind() {
        let workspace = Workspace::with(&["bin/tool", "web/run"]);
        workspace.file("bin/plain", "#!/bin/sh\n", 0o644);
        workspace.file("text", "echo no interpreter\n", 0o755);
        workspace.file("empty", "", 0o755);
        for (directory, line, cause, part) in [
            ("", "missing", StartFailure::NotFound, "`missing` was not found in PATH"),
            ("", "hidden", StartFailure::NotFound, "not found"),
            ("", "./missing", StartFailure::NotFound, "cannot be found from ~"),
            ("", "", StartFailure::NotFound, "names no program"),
            ("", "plain", StartFailure::NotExecutable, "may not be executed"),
            ("", "bin/plain", StartFailure::NotExecutable, "chmod +x"),
            ("", "./web", StartFailure::NotExecutable, "is a directory"),
            ("", "./text", StartFailure::BadFormat, "no `#!` line"),
            ("", "./empty", StartFailure::BadFormat, "no `#!` line"),
            ("gone", "tool", StartFailure::BadDirectory, "cannot be used"),
            ("bin/tool", "tool", StartFailure::BadDirectory, "is not a directory"),
        ] {
            let refused = workspace.argv(directory, line).unwrap_err();
            assert_eq!(refused.0, cause, "{line}");
            assert!(refused.1.contains(part), "{line}: {}", refused.1);
        }
    }

    #[test]
    fn a_directory_behind_a_link_that_leaves_the_workspace_is_refused() {
        let workspace = Workspace::with(&["bin/tool"]);
        std::os::unix::fs::symlink("/", workspace.0.path().join("out")).unwrap();
        std::os::unix::fs::symlink("bin", workspace.0.path().join("in")).unwrap();
        assert_eq!(workspace.argv("out", "tool").unwrap_err().0, StartFailure::BadDirectory);
        assert!(workspace.argv("in", "tool").is_ok());
    }

    #[test]
    fn npx_runs_what_is_installed_between_the_directory_and_the_workspace() {
        let workspace =
            Workspace::with(&["bin/npx", "node_modules/.bin/tsc", "web/node_modules/.bin/tsc", "web/src/x"]);
        let root = "~/node_modules/.bin/tsc";
        let web = "~/web/node_modules/.bin/tsc";
        for (directory, line, program, argv) in [
            ("", "npx tsc --noEmit", root, format!("{root} --noEmit")),
            ("", "npx --no-install tsc", root, root.to_owned()),
            ("", "npx -y -- tsc -y", root, format!("{root} -y")),
            ("web/src", "npx tsc", web, web.to_owned()),
            // Only npx itself can resolve this, and it must not install.
            ("", "npx tsc@5 -p .", "~/bin/npx", "npx tsc@5 -p .".to_owned()),
            ("", "npx -y -p typescript tsc -y", "~/bin/npx", "npx -p typescript tsc -y".to_owned()),
            ("", "npx", "~/bin/npx", "npx".to_owned()),
        ] {
            assert_eq!(workspace.argv(directory, line), Ok((program.to_owned(), argv)), "{line}");
        }
        let (cause, message) = workspace.argv("web", "npx jest").unwrap_err();
        assert_eq!(cause, StartFailure::NotFound);
        assert_eq!(message, "`jest` is not installed in node_modules/.bin; npx would download it. Run npm ci first");
    }

    #[test]
    fn consent_to_installing_is_taken_from_words_and_refused_in_lines() {
        let workspace = Workspace::with(&["bin/npx", "bin/npm", "bin/bash", "node_modules/.bin/tsc", "web/x"]);
        for (line, argv) in [
            ("npx --yes=true tsc", "~/node_modules/.bin/tsc"),
            ("npx --package typescript --yes tsc", "npx --package typescript tsc"),
            ("npm exec --yes -- tsc -y", "npm exec -- tsc -y"),
            ("npm x -y tsc", "npm x tsc"),
            ("npm exec -y -w web -- jest", "npm exec -w web -- jest"),
            ("npx -y typescript@5", "npx typescript@5"),
        ] {
            assert_eq!(workspace.argv("web", line).map(|(_, argv)| argv), Ok(argv.to_owned()), "{line}");
        }
        let kept = workspace.argv("web", "npx -p -y true -y").unwrap_err();
        assert!(kept.0 == StartFailure::NotFound && kept.1.contains("drop `-y`"), "{}", kept.1);
        let in_shell = |line: &str| {
            workspace.resolve("", &Invocation::Shell { line: line.to_owned(), pipefail: false, shell: Shell::Posix })
        };
        for line in [
            "npx --yes cowsay",
            "npm exec --yes -- cowsay",
            "npm x -y cowsay",
            "npx --package cowsay --yes cowsay",
            "npx --package cowsay --yes true",
        ] {
            let words = workspace.argv("", line).unwrap_err();
            assert_eq!(words.0, StartFailure::NotFound, "{line}");
            assert!(words.1.contains("npx would download it. Run npm ci first, and drop `-"), "{line}: {}", words.1);
            let refused = in_shell(&format!("cd web && CI=1 {line} | cat")).unwrap_err();
            assert_eq!(refused.cause, StartFailure::NotFound, "{line}");
            assert!(refused.message.contains("Run npm ci first, and drop `-"), "{line}: {}", refused.message);
        }
        assert_eq!(
            in_shell("npm x -y cowsay").unwrap_err().message,
            "with `-y`, `npm x cowsay` would install what is missing, and checks install nothing. Run npm ci first, \
             and drop `-y`"
        );
        for line in [
            "npx cowsay",
            "npx tsc -y",
            "npm exec -- tsc -y",
            "npm init -y",
            "echo npx -y cowsay",
            "grep -r 'npx -y cowsay' . # npx -y cowsay",
            "cat <<EOF\nnpx -y cowsay\nEOF\ntsc",
        ] {
            assert!(in_shell(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn lines_go_to_bash_with_pipefail_and_to_sh_with_a_notice_where_there_is_none() {
        let line = "npx tsc | tool; cd x".to_owned();
        let shell = |pipefail| Invocation::Shell { line: line.clone(), pipefail, shell: Shell::Posix };
        let both = Workspace::with(&["bin/bash", "bin/sh", "bin/tool", "node_modules/.bin/tsc"]);
        for (pipefail, argv) in [(true, vec!["bash", "-o", "pipefail", "-c"]), (false, vec!["bash", "-c"])] {
            let resolved = both.resolve("", &shell(pipefail)).unwrap();
            assert_eq!(resolved.argv[..resolved.argv.len() - 1], argv);
            assert_eq!(resolved.pipefail, pipefail);
            assert!(resolved.notices.is_empty());
            let names: Vec<_> = resolved.executables.iter().map(|executable| executable.name.as_str()).collect();
            assert_eq!(names, ["bash", "tsc", "tool"]);
            assert!(resolved.executables.iter().all(|executable| executable.sha256.is_some()));
        }
        let plain = Workspace::with(&["bin/sh"]);
        let resolved = plain.resolve("", &shell(true)).unwrap();
        assert_eq!(resolved.argv[..2], ["sh", "-c"]);
        assert_eq!(resolved.notices[0].code, NoticeCode::NoPipefail);
        assert!(!resolved.pipefail);
        assert!(plain.resolve("", &shell(false)).unwrap().notices.is_empty());
        assert_eq!(Workspace::with(&[]).resolve("", &shell(true)).unwrap_err().cause, StartFailure::NotFound);
    }

    #[test]
    fn each_shell_is_found_by_its_names_and_given_the_line_its_own_way() {
        let all = ["bin/bash", "bin/sh", "bin/pwsh", "bin/powershell", "bin/cmd.exe"];
        let posix = ["bin/bash", "bin/sh"];
        let power = "pwsh -NoLogo -NoProfile -NonInteractive -Command";
        for (programs, shell, expected, notice) in [
            (&all[..], Shell::Posix, Ok("bash -o pipefail -c"), None),
            (&all, Shell::Bash, Ok("bash -o pipefail -c"), None),
            (&all, Shell::Sh, Ok("sh -c"), Some(NoticeCode::NoPipefail)),
            (&all, Shell::PowerShell, Ok(power), None),
            (&all, Shell::PreferPowerShell, Ok(power), None),
            (&all[3..4], Shell::PowerShell, Ok("powershell -NoLogo -NoProfile -NonInteractive -Command"), None),
            (&all, Shell::Cmd, Ok("cmd.exe /d /s /c"), None),
            (&all, Shell::PreferCmd, Ok("cmd.exe /d /s /c"), None),
            (&posix, Shell::PreferPowerShell, Ok("bash -o pipefail -c"), Some(NoticeCode::ShellReplaced)),
            (&posix, Shell::PreferCmd, Ok("bash -o pipefail -c"), Some(NoticeCode::ShellReplaced)),
            (&posix, Shell::PowerShell, Err("PowerShell (`pwsh` or `powershell`) was not found in PATH"), None),
            (&posix, Shell::Cmd, Err("cmd.exe (`cmd.exe` or `cmd`) was not found in PATH"), None),
            (&posix[1..], Shell::Bash, Err("`bash` was not found in PATH"), None),
            (&posix[..1], Shell::Sh, Err("`sh` was not found in PATH"), None),
        ] {
            let invocation = Invocation::Shell { line: "a | b".to_owned(), pipefail: true, shell };
            match (Workspace::with(programs).resolve("", &invocation), expected) {
                (Ok(resolved), Ok(words)) => {
                    assert_eq!(resolved.argv.join(" "), format!("{words} a | b"), "{shell:?}");
                    let codes: Vec<_> = resolved.notices.iter().map(|notice| notice.code).collect();
                    assert_eq!(codes, Vec::from_iter(notice), "{shell:?}");
                }
                (Err(refusal), Err(part)) => {
                    assert_eq!(refusal.cause, StartFailure::NotFound, "{shell:?}");
                    assert!(refusal.message.contains(part), "{shell:?}: {}", refusal.message);
                    assert_eq!(as_asked(&invocation).last().unwrap(), "a | b");
                }
                (came, _) => panic!("{shell:?}: {came:?}"),
            }
        }
    }

    #[test]
    fn a_missing_interpreter_is_named() {
        let workspace = Workspace::with(&[]);
        workspace.file("script", "#! /nowhere/python3\r\nx\n", 0o755);
        let message = missing_interpreter(&workspace.0.path().join("script"));
        assert!(message.ends_with("asks for the interpreter \"/nowhere/python3\\r\", which is missing"), "{message}");
    }
}
