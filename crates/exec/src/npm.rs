//! Predicts what npm does with a command: which tool npx runs, and whether the command consents to installing it.
//!
//! `npm_config_yes=false` keeps npm from installing, but its own `--yes` takes precedence over the environment. So
//! npm's options are parsed here as npm 11 parses them. npx ends its options at the first word that is not one;
//! `npm exec` only at `--`.

/// Options of npm that do not take the next word as their value, by name and by short name.
const SWITCHES: &str = "
    all allow-same-version allow-scripts-pending allow-scripts-pin audit bin-links browser bypass-2fa color
    commit-hooks dangerously-allow-all-scripts description dev diff-ignore-all-space diff-name-only
    diff-no-prefix diff-text dry-run engine-strict expect-results force foreground-scripts format-package-lock
    fund git-tag-version global global-style if-present ignore-scripts include-attestations include-staged
    include-workspace-root init-private install-links json legacy-bundling legacy-peer-deps link long
    no-install offline omit-lockfile-registry-resolved optional package-lock package-lock-only packages-all
    parseable prefer-dedupe prefer-offline prefer-online production progress provenance read-only
    rebuild-bundle save save-bundle save-dev save-exact save-optional save-peer save-prod shrinkwrap
    sign-git-commit sign-git-tag strict-allow-scripts strict-peer-deps strict-ssl timing unicode
    update-notifier usage version versions workspaces workspaces-update yes a B D d dd ddd desc E f g H h help
    iwr l O P porcelain q quiet readonly S s silent v verbose ws y ?
";

/// Letters that npm accepts as separate options, so that `-qy` is `-q -y`.
const LETTERS: &str = "?BCDEHLOPSacdfghlmnpqsvwy";

/// A command that consents to installing missing packages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Consent<'words> {
    pub(crate) word: &'words str,
    /// The tool that is run. None: its name, or the directory in which it is searched, is not certain.
    pub(crate) tool: Option<&'words str>,
    /// The command without its consent.
    pub(crate) without: Vec<String>,
    /// Whether the rest keeps its meaning without the consent. If not, as in `npx -p -y tool`, the command must not
    /// be run without its consent either.
    pub(crate) is_removable: bool,
}

/// Returns the index of the tool that npx runs. None: npx itself decides which tool it is, as with versions, scoped
/// packages, and options of its own.
pub(crate) fn npx_tool(words: &[String]) -> Option<usize> {
    let (name, rest) = words.split_first()?;
    let at = 1 + rest.iter().take_while(|word| *word == "--" || is_harmless(word)).count();
    (name == "npx" && is_plain(words.get(at)?)).then_some(at)
}

/// Returns the consent of a command that makes npm install missing packages without asking. None: it does not
/// consent.
pub(crate) fn consent(words: &[String]) -> Option<Consent<'_>> {
    let is_npx = match words.first()?.rsplit('/').next()? {
        "npx" => true,
        "npm" => false,
        _ => return None,
    };
    let mut executes = is_npx;
    let mut plain = true;
    let mut tool = None;
    let mut answers = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let next = words.get(at + 1);
        at += 1;
        if word == "--" {
            tool = tool.or(next);
            break;
        }
        if !word.starts_with('-') {
            if executes {
                tool = tool.or(Some(word));
            } else if !matches!(word.as_str(), "exec" | "exe" | "x") {
                return None;
            }
            if executes && is_npx {
                break;
            }
            executes = true;
            continue;
        }
        let is_package = matches!(name_and_value(word).0, "package") || (is_npx && name_and_value(word).0 == "p");
        plain &= is_package || is_harmless(word);
        // npx takes no value after a switch, where npm takes `true` and `false`.
        let is_answered = !is_npx && next.is_some_and(|next| next == "true" || next == "false");
        let value = next.filter(|_| is_answered);
        let agrees = answer(word, value.map(String::as_str));
        let last = if agrees.is_some() && value.is_some() { at + 1 } else { at };
        answers.extend(agrees.map(|agrees| (agrees, at - 1..last)));
        let takes_next = if agrees.is_some() { last > at } else { takes_value(word) };
        if takes_next && next.is_some_and(|next| !next.starts_with('-')) {
            at += 1;
        }
    }
    // The last answer is decisive.
    let (_, place) = answers.last().filter(|(agrees, _)| *agrees && executes)?;
    let drops = |at| answers.iter().any(|(agrees, place)| *agrees && place.contains(&at));
    let is_gone = |at: usize| drops(at) && !is_bundle(&words[at]);
    let without = words.iter().enumerate().filter_map(|(at, word)| match (drops(at), is_bundle(word)) {
        (false, _) => Some(word.clone()),
        (true, true) => Some(word.replace('y', "")),
        (true, false) => None,
    });
    Some(Consent {
        word: &words[place.start],
        tool: tool.filter(|tool| plain && is_plain(tool)).map(String::as_str),
        without: without.collect(),
        is_removable: !joins_strangers(words, is_gone),
    })
}

