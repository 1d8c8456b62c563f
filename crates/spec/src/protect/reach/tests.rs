use referee_model::run_context::protection::Mode;

use crate::protect::tests::of;

/// Returns the parts of checks with one mode, as `path` or `path#pointer`.
fn reached(check: &str, files: &[(&str, &str)], mode: Mode) -> Vec<String> {
    let rules = of(&format!("checks:\n  a: {}\n", serde_json::json!(check)), files);
    let is_own = |pattern: &str| files.iter().any(|(path, _)| *path == pattern);
    let own = rules.iter().filter(|rule| rule.mode == mode && is_own(&rule.pattern));
    let mut shown: Vec<String> = own
        .map(|rule| match &rule.pointer {
            Some(pointer) => format!("{}#{pointer}", rule.pattern),
            None => rule.pattern.clone(),
        })
        .collect();
    shown.sort();
    shown
}

/// A chain through shell scripts and programs.
#[test]
fn a_chain_is_followed_to_its_end_and_the_product_is_not_frozen() {
    let files = [
        (
            "package.json",
            r#"{ "scripts": { "test": "make check", "pretest": "node tools/gen.js", "deploy": "sh deploy.sh" } }"#,
        ),
        (
            "Makefile",
            "RUN = scripts/run.sh\ncheck: build\n\t@bash $(RUN)\n\tpython tools/audit.py\n\tnode src/main.js\nbuild:\n\tcd sub && ./go.sh\ndeploy:\n\tsh deploy.sh\n",
        ),
        (
            "scripts/run.sh",
            "here=$(dirname \"$0\")\n. \"$here/lib.sh\"\nsource ./env.bash\n./bin/app --selftest\npython -m tools.more\n",
        ),
        ("scripts/lib.sh", "exec ci/last.sh\n"),
        ("env.bash", ""),
        ("ci/last.sh", "bash scripts/run.sh\n"),
        ("bin/app", "#!/bin/sh\n"),
        ("sub/go.sh", ""),
        ("tools/audit.py", "from tools import shared\nimport app.core\n"),
        ("tools/shared.py", ""),
        ("tools/more.py", ""),
        ("tools/gen.js", "require('./dep');\nconst p = '../README.md';\n"),
        ("tools/dep.js", ""),
        ("app/core.py", ""),
        ("src/main.js", ""),
        ("deploy.sh", ""),
        ("README.md", ""),
    ];
    let frozen = reached("npm test", &files, Mode::Frozen);
    let whole: Vec<&str> = frozen.iter().filter(|path| !path.contains('#')).map(String::as_str).collect();
    assert_eq!(
        whole,
        [
            "ci/last.sh",
            "env.bash",
            "scripts/lib.sh",
            "scripts/run.sh",
            "sub/go.sh",
            "tools/audit.py",
            "tools/dep.js",
            "tools/gen.js",
            "tools/more.py",
            "tools/shared.py",
        ]
    );
    let parts: Vec<&str> = frozen.iter().filter(|path| path.starts_with("package.json#")).map(String::as_str).collect();
    assert_eq!(
        parts,
        ["package.json#/scripts/posttest", "package.json#/scripts/pretest", "package.json#/scripts/test"]
    );
    assert_eq!(reached("npm test", &files, Mode::Review), ["app/core.py", "bin/app", "src/main.js"]);
}

#[test]
fn of_a_makefile_what_is_reached_is_held() {
    let makefile = "\
include mk/flags.mk
SRCS = a.c b.c
OTHER = 1
test: app other.txt
\t$(PYTEST) $(ARGS)
app: $(SRCS)
\t$(CC) -o app $(SRCS)
clean:
\trm -rf $(OTHER)
";
    let files = [("Makefile", makefile), ("mk/flags.mk", "PYTEST = pytest $(DEEP)\nDEEP = -q\n")];
    for line in ["make -j 4 test", "make", "make -C . -f Makefile X=1 test", "gmake --no-print-directory test"] {
        let frozen = reached(line, &files, Mode::Frozen);
        for part in [
            "/targets/test/recipe",
            "/targets/test/phony",
            "/targets/test/prerequisites/app",
            "/targets/app/recipe",
            "/targets/app/prerequisites/$(SRCS)",
            "/variables/PYTEST/assignments",
            "/variables/ARGS/assignments",
            "/variables/DEEP/assignments",
            "/variables/CC/assignments",
            "/variables/SRCS/sources/a.c",
            "/variables/SHELL",
            "/targets/.IGNORE",
            "/other",
        ] {
            assert!(frozen.contains(&format!("Makefile#{part}")), "{line}: {part} in {frozen:?}");
        }
        for part in ["/variables/PYTEST/assignments", "/targets/test/recipe", "/variables/SHELL"] {
            assert!(frozen.contains(&format!("mk/flags.mk#{part}")), "{line}: {part}");
        }
        assert!(!frozen.iter().any(|part| part.contains("clean") || part.contains("OTHER")), "{frozen:?}");
        assert_eq!(frozen.iter().any(|part| part.ends_with("#/default")), line == "make");
    }
    assert_eq!(reached("pytest", &files, Mode::Frozen), [""; 0]);
}

