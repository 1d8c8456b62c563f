import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { QuoteStore } from './quoteStore';
import { QuoteTable } from './quoteTable';
import { createQuoteServer } from './server';

const DEFAULT_PORT = 3000;
const HOST = '127.0.0.1';

/** Holds the process id while the service runs; `stop.mjs` reads it. */
const PID_FILE = join(__dirname, 'service.pid');

/** Reads the port from the environment variable PORT. */
function readPort(text: string | undefined): number {
  if (text === undefined || text === '') {
    return DEFAULT_PORT;
  }
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Error(`PORT must be a whole number from 0 to 65535, not "${text}"`);
  }
  return port;
}

function main(): void {
  const port = readPort(process.env.PORT);
  const file = process.env.DATABASE_FILE;
  const table = file ? new QuoteTable(file) : undefined;
  const server = createQuoteServer(new QuoteStore(table));
  server.listen(port, HOST, () => {
    writeFileSync(PID_FILE, String(process.pid));
    process.stdout.write(`quote service listening on http://${HOST}:${port}\n`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      rmSync(PID_FILE, { force: true });
      server.close(() => table?.close());
      server.closeIdleConnections();
    });
  }
}

main();