/// Whether removing the words between them puts an option before a word that it would take as its value.
fn joins_strangers(words: &[String], is_gone: impl Fn(usize) -> bool) -> bool {
    let kept: Vec<usize> = (0..words.len()).filter(|at| !is_gone(*at)).collect();
    kept.windows(2).filter(|pair| pair[0] + 1 < pair[1]).any(|pair| {
        let (option, word) = (&words[pair[0]], &words[pair[1]]);
        let is_value = match answer(option, None) {
            Some(_) => matches!(word.as_str(), "true" | "false"),
            None => takes_value(option),
        };
        option.starts_with('-') && option != "--" && !word.starts_with('-') && is_value
    })
}

/// Whether a word is an option that affects neither the tool nor where it is searched.
fn is_harmless(word: &str) -> bool {
    let is_quiet = matches!(word, "--no-install" | "--offline" | "--prefer-offline" | "-q" | "--quiet");
    is_quiet || (word.starts_with('-') && !is_bundle(word) && answer(word, None).is_some())
}

/// Whether a word is the plain name of a tool: no version, scoped package or path.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && !word.starts_with(['-', '.']) && !word.contains(['@', '/'])
}

fn name_and_value(option: &str) -> (&str, Option<&str>) {
    let option = option.trim_start_matches('-');
    option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)))
}

fn takes_value(option: &str) -> bool {
    let (name, value) = name_and_value(option);
    value.is_none() && SWITCHES.split_ascii_whitespace().all(|switch| switch != name)
}

/// Whether an option combines several letters, one of which consents.
fn is_bundle(option: &str) -> bool {
    let (name, _) = name_and_value(option);
    option.starts_with('-') && name.len() > 1 && name.contains('y') && name.chars().all(|one| LETTERS.contains(one))
}

