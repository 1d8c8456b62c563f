//! Checks the program that hooks start: it exists, is this one, and cannot be replaced. It is never started for that.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_judge::doctor::Program;
use referee_model::doctor::{Check, Finding, Grade};
use rustix::fs::Access;

use super::project::Project;
use super::{Hooks, home};

/// Checks each program that a hook starts, once.
pub(super) fn look(context: &Context, project: &Project, hooks: &Hooks) -> Vec<Finding> {
    let mut programs: Vec<&Program> = Vec::new();
    for (_, hook) in &hooks.installed {
        if !programs.contains(&&hook.program) {
            programs.push(&hook.program);
        }
    }
    programs.into_iter().flat_map(|program| of_program(context, project, program)).collect()
}

fn of_program(context: &Context, project: &Project, program: &Program) -> Vec<Finding> {
    let Program::Named(name) = program else {
        let what =
            "it cannot be determined which program a hook starts: its command names none by a plain word or path";
        return vec![Finding::bad(Check::Program, Grade::Unknown, what)];
    };
    let bad = |what: String| vec![Finding::bad(Check::Program, Grade::Problem, what)];
    let Some(found) = find(context, project, name) else {
        return bad(format!("`{name}` is not found: the hook starts nothing, and blocks at best"));
    };
    let Ok(whole) = std::fs::canonicalize(&found) else {
        return bad(format!("{} cannot be found", found.display()));
    };
    if whole.starts_with(&project.directory) || found.starts_with(&project.directory) {
        return bad(format!("{} is in the project", found.display()));
    }
    let is_this = std::env::current_exe().is_ok_and(|own| is_same(&own, &whole));
    let what = if is_this {
        Finding::ok(Check::Program, format!("`{name}` is this program: {}", whole.display()))
    } else {
        let what = format!("`{name}` is another program than this one: {}", whole.display());
        Finding::bad(Check::Program, Grade::Warning, what)
            .fixed_by(format!("`{} --version` tells which; install the same one everywhere.", whole.display()))
    };
    vec![what, owner(&whole)]
}

/// Finds a program as a shell would, from the project's directory.
pub(super) fn find(context: &Context, project: &Project, name: &str) -> Option<PathBuf> {
    if let Some(below) = name.strip_prefix("~/") {
        return home(context).map(|home| home.join(below)).filter(|path| is_program(path));
    }
    if name.contains('/') {
        return Some(project.directory.join(name)).filter(|path| is_program(path));
    }
    let path = context.search_path()?;
    std::env::split_paths(path)
        .map(|directory| project.directory.join(directory).join(name))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

/// Returns whether two files are the same, or have the same content.
fn is_same(one: &Path, other: &Path) -> bool {
    let (Ok(facts), Ok(others)) = (one.metadata(), other.metadata()) else { return false };
    if (facts.dev(), facts.ino()) == (others.dev(), others.ino()) {
        return true;
    }
    facts.len() == others.len() && holds_the_same(one, other).unwrap_or(false)
}

fn holds_the_same(one: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let (mut left, mut right) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    loop {
        let read = one.read(&mut left)?;
        if read == 0 {
            return Ok(other.read(&mut right)? == 0);
        }
        let (Some(ours), Some(theirs)) = (left.get(..read), right.get_mut(..read)) else { return Ok(false) };
        if other.read_exact(theirs).is_err() || ours != &*theirs {
            return Ok(false);
        }
    }
}

/// Reports who may replace a program.
fn owner(program: &Path) -> Finding {
    let for_all = program.ancestors().find(|path| {
        path.metadata().is_ok_and(|facts| {
            let mode = facts.permissions().mode();
            // In a directory with the sticky bit, files of other users cannot be replaced.
            mode & 0o002 != 0 && !(facts.is_dir() && mode & 0o1000 != 0)
        })
    });
    if let Some(path) = for_all {
        let what = format!("every user may write to {}", path.display());
        return Finding::bad(Check::ProgramOwner, Grade::Problem, what)
            .fixed_by(format!("`chmod o-w {}`.", path.display()));
    }
    let may_write = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
    if may_write(program) || program.parent().is_some_and(may_write) {
        let what = format!("this user may replace {}, and so may an agent that runs as this user", program.display());
        return Finding::bad(Check::ProgramOwner, Grade::Warning, what);
    }
    Finding::ok(Check::ProgramOwner, format!("this user cannot replace {}", program.display()))
}
