import { createQuoteServer } from './server';

const DEFAULT_PORT = 3000;
const HOST = '127.0.0.1';

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
  const server = createQuoteServer();
  server.listen(port, HOST, () => {
    process.stdout.write(`quote service listening on http://${HOST}:${port}\n`);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => server.close());
  }
}

main();
