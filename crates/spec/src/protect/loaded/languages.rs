//! Files that tools of Python, Rust, Go, Java, .NET, Ruby and PHP load because they exist.

use super::super::table::{Default, Ecosystem, governing, governing_review};
use super::{AUTOLOADED, BUILD, LINTER, RUNNER, VERSION};

use Ecosystem::{Dotnet, Go, Jvm, Php, Python, Ruby, Rust};

pub(super) const LOADED: &[Default] = &[
    // python: "site", "Finding the home"; pytest: "conftest.py"; setuptools: "Entry Points"
    governing(
        Python,
        AUTOLOADED,
        &[
            "**/conftest.py",
            "**/sitecustomize.py",
            "**/usercustomize.py",
            "**/*.pth",
            "**/*._pth",
            "**/pyvenv.cfg",
            "**/*.dist-info/**",
        ],
    ),
    // pytest: "Configuration"; tox, nox, coverage.py, nose2, behave, stestr, robot, hatch, pdm, poetry, uv: "Configuration"
    governing(
        Python,
        RUNNER,
        &[
            "**/pytest.ini",
            "**/.pytest.ini",
            "**/{pytest,.pytest}.toml",
            "**/tox.ini",
            "**/tox.toml",
            "**/noxfile.py",
            "**/.coveragerc",
            "**/.coveragerc.toml",
            "**/{nose.cfg,.noserc,unittest.cfg,nose2.cfg}",
            "**/{behave.ini,.behaverc,.stestr.conf,.testr.conf,robot.toml}",
            "**/{hatch,pdm,poetry,uv}.toml",
        ],
    ),
    // mypy, ruff, flake8, pylint, pyright, bandit, isort, yapf, pydocstyle, prospector, pyre, pyrefly, ty: "Configuration"
    governing(
        Python,
        LINTER,
        &[
            "**/setup.cfg",
            "**/mypy.ini",
            "**/.mypy.ini",
            "**/ruff.toml",
            "**/.ruff.toml",
            "**/.flake8",
            "**/.pylintrc",
            "**/pylintrc",
            "**/{pylintrc,.pylintrc}.toml",
            "**/pyrightconfig.json",
            "**/.bandit",
            "**/.isort.cfg",
            "**/{.style.yapf,.yapfignore,.pep8,.pycodestyle}",
            "**/{.pydocstyle,.pydocstyle.ini,.pydocstylerc}",
            "**/.prospector.y*ml",
            "**/.pyre_configuration*",
            "**/{pyrefly,ty}.toml",
            "**/{.importlinter,.djlintrc,.pytype.cfg}",
        ],
    ),
    governing_review(Python, "it configures tools beside what it says of the project", &["**/pyproject.toml"]),
    // cargo: "Configuration"; rustup: "Overrides"
    governing(
        Rust,
        AUTOLOADED,
        &["**/.cargo/config", "**/.cargo/*.toml", "**/rust-toolchain", "**/rust-toolchain.toml"],
    ),
    // clippy, rustfmt, cargo-deny, tarpaulin, cross: "Configuration"
    governing(
        Rust,
        LINTER,
        &[
            "**/clippy.toml",
            "**/.clippy.toml",
            "**/rustfmt.toml",
            "**/.rustfmt.toml",
            "**/deny.toml",
            "**/.deny.toml",
            "**/{tarpaulin,.tarpaulin,Cross}.toml",
        ],
    ),
    // nextest: "Repository configuration"; insta: "Insta Settings"
    governing(
        Rust,
        RUNNER,
        &["**/.config/nextest.toml", "**/.config/nextest/**", "**/{.config/insta,insta,.insta}.yaml"],
    ),
    // cargo: "Build Scripts"
    governing_review(Rust, BUILD, &["**/build.rs"]),
    // go: "Workspaces", "Vendoring"; golangci-lint, staticcheck: "Configuration"
    governing(Go, AUTOLOADED, &["**/go.work"]),
    governing_review(Go, AUTOLOADED, &["**/vendor/modules.txt"]),
    governing(Go, LINTER, &["**/.golangci.*", "**/staticcheck.conf", "**/.go-arch-lint.yml", "**/.testcoverage.yml"]),
    // maven: "Configuring Apache Maven"; gradle: "Wrapper"; sbt: "Command Line Reference"
    governing(
        Jvm,
        AUTOLOADED,
        &[
            "**/.mvn/**",
            "**/gradle/wrapper/**",
            "**/gradle/{gradle-daemon-jvm.properties,verification-metadata.xml}",
            "**/{.sbtopts,.jvmopts}",
            "**/lombok.config",
        ],
    ),
    // gradle: "Build Environment", "Organizing Gradle Projects"; sbt: "Build definition"
    governing_review(
        Jvm,
        BUILD,
        &[
            "**/gradle.properties",
            "**/settings.gradle*",
            "**/gradle/*.{toml,gradle,kts}",
            "**/{*.sbt,project/*.scala,project/build.properties}",
        ],
    ),
    // junit: "Configuration Parameters", "Launcher Interceptors"; java: ServiceLoader; mockito: "MockMaker"; testng, kotest, spock, cucumber
    governing(
        Jvm,
        RUNNER,
        &[
            "**/src/*/resources/junit-platform.properties",
            "**/src/*/resources/META-INF/services/org.junit.*",
            "**/src/*/resources/META-INF/services/javax.annotation.processing.Processor",
            "**/src/test*/resources/META-INF/services/**",
            "**/src/*/resources/mockito-extensions/**",
            "**/src/*/resources/{kotest,cucumber,jqwik}.properties",
            "**/src/*/resources/SpockConfig.groovy",
            "**/{junit-platform.properties,testng.xml}",
        ],
    ),
    // checkstyle, pmd, spotbugs, detekt, scalafmt, scalafix: "Configuration"
    governing(
        Jvm,
        LINTER,
        &[
            "**/checkstyle*.xml",
            "**/pmd*.xml",
            "**/spotbugs*.xml",
            "**/detekt.y*ml",
            "**/{.scalafmt.conf,.scalafix.conf}",
        ],
    ),
    // dotnet: "global.json", "nuget.config", "Code style options"; vstest: ".runsettings"; xunit: "Config with JSON"
    governing(
        Dotnet,
        VERSION,
        &["**/global.json", "**/{nuget,NuGet,Nuget}.{config,Config}", "**/.config/dotnet-tools.json"],
    ),
    governing(Dotnet, RUNNER, &["**/*.runsettings", "**/{xunit.runner.json,testconfig.json,*.testconfig.json}"]),
    governing(Dotnet, LINTER, &["**/{.globalconfig,stylecop.json}"]),
    // msbuild: "Customize your build"
    governing(Dotnet, AUTOLOADED, &["**/*.{cs,fs,vb}proj.user", "**/Directory.*.rsp"]),
    governing_review(Dotnet, BUILD, &["**/Directory.*.{props,targets}"]),
    // rspec: "Configuration"; rails: "Testing"; minitest: "Plugins"; cucumber: "Loading"; bundler: "bundle config", "gems.rb"; simplecov
    governing(
        Ruby,
        RUNNER,
        &[
            "**/.rspec",
            "**/.rspec-local",
            "**/spec_helper.rb",
            "**/rails_helper.rb",
            "**/test_helper.rb",
            "**/{lib,test}/minitest/*_plugin.rb",
            "**/features/support/env.rb",
            "**/{cucumber.yml,config/cucumber.yml,.config/cucumber.yml}",
            "**/.bundle/config",
            "**/{.simplecov,.mutant.yml}",
        ],
    ),
    governing_review(Ruby, BUILD, &["**/gems.rb"]),
    // rubocop, standard, reek, erb-lint, haml-lint, slim-lint, brakeman: "Configuration"
    governing(
        Ruby,
        LINTER,
        &[
            "**/.rubocop*.yml",
            "**/{.standard,.reek,.erb-lint,.haml-lint,.slim-lint}.y*ml",
            "**/config/brakeman.{yml,ignore}",
        ],
    ),
    // phpunit: "The XML Configuration File"; pest; infection, behat, codeception, phpspec: "Configuration"
    governing(
        Php,
        RUNNER,
        &[
            "**/phpunit.xml*",
            "**/phpunit.dist.xml",
            "**/tests/Pest.php",
            "**/infection.json*",
            "**/{behat.yml*,behat.yaml*,behat.php,codeception.yml*,phpspec.yml*}",
        ],
    ),
    // phpstan, psalm, phpcs, php-cs-fixer, rector, ecs, pint, phan, deptrac, grumphp: "Configuration"
    governing(
        Php,
        LINTER,
        &[
            "**/{phpstan,.phpstan}*.neon*",
            "**/psalm.xml*",
            "**/{phpcs.xml*,.phpcs.xml*,phpcs.ruleset.xml}",
            "**/{.php-cs-fixer.php,.php-cs-fixer.dist.php,.php_cs,.php_cs.dist}",
            "**/{rector.php,ecs.php,pint.json,.phan/config.php}",
            "**/{deptrac.yaml,grumphp.yml,.phplint.yml}",
        ],
    ),
];
