const javascript = require('@eslint/js');
const globals = require('globals');
const typescript = require('typescript-eslint');

module.exports = typescript.config(
  { ignores: ['node_modules/', 'dist/', 'coverage/', 'evidence/'] },
  javascript.configs.recommended,
  typescript.configs.recommended,
  {
    rules: {
      'no-console': ['warn', { allow: ['error'] }],
      '@typescript-eslint/no-explicit-any': 'warn',
    },
  },
  {
    // The tool configuration files are CommonJS.
    files: ['*.js'],
    languageOptions: { sourceType: 'commonjs', globals: globals.node },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
);