/// Returns what an option answers to the question whether to install. None: it is another option.
fn answer(option: &str, next: Option<&str>) -> Option<bool> {
    let (mut name, value) = name_and_value(option);
    let mut agrees = value.or(next) != Some("false");
    while let Some(rest) = name.strip_prefix("no-") {
        (name, agrees) = (rest, !agrees);
    }
    match name {
        // npm accepts abbreviated names of options.
        "y" | "ye" | "yes" => Some(agrees),
        "n" | "no" => Some(!agrees),
        _ if is_bundle(option) => Some(agrees == (name.rfind('y') > name.rfind('n'))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn consent_is_seen_in_all_its_spellings_and_taken_away() {
        for (line, word, tool, without) in [
            ("npx --yes cowsay", "--yes", Some("cowsay"), "npx cowsay"),
            ("npx -y cowsay hi -y", "-y", Some("cowsay"), "npx cowsay hi -y"),
            ("npx --yes=true cowsay", "--yes=true", Some("cowsay"), "npx cowsay"),
            ("npx --yes=1 cowsay", "--yes=1", Some("cowsay"), "npx cowsay"),
            ("npx --ye -- cowsay --yes", "--ye", Some("cowsay"), "npx -- cowsay --yes"),
            ("npx --no-yes=false cowsay", "--no-yes=false", Some("cowsay"), "npx cowsay"),
            ("npx --package cowsay --yes cowsay", "--yes", Some("cowsay"), "npx --package cowsay cowsay"),
            ("npx -p cowsay -y cowsay -y", "-y", Some("cowsay"), "npx -p cowsay cowsay -y"),
            ("npx --silent -y cowsay", "-y", None, "npx --silent cowsay"),
            ("npx --cache directory -y cowsay", "-y", None, "npx --cache directory cowsay"),
            ("npx -qy cowsay", "-qy", None, "npx -q cowsay"),
            ("npx -y cowsay@1", "-y", None, "npx cowsay@1"),
            ("npx -y @scope/cowsay", "-y", None, "npx @scope/cowsay"),
            ("npx -y", "-y", None, "npx"),
            ("/usr/bin/npx -y cowsay", "-y", Some("cowsay"), "/usr/bin/npx cowsay"),
            // For npx `true` is the tool, for npm it is the answer.
            ("npx --yes true cowsay", "--yes", Some("true"), "npx true cowsay"),
            ("npm exec --yes true -- cowsay", "--yes", Some("cowsay"), "npm exec -- cowsay"),
            ("npm exec --no false cowsay", "--no", Some("cowsay"), "npm exec cowsay"),
            ("npm exec --yes -- cowsay -y", "--yes", Some("cowsay"), "npm exec -- cowsay -y"),
            ("npm x -y cowsay", "-y", Some("cowsay"), "npm x cowsay"),
            ("npm exec cowsay -y", "-y", Some("cowsay"), "npm exec cowsay"),
            ("npm --yes exec cowsay", "--yes", Some("cowsay"), "npm exec cowsay"),
            ("npm --prefix web exec -y cowsay", "-y", None, "npm --prefix web exec cowsay"),
            ("npm exec -w web -y -- cowsay", "-y", None, "npm exec -w web -- cowsay"),
            ("npm exec -n -y cowsay", "-y", Some("cowsay"), "npm exec -n cowsay"),
        ] {
            let expected = Consent { word, tool, without: words(without), is_removable: true };
            assert_eq!(consent(&words(line)), Some(expected), "{line}");
        }
    }

    #[test]
    fn a_consent_that_keeps_an_option_from_the_next_word_cannot_be_taken_away() {
        for line in ["npx -p -y true -y", "npx -p -y -y tool", "npm exec -w -y tool", "npm exec -n -y true false"] {
            assert_eq!(consent(&words(line)).map(|consent| consent.is_removable), Some(false), "{line}");
        }
    }

    #[test]
    fn what_is_no_consent_is_left_alone() {
        for line in [
            "npx cowsay -y",
            "npx cowsay --yes",
            "npx -- cowsay -y",
            "npx --silent cowsay -y",
            "npx -p cowsay cowsay -y",
            "npx --package=cowsay -q cowsay -y",
            "npx --yes=false cowsay",
            "npx --no-yes cowsay",
            "npx -y --no cowsay",
            "npx --no-install cowsay --yes",
            "npm exec cowsay -- -y",
            "npm exec -- cowsay -y",
            "npm exec --yes false cowsay",
            "npm exec -y -n cowsay",
            "npm init -y",
            "npm run exec -y",
            "npm -- exec -y",
            "npm -y",
            "yes -y",
            "npx",
            "npm",
            "",
        ] {
            assert_eq!(consent(&words(line)), None, "{line}");
        }
        assert_eq!(consent(&[]), None);
    }

    proptest! {
        #[test]
        fn without_its_consent_no_command_consents(
            rest in "( (-y|--yes|--yes=true|-n|--no|-qy|-p|--package|--|true|false|tool|exec|x|-w|--silent)){0,8}",
            name in "np[mx]",
        ) {
            let given = words(&format!("{name}{rest}"));
            if let Some(consented) = consent(&given) {
                prop_assert!(consented.without.len() <= given.len());
                if consented.is_removable {
                    prop_assert_eq!(consent(&consented.without), None);
                }
            }
            npx_tool(&given);
        }
    }
}
