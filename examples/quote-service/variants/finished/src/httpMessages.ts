import type { IncomingMessage, ServerResponse } from 'node:http';

const MAXIMUM_BODY_BYTES = 1024 * 1024;

/** What a route answers: a body, which is sent as JSON, or an HTML page. Without either only the status is sent. */
export interface Answer {
  status: number;
  body?: unknown;
  page?: string;
}

/** A problem that is the client's to fix, with the status that says so. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Reads the whole request body as JSON. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'the request body is not valid JSON');
  }
}

/** Writes the answer and ends the response. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.page !== undefined) {
    response.writeHead(answer.status, { 'content-type': 'text/html; charset=utf-8' });
    response.end(answer.page);
    return;
  }
  if (answer.body === undefined) {
    response.writeHead(answer.status).end();
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(answer.body));
}

/** Reads to the end even when the body is too large, so that the client gets the answer. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAXIMUM_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (size > MAXIMUM_BODY_BYTES) {
    throw new HttpError(413, `the request body is larger than ${MAXIMUM_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}
