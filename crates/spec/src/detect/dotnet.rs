//! Detects .NET: solutions and projects.

use referee_model::selection::Level;

use super::ProjectDirectory;
use super::project::{Draft, Ecosystem};

/// Detects a solution, else a project.
pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let here = |endings: &[&str]| {
        place
            .files()
            .find(|path| !path.contains('/') && endings.iter().any(|ending| path.ends_with(ending)))
            .map(str::to_owned)
    };
    let found = here(&[".sln", ".slnx"]).or_else(|| here(&[".csproj", ".fsproj", ".vbproj"]))?;
    let mut draft = Draft::new(Ecosystem::Dotnet, place.directory, found.clone());
    draft.check("build", "dotnet build", Level::Smoke, found.clone());
    let projects = || place.texts().filter(|(path, _)| path.ends_with("proj"));
    if projects().any(|(_, text)| {
        text.contains("Microsoft.NET.Test.Sdk") || text.contains("MSTest.Sdk") || text.contains("TUnit")
    }) {
        draft.check("test", "dotnet test", Level::Fast, format!("{found}, and a project of tests"));
    } else {
        draft.notes.push("no project of tests was found among those of .NET".to_owned());
    }
    if let Some((path, _)) = projects().find(|(_, text)| text.contains("<TreatWarningsAsErrors>true")) {
        draft.block_on_warnings("msbuild", format!("{path} says `TreatWarningsAsErrors`"));
    }
    if let Some(line) = place.run_by(&["dotnet format"]).filter(|line| line.is_of_ci) {
        let because = format!("{} checks the format", line.file);
        draft.check("format", "dotnet format --verify-no-changes", Level::Strict, because.clone());
        draft.block_on_warnings("formatting", because);
    }
    Some(draft)
}
