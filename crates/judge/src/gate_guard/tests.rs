use super::*;

fn of(tool: &ToolUse) -> Option<String> {
    let guarded =
        ["/work/.claude/settings.json", "/work/.claude/settings.local.json", "/work/.claude/hooks/referee.sh"];
    let mut guarded: Vec<PathBuf> = guarded.iter().map(PathBuf::from).collect();
    guarded.push("/home/dev/.claude/settings.json".into());
    let ground = GuardScope { directory: Path::new("/work"), home: Some(Path::new("/home/dev")), guarded: &guarded };
    touched(tool, &ground).map(|path| path.display().to_string())
}

fn of_line(line: &str) -> Option<String> {
    of(&ToolUse::Shell(line.to_owned()))
}

#[test]
fn an_edit_of_a_file_that_arms_the_gate_is_seen_by_whatever_name() {
    for path in [
        "/work/.claude/settings.json",
        ".claude/settings.json",
        "./src/../.claude//settings.json",
        "/work/x/../.claude/settings.json",
    ] {
        assert_eq!(of(&ToolUse::Edit(path.into())).as_deref(), Some("/work/.claude/settings.json"), "{path}");
    }
    for path in ["src/main.py", ".claude/settings.json.md", "docs/.claude/settings.json", ".claude", "", "/"] {
        assert_eq!(of(&ToolUse::Edit(path.into())), None, "{path}");
    }
}

#[test]
fn a_line_that_plainly_writes_such_a_file_is_seen() {
    for line in [
        "echo '{}' > .claude/settings.json",
        "echo '{}'>.claude/settings.json",
        "cat x >> \"$CLAUDE_PROJECT_DIR/.claude/settings.json\"",
        "true &>.claude/settings.json",
        "make 2>.claude/settings.json",
        "rm .claude/settings.json",
        "rm -rf .claude",
        "rm -rf .claude/*",
        "rm -f .claude/sett*",
        "cd .claude && rm settings.json",
        "sudo rm -f /work/.claude/settings.json",
        "X=1 rm .claude/settings.json",
        "git rm -q .claude/settings.json",
        "mv .claude /tmp/away",
        "mv /tmp/settings.json .claude/",
        "mv .claude/settings.json{,.off} || mv .claude/settings.json /tmp",
        "cp /tmp/x .claude/settings.json",
        "cp /tmp/settings.json .claude",
        "sed -i 's/Stop/Xtop/' .claude/settings.json",
        "jq 'del(.hooks)' a | tee .claude/settings.json",
        "tee .claude/settings.json <<'EOF'\n{}\nEOF",
        "truncate -s 0 .claude/hooks/referee.sh",
        "chmod 000 .claude/hooks/referee.sh",
        "dd if=/dev/null of=.claude/hooks/referee.sh",
        "bash -c 'rm .claude/settings.json'",
        "echo ok; (cd /tmp; echo '{\"disableAllHooks\":true}' > /work/.claude/settings.local.json)",
        "echo '{}' > ~/.claude/settings.json",
        "python3 -c \"open('.claude/settings.json','w').write('{}')\"",
        "python3 - <<'EOF'\nimport os\nos.remove('.claude/settings.json')\nEOF",
        "node -e \"require('fs').rmSync('.claude/settings.json')\"",
    ] {
        assert!(of_line(line).is_some(), "{line}");
    }
}

#[test]
fn what_only_reads_or_touches_other_files_is_not_refused() {
    for line in [
        "cat .claude/settings.json",
        "cat .claude/settings.json > /tmp/copy",
        "cp .claude/settings.json /tmp/",
        "grep -r hooks .claude 2>/dev/null",
        "grep hooks .claude/settings.json >&2",
        "jq .hooks .claude/settings.json | tee /tmp/hooks",
        "sed -n 1,5p .claude/settings.json",
        "git checkout -- .claude/settings.json",
        "git restore .claude/settings.json",
        "git diff .claude/settings.json",
        "git commit -m 'do not rm .claude/settings.json'",
        "echo rm .claude/settings.json",
        "rm -rf node_modules dist/*",
        "rm *.pyc",
        "mv a.txt .",
        "cp a.txt .claude/notes.txt",
        "python3 -c \"print(open('.claude/settings.json').read())\"",
        "python3 -c \"import sys; sys.stdout.write(open('.claude/settings.json').read())\"",
        "python3 -m pytest && cat .claude/settings.json",
        "echo x > settings.json",
        "ls .claude; touch src/a",
        "cd src && rm settings.json",
        "",
        "'",
        "> ",
        "rm",
        "mv",
        "bash -c",
    ] {
        assert_eq!(of_line(line), None, "{line}");
    }
}

proptest::proptest! {
    #[test]
    fn no_line_makes_it_panic(line in "(rm |mv |>|&|;|'|\"|\\\\|\\(|\\.claude|/|[*]|\\$HOME/|sh -c |é|\n| ){0,40}") {
        of_line(&line);
    }
}
