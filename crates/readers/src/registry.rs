//! The table of tools. A new tool needs a file in `tools` (or `formats`), a line here, and fixtures.

use referee_model::plan::Role;

use crate::tool::Tool;

/// Every supported tool. Of tools with equally certain and equally severe claims, the first is chosen; so a
/// tool with a more specific format precedes one with a more general format.
pub(crate) static TOOLS: &[&Tool] = &[
    &crate::tools::tsc::TOOL,
    &crate::tools::oxlint::TOOL,
    &crate::tools::solhint::TOOL,
    &crate::tools::xo::TOOL,
    &crate::tools::xo::TSD,
    &crate::tools::standard::TOOL,
    &crate::tools::eslint::TOOL,
    &crate::tools::prettier::TOOL,
    &crate::tools::jest::TOOL,
    &crate::tools::checkstyle::TOOL,
    &crate::formats::ctrf::TOOL,
    &crate::formats::junit::TOOL,
    &crate::tools::nunit::TOOL,
    &crate::formats::sarif::TOOL,
    &crate::formats::trx::TOOL,
    &crate::tools::xunit::TOOL,
    &crate::tools::biome::TOOL,
    &crate::tools::deno::TOOL,
    &crate::tools::esbuild::TOOL,
    &crate::tools::flow::TOOL,
    &crate::tools::htmlhint::TOOL,
    &crate::tools::jshint::TOOL,
    &crate::tools::markdownlint::TOOL,
    &crate::tools::rollup::TOOL,
    &crate::tools::solc::TOOL,
    &crate::tools::spectral::TOOL,
    &crate::tools::stylelint::TOOL,
    &crate::tools::svelte_check::TOOL,
    &crate::tools::tslint::TOOL,
    &crate::tools::webpack::TOOL,
    &crate::tools::vitest::TOOL,
    &crate::tools::bun_test::TOOL,
    &crate::tools::deno_test::TOOL,
    &crate::tools::node_test::TOOL,
    &crate::tools::ava::TOOL,
    &crate::tools::tstyche::TOOL,
    &crate::tools::uvu::TOOL,
    &crate::tools::jasmine::TOOL,
    &crate::tools::playwright::TOOL,
    &crate::tools::cypress::TOOL,
    &crate::tools::karma::TOOL,
    &crate::tools::mocha::TOOL,
    &crate::tools::qunit::TOOL,
    &crate::tools::pytest::TOOL,
    &crate::tools::unittest::TOOL,
    &crate::tools::mypy::TOOL,
    &crate::tools::pyright::TOOL,
    &crate::tools::ruff::TOOL,
    &crate::tools::ty::TOOL,
    &crate::tools::pyrefly::TOOL,
    &crate::tools::pylint::TOOL,
    &crate::tools::flake8::TOOL,
    &crate::tools::pydocstyle::TOOL,
    &crate::tools::pyflakes::TOOL,
    &crate::tools::black::TOOL,
    &crate::tools::isort::TOOL,
    &crate::tools::bandit::TOOL,
    &crate::tools::sqlfluff::TOOL,
    &crate::tools::cfn_lint::TOOL,
    &crate::tools::ansible_lint::TOOL,
    &crate::tools::yamllint::TOOL,
    &crate::tools::codespell::TOOL,
    &crate::tools::sphinx::TOOL,
    &crate::tools::pre_commit::TOOL,
    &crate::tools::python::TOOL,
    &crate::tools::tox::TOX,
    &crate::tools::tox::NOX,
    &crate::tools::nextest::TOOL,
    &crate::tools::cargo_test::TOOL,
    &crate::tools::rustfmt::TOOL,
    &crate::tools::rustc::TOOL,
    &crate::tools::gotestsum::TOOL,
    &crate::tools::go_test::TOOL,
    &crate::tools::golangci_lint::TOOL,
    &crate::tools::staticcheck::TOOL,
    &crate::tools::revive::TOOL,
    &crate::tools::gofmt::TOOL,
    &crate::tools::go_build::TOOL,
    &crate::tools::govet::TOOL,
    &crate::tools::misspell::TOOL,
    &crate::tools::buf::TOOL,
    &crate::tools::protolint::TOOL,
    &crate::tools::typos::TOOL,
    &crate::tools::erlc::TOOL,
    &crate::tools::exunit::TOOL,
    &crate::tools::elixir::TOOL,
    &crate::tools::zig::TOOL,
    &crate::tools::swift::TEST,
    &crate::tools::swift::COMPILER,
    &crate::tools::dart::TEST,
    &crate::tools::dart::ANALYZE,
    &crate::tools::errorprone::TOOL,
    &crate::tools::javadoc::TOOL,
    &crate::tools::ant_javac::TOOL,
    &crate::tools::gradle::TOOL,
    &crate::tools::ecj::TOOL,
    &crate::tools::java::TOOL,
    &crate::tools::javac::TOOL,
    &crate::tools::ktlint::TOOL,
    &crate::tools::detekt::TOOL,
    &crate::tools::kotlinc::TOOL,
    &crate::tools::sbt::TOOL,
    &crate::tools::scalac::TOOL,
    &crate::tools::maven::TOOL,
    &crate::tools::msbuild::MCS,
    &crate::tools::msbuild::TOOL,
    &crate::tools::dotnet_test::TOOL,
    &crate::tools::junit_console::TOOL,
    &crate::tools::pmd::TOOL,
    &crate::tools::spotbugs::TOOL,
    &crate::tools::flexsdk::TOOL,
    &crate::tools::clang_tidy::TOOL,
    &crate::tools::cppcheck::TOOL,
    &crate::tools::gcc::TOOL,
    &crate::tools::clang::TOOL,
    &crate::tools::lld::TOOL,
    &crate::tools::ld::TOOL,
    &crate::tools::ctest::TOOL,
    &crate::tools::gtest::TOOL,
    &crate::tools::cmocka::TOOL,
    &crate::tools::catch2::TOOL,
    &crate::tools::doctest_cpp::TOOL,
    &crate::tools::cmake::TOOL,
    &crate::tools::ninja::TOOL,
    &crate::tools::make::TOOL,
    &crate::tools::diabc::TOOL,
    &crate::tools::iverilog::TOOL,
    &crate::tools::verilator::TOOL,
    &crate::tools::msvc::TOOL,
    &crate::tools::codechecker::TOOL,
    &crate::tools::gnat::TOOL,
    &crate::tools::iar::TOOL,
    &crate::tools::lua::TOOL,
    &crate::tools::flawfinder::TOOL,
    &crate::tools::doxygen::TOOL,
    &crate::tools::gfortran::TOOL,
    &crate::tools::ghc::TOOL,
    &crate::tools::hlint::TOOL,
    &crate::tools::ocaml::TOOL,
    &crate::tools::nix::TOOL,
    &crate::tools::luacheck::TOOL,
    &crate::tools::busted::TOOL,
    &crate::tools::perlcritic::TOOL,
    &crate::tools::prove::TOOL,
    &crate::tools::perl::TOOL,
    &crate::tools::unity::TOOL,
    &crate::tools::c_assert::TOOL,
    &crate::tools::boost_test::TOOL,
    &crate::tools::bash::TOOL,
    &crate::tools::actionlint::TOOL,
    &crate::tools::bats::TOOL,
    &crate::tools::brakeman::TOOL,
    &crate::tools::hadolint::TOOL,
    &crate::tools::jsonlint::TOOL,
    &crate::tools::minitest::TOOL,
    &crate::tools::one_liners::COMMITLINT,
    &crate::tools::one_liners::CSPELL,
    &crate::tools::one_liners::DOTENV,
    &crate::tools::one_liners::HTMLTEST,
    &crate::tools::one_liners::LINTR,
    &crate::tools::one_liners::PROSELINT,
    &crate::tools::package_lint::DEPCHECK,
    &crate::tools::package_lint::KNIP,
    &crate::tools::package_lint::LYCHEE,
    &crate::tools::phan::TOOL,
    &crate::tools::php::TOOL,
    &crate::tools::phpcs::TOOL,
    &crate::tools::phpmd::TOOL,
    &crate::tools::phpstan::TOOL,
    &crate::tools::phpunit::PEST,
    &crate::tools::phpunit::TOOL,
    &crate::tools::prose::ALEX,
    &crate::tools::prose::VALE,
    &crate::tools::prose::WRITE_GOOD,
    &crate::tools::psalm::TOOL,
    &crate::tools::puppet_lint::TOOL,
    &crate::tools::reek::TOOL,
    &crate::tools::rspec::TOOL,
    &crate::tools::rubocop::STANDARDRB,
    &crate::tools::rubocop::TOOL,
    &crate::tools::ruby::TOOL,
    &crate::tools::semgrep::TOOL,
    &crate::tools::shellcheck::TOOL,
    &crate::tools::shfmt::TOOL,
    &crate::tools::template_lint::ERB,
    &crate::tools::template_lint::HAML,
    &crate::tools::template_lint::SLIM,
    &crate::tools::terraform::TERRAFORM,
    &crate::tools::terraform::TFLINT,
    &crate::tools::test_unit::TOOL,
    &crate::tools::tap::TOOL,
    &crate::formats::gitlab_codequality::TOOL,
    &crate::formats::rdjson::TOOL,
    &crate::formats::annotations::github::TOOL,
    &crate::formats::annotations::azure::TOOL,
    &crate::formats::generic::TOOL,
];

