//! Detects Ruby: RSpec, Minitest by rake, Rails, RuboCop.

use referee_model::selection::Level;

use super::ProjectDirectory;
use super::project::{Draft, Ecosystem};
use super::text::mentions;

/// Detects a bundle, a Rakefile or specs.
pub(super) fn detect(place: &ProjectDirectory<'_>) -> Option<Draft> {
    let sign = place.first(&["Gemfile", "Rakefile", "rakefile", ".rspec"])?;
    let mut draft = Draft::new(Ecosystem::Ruby, place.directory, sign);
    let bundle = if place.has("Gemfile") { "bundle exec " } else { "" };
    let rakefile = place.text("Rakefile").or_else(|| place.text("rakefile")).unwrap_or_default();
    if place.has(".rspec") || place.files().any(|path| path.ends_with("_spec.rb")) {
        draft.check("test", format!("{bundle}rspec"), Level::Fast, "There are specs of RSpec");
    } else if place.has("bin/rails") && place.has_directory("test") {
        draft.check("test", "bin/rails test", Level::Fast, "There are bin/rails and tests");
    } else if rakefile.contains("TestTask") {
        draft.check("test", format!("{bundle}rake test"), Level::Fast, "The Rakefile has a task of tests");
    } else {
        draft.notes.push("no test of Ruby was found".to_owned());
    }
    if let Some(config) = place.first(&[".rubocop.yml"]) {
        let line = format!("{bundle}rubocop");
        let code: Vec<&str> = rakefile.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        if mentions(&code.join("\n"), "RuboCop") {
            draft.check("lint", line, Level::Fast, format!("There is {config}, and the Rakefile runs it"));
        } else {
            draft.check_if_run("lint", &line, Level::Fast, &format!("There is {config}"), place.run_by(&["rubocop"]));
        }
    }
    Some(draft)
}
