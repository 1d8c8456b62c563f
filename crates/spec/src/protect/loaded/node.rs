//! Files that tools of Node load because they exist.

use super::super::table::{Default, Ecosystem, governing, governing_review};
use super::{AUTOLOADED, LINTER, RUNNER};

use Ecosystem::Node;

pub(super) const LOADED: &[Default] = &[
    // jest, vitest, playwright, cypress, karma, ava, webdriverio, nyc, c8: "Configuration"
    governing(
        Node,
        RUNNER,
        &[
            "**/jest.config.*",
            "**/vitest.config.*",
            "**/vitest.workspace.*",
            "**/vitest.projects.*",
            "**/vite.config.*",
            "**/playwright.config.*",
            "**/playwright-ct.config.*",
            "**/cypress.config.*",
            "**/cypress.json",
            "**/cypress.env.json",
            "**/cypress/support/{e2e,component,index,commands}.*",
            "**/cypress/plugins/index.*",
            "**/{karma.conf.*,.config/karma.conf.*}",
            "**/ava.config.*",
            "**/wdio.conf.*",
            "**/{.nycrc*,nyc.config.*}",
            "**/.c8rc*",
        ],
    ),
    // mocha: "Configuring Mocha"; jasmine, tap, testem, nightwatch, cucumber, codecept, web-test-runner, stryker, lab, tstyche: "Configuration"
    governing(
        Node,
        RUNNER,
        &[
            "**/.mocharc*",
            "**/{test/mocha.opts,mocha.opts}",
            "**/spec/support/jasmine*.*",
            "**/.taprc",
            "**/{testem,.testem}.*",
            "**/{nightwatch.conf.*,nightwatch.json}",
            "**/cucumber.{js,cjs,mjs,json,yaml,yml}",
            "**/codecept.conf.*",
            "**/web-test-runner.config.*",
            "**/{stryker.conf.*,stryker.config.*,.stryker.conf.*}",
            "**/.labrc.js",
            "**/tstyche.config.json",
            "**/intern.json",
            "**/node.config.json",
            "**/{nx,turbo}.json",
        ],
    ),
    // npmrc(5), package-lock: "npm-shrinkwrap.json"; yarn: "Configuration"; pnpm: "pnpmfile"; bun: "bunfig"; patch-package
    governing(
        Node,
        AUTOLOADED,
        &[
            "**/.npmrc",
            "**/npm-shrinkwrap.json",
            "**/.yarnrc*",
            "**/.yarn/{releases,plugins,patches}/**",
            "**/{.pnpmfile.cjs,.pnpmfile.mjs}",
            "**/pnpm-workspace.yaml",
            "**/{package.yaml,package.json5}",
            "**/bunfig.toml",
            "**/patches/*+*.patch",
        ],
    ),
    // babel: "Config Files"; swc; browserslist; postcss-load-config; create-react-app: "Initializing Test Environment"
    governing(
        Node,
        AUTOLOADED,
        &[
            "**/babel.config.*",
            "**/.babelrc*",
            "**/.swcrc",
            "**/{.browserslistrc,browserslist}",
            "**/{postcss.config.*,.postcssrc*}",
            "**/svelte.config.*",
            "**/jest.setup.*",
            "**/jest-setup.*",
            "**/vitest.setup.*",
            "**/setupTests.*",
        ],
    ),
    // yarn rewrites its own with every dependency; deno: "deno.json"; angular, lerna: "Configuration"
    governing_review(Node, AUTOLOADED, &["**/{.pnp.cjs,.pnp.loader.mjs}", "**/deno.json*", "**/{angular,lerna}.json"]),
    // typescript: "tsconfig"; eslint, biome, prettier, oxlint, stylelint, xo and further checkers: "Configuration"
    governing(
        Node,
        LINTER,
        &[
            "**/tsconfig.json",
            "**/jsconfig.json",
            "**/eslint.config.*",
            "**/.eslintrc*",
            "**/.eslintignore",
            "**/biome.json*",
            "**/.biome.json*",
            "**/rome.json",
            "**/.prettierrc*",
            "**/prettier.config.*",
            "**/.prettierignore",
            "**/oxlint.json",
            "**/oxlint.config.*",
            "**/.oxlintrc.json*",
            "**/.oxfmtrc.json*",
            "**/stylelint.config.*",
            "**/.stylelintrc*",
            "**/.stylelintignore",
            "**/.xo-config*",
            "**/xo.config.*",
            "**/{.jshintrc,.jshintignore,.jscsrc}",
            "**/tslint.{json,yaml}",
            "**/{.htmlhintrc,.hintrc,.flowconfig,.ls-lint.yml}",
            "**/{.lintstagedrc*,lint-staged.config.*}",
            "**/{.commitlintrc*,commitlint.config.*}",
            "**/{.remarkrc*,.remarkignore,.textlintrc*,.textlintignore}",
            "**/.template-lintrc.*",
            "**/{.dependency-cruiser.*,.depcheckrc*,.secretlintrc*,.npmpackagejsonlintrc*}",
            "**/{knip,.knip}.{json,jsonc,js,ts}",
            "**/knip.config.*",
            "**/{dprint,.dprint}.json*",
            "**/{.size-limit.*,.attw.json}",
        ],
    ),
];