/// A supported tool.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub role: Role,
}

/// Returns the supported tools, sorted by name.
pub fn known() -> Vec<Known> {
    let mut known: Vec<Known> =
        TOOLS.iter().map(|tool| Known { name: tool.name, aliases: tool.aliases, role: tool.role }).collect();
    known.sort_unstable_by_key(|known| known.name);
    known
}

/// Returns the names of the supported tools, including aliases.
pub fn tools() -> impl Iterator<Item = &'static str> {
    TOOLS.iter().flat_map(|tool| [tool.name].into_iter().chain(tool.aliases.iter().copied()))
}

/// Returns the tool with a name or alias.
pub(crate) fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().copied().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::Use;
    use crate::scan::Line;

    #[test]
    fn a_name_means_one_tool() {
        let names: Vec<&str> = tools().collect();
        let distinct: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(names.len(), distinct.len());
        assert_eq!(named("typescript").map(|tool| tool.name), Some("tsc"));
        assert!(named("TSC").is_none());
    }

    #[test]
    fn what_nobody_prints_is_used_by_no_format() {
        for format in TOOLS.iter().flat_map(|tool| tool.lines) {
            let line = Line::new("what nobody prints", Stream::Stdout, 0..18);
            assert_eq!(format.reader(false).line(&line), Use::None);
        }
    }

    #[test]
    fn every_text_format_waits_for_something_that_is_not_common() {
        for tool in TOOLS {
            for format in tool.lines {
                assert!(!format.prefilter.is_empty() || !format.both[0].is_empty(), "{}", tool.name);
                for prefilter in format.prefilter.iter().chain(format.named).chain(format.both.into_iter().flatten()) {
                    let text = prefilter.trim_start_matches('\n');
                    assert!(2 < text.len() && !text.trim().is_empty(), "{}: {prefilter:?}", tool.name);
                }
            }
        }
    }
}
