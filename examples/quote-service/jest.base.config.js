/**
 * Builds the jest configuration that runs the contract tests against one variant.
 *
 * The transform only strips types (`isolatedModules` in tsconfig.base.json, no
 * diagnostics here): finding type errors is the job of `tsc`, not of the tests.
 *
 * @param {'unfinished' | 'finished'} variant
 * @returns {import('jest').Config}
 */
function forVariant(variant) {
  const variantFolder = `<rootDir>/variants/${variant}`;
  return {
    testEnvironment: 'node',
    testMatch: ['<rootDir>/tests/contract/**/*.test.ts'],
    moduleNameMapper: { '^@service/(.*)$': `${variantFolder}/src/$1` },
    modulePathIgnorePatterns: ['<rootDir>/dist/'],
    transform: {
      '^.+\\.ts$': ['ts-jest', { tsconfig: `${variantFolder}/tsconfig.json`, diagnostics: false }],
    },
  };
}

module.exports = { forVariant };
