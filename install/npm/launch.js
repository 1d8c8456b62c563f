#!/usr/bin/env node
// Starts the program of the platform's own package, and ends as it ends.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const path = require('node:path');

// Exit code of an internal error: there is no verdict, and nothing that could look like a pass.
const NO_VERDICT = 70;

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(NO_VERDICT);
}

const name = path.basename(__filename, '.js');
const platform = `referee-gate-${process.platform}-${process.arch}`;

let program;
try {
  program = require.resolve(`${platform}/bin/${name}`);
} catch {
  fail(
    `${platform} is not installed: Referee has no package for this platform, or optional dependencies were left out ` +
      '(npm install --include=optional)',
  );
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends these to the program as well; this process waits for what it makes of them.
for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => fail(`${program} cannot be started: ${error.message}`));
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)));
