// Stops a variant of the service that runs: `node stop.mjs finished`. Fails where it does not run, or does not stop.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const variant = process.argv[2] ?? 'finished';
const pidFile = new URL(`dist/${variant}/service.pid`, import.meta.url);

if (!existsSync(pidFile)) {
  console.error(`the ${variant} service does not run: there is no ${pidFile.pathname}`);
  process.exit(1);
}
process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
for (let attempt = 0; existsSync(pidFile); attempt += 1) {
  if (attempt === 100) {
    console.error(`the ${variant} service does not stop`);
    process.exit(1);
  }
  await pause(50);
}
console.log(`the ${variant} service has stopped`);
