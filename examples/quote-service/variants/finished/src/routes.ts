import type { IncomingMessage } from 'node:http';
import { HttpError, readJsonBody, type Answer } from './httpMessages';
import { InvalidQuoteError, parseQuoteDraft, type Quote, type QuoteDraft } from './quotes';
import { QUOTE_PAGE } from './quotePage';
import type { QuoteStore } from './quoteStore';

/** One method and path of the service. The pattern's first group is handed to `handle`. */
export interface Route {
  method: string;
  pattern: RegExp;
  handle: (request: IncomingMessage, parameter: string) => Answer | Promise<Answer>;
}

/** All routes of the service, working on the given store. */
export function createRoutes(store: QuoteStore): Route[] {
  return [
    {
      method: 'GET',
      pattern: /^\/$/,
      handle: () => ({ status: 200, page: QUOTE_PAGE }),
    },
    {
      method: 'GET',
      pattern: /^\/health$/,
      handle: () => ({ status: 200, body: { status: 'ok' } }),
    },
    {
      method: 'POST',
      pattern: /^\/api\/v1\/quotes$/,
      handle: async (request) => ({ status: 201, body: store.create(await readDraft(request)) }),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/quotes$/,
      handle: () => ({ status: 200, body: store.list() }),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/quotes\/(\d+)$/,
      handle: (_request, quoteId) => ({ status: 200, body: findQuote(store, Number(quoteId)) }),
    },
    {
      method: 'DELETE',
      pattern: /^\/api\/v1\/quotes\/(\d+)$/,
      handle: (_request, quoteId) => deleteQuote(store, Number(quoteId)),
    },
    {
      method: 'GET',
      pattern: /^\/api\/v1\/customers\/(\d+)\/quotes$/,
      handle: (_request, customerId) => ({
        status: 200,
        body: store.listByCustomer(Number(customerId)),
      }),
    },
  ];
}

async function readDraft(request: IncomingMessage): Promise<QuoteDraft> {
  const body = await readJsonBody(request);
  try {
    return parseQuoteDraft(body);
  } catch (error) {
    throw error instanceof InvalidQuoteError ? new HttpError(400, error.message) : error;
  }
}

function findQuote(store: QuoteStore, id: number): Quote {
  const quote = store.find(id);
  if (quote === undefined) {
    throw quoteNotFound(id);
  }
  return quote;
}

function deleteQuote(store: QuoteStore, id: number): Answer {
  if (!store.delete(id)) {
    throw quoteNotFound(id);
  }
  return { status: 204 };
}

function quoteNotFound(id: number): HttpError {
  return new HttpError(404, `there is no quote ${id}`);
}