#[test]
fn what_configurations_load_is_found() {
    for (path, text, loaded) in [
        ("jest.config.js", "module.exports = {\n  setupFiles: ['./a.js'],\n  preset: './p',\n};", vec!["a.js", "p.js"]),
        (
            "vitest.config.ts",
            "import { x } from './a';\nimport {\n  y,\n} from './p.js';\nentry: './free.js'",
            vec!["a.js", "p.js"],
        ),
        ("eslint.config.mjs", "import mine from './a.js';\nconst p = require('./p.js');", vec!["a.js", "p.js"]),
        (".mocharc.json", r#"{ "require": ["./a.js"], "file": "p.js", "spec": "free.js" }"#, vec!["a.js", "p.js"]),
        (".mocharc.yml", "require:\n  - ./a.js\n  - p.js\nspec: free.js\n", vec!["a.js", "p.js"]),
        (".eslintrc.json", r#"{ "extends": ["./a.js"], "plugins": ["./p"] }"#, vec!["a.js", "p.js"]),
        (
            "tsconfig.build.json",
            r#"{ "extends": "./config/strict.json", "files": ["free.js"] }"#,
            vec!["config/strict.json"],
        ),
        (
            "package.json",
            r#"{ "main": "free.js", "files": ["free.js"], "exports": { "import": "./free.js" }, "jest": { "globalSetup": "<rootDir>/a.js" } }"#,
            vec!["a.js", "package.json#/exports"],
        ),
        ("pytest.ini", "[pytest]\naddopts = -q -p plug\n", vec!["plug.py"]),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = ['-p', 'plug']\n", vec!["plug.py"]),
        ("conftest.py", "pytest_plugins = ['plug', \"other.plug\"]\n", vec!["other/plug.py", "plug.py"]),
    ] {
        let mut files = vec![(path, text)];
        files.extend(
            ["a.js", "p.js", "free.js", "config/strict.json", "plug.py", "other/plug.py"].map(|path| (path, "")),
        );
        assert_eq!(reached("true", &files, Mode::Frozen), loaded, "{path}");
    }
}

#[test]
fn what_commands_of_tools_load_is_found() {
    let files = [("conf/lint.json", ""), ("plug.py", ""), ("first.mjs", ""), ("requirements.txt", ""), ("a/x.txt", "")];
    for (line, found) in [
        ("npx eslint --config conf/lint.json .", vec!["conf/lint.json"]),
        ("pytest -p plug -c conf/lint.json", vec!["conf/lint.json", "plug.py"]),
        ("node --import ./first.mjs --test", vec!["first.mjs"]),
        ("pip install -r requirements.txt && mkdir -p a && cp -p a/x.txt b && wc -c a/x.txt", vec![]),
    ] {
        let mut all = files.to_vec();
        all.push(("run.sh", line));
        let mut found = found;
        found.push("run.sh");
        assert_eq!(reached("sh run.sh", &all, Mode::Frozen), found, "{line}");
    }
}

#[test]
fn recipes_of_others_are_held_whole() {
    let just = [("justfile", "test:\n    bash ci.sh\n"), ("ci.sh", "")];
    assert_eq!(reached("just test", &just, Mode::Frozen), ["ci.sh", "justfile"]);
    let task = [
        ("Taskfile.yml", "tasks:\n  test:\n    cmds:\n      - bash ci.sh\n      - cmd: ./x.sh\n"),
        ("ci.sh", ""),
        ("x.sh", ""),
    ];
    assert_eq!(reached("task test", &task, Mode::Frozen), ["Taskfile.yml", "ci.sh", "x.sh"]);
    let turbo = [("package.json", r#"{ "scripts": { "test": "bash ci.sh" } }"#), ("ci.sh", "")];
    assert!(reached("npx turbo run test", &turbo, Mode::Frozen).contains(&"package.json#/scripts".to_owned()));
    let packages =
        [("package.json", "{}"), ("a/package.json", r#"{ "scripts": { "test": "bash ci.sh" } }"#), ("a/ci.sh", "")];
    assert!(reached("npm test --workspaces", &packages, Mode::Frozen).contains(&"a/ci.sh".to_owned()));
}

#[test]
fn circles_junk_and_floods_end() {
    let long = "a ".repeat(200_000);
    let deep = format!("test: {}\n", "$(".repeat(10_000));
    let circle = "test: test\n\tmake test\nX = $(X)\n\t$(X)\ninclude Makefile\n";
    for makefile in [&long, &deep, circle, "\t", ":", "=", "define x", "ifeq\nelse\nendif\nendif", "test: ;;;\n"] {
        let _ = reached("make test", &[("Makefile", makefile)], Mode::Frozen);
    }
    let scripts = [("a.sh", "bash b.sh\n"), ("b.sh", "bash a.sh; cd ../../..; . $(\n")];
    assert_eq!(reached("bash a.sh", &scripts, Mode::Frozen), ["a.sh", "b.sh"]);
    let _ = reached("npm test", &[("package.json", "{")], Mode::Frozen);
}
