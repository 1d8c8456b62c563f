//! Converts paths in tool output to workspace paths.

use std::path::Path;

use referee_model::id::WorkspacePath;
use referee_model::plan::Plan;
use referee_model::reading::Reading;

/// Makes every file path in a reading relative to the workspace, if it lies below it. Tools print absolute
/// paths, or paths relative to the directory they ran in. Paths outside the workspace stay as printed.
pub(crate) fn in_workspace(reading: &mut Reading, plan: &Plan, directory: &WorkspacePath) {
    let files = reading.diagnostics.iter_mut().flat_map(|found| {
        std::iter::once(&mut found.file).chain(found.related.iter_mut().map(|related| &mut related.file))
    });
    let tests = reading.tests.iter_mut().flat_map(|tests| {
        tests
            .failures
            .iter_mut()
            .map(|failure| &mut failure.file)
            .chain(tests.cases.iter_mut().map(|case| &mut case.file))
    });
    for file in files.chain(tests).flatten() {
        if let Some(placed) = placed(file, plan.workspaces(), directory) {
            *file = placed;
        }
    }
}

fn placed<'plan>(
    file: &str,
    mut workspaces: impl Iterator<Item = &'plan Path>,
    directory: &WorkspacePath,
) -> Option<String> {
    let below = match workspaces.find_map(|workspace| Path::new(file).strip_prefix(workspace).ok()) {
        Some(below) => below.to_str()?.to_owned(),
        None if Path::new(file).is_absolute() => return None,
        None => format!("{}/{file}", directory.as_str()).trim_start_matches('/').to_owned(),
    };
    WorkspacePath::parse(&below).ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_workspace_are_named_relative_to_it() {
        let rows = [
            ("/w/src/a.ts", "", Some("src/a.ts")),
            ("/w/src/a.ts", "pkg", Some("src/a.ts")),
            ("src/a.ts", "", Some("src/a.ts")),
            ("./src/a.ts", "", Some("src/a.ts")),
            ("src/a.ts", "pkg/web", Some("pkg/web/src/a.ts")),
            ("../lib/a.ts", "pkg/web", Some("pkg/lib/a.ts")),
            ("../../../a.ts", "pkg/web", None),
            ("/part/of/it/src/a.ts", "pkg", Some("src/a.ts")),
            ("/elsewhere/a.ts", "", None),
            ("/work/a.ts", "", None),
        ];
        for (file, directory, expected) in rows {
            let directory = WorkspacePath::parse(directory).unwrap();
            assert_eq!(
                placed(file, ["/w", "/part/of/it"].map(Path::new).into_iter(), &directory).as_deref(),
                expected,
                "{file}"
            );
        }
    }
}
