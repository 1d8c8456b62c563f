import { createServer, type IncomingMessage, type Server } from 'node:http';
import { HttpError, sendAnswer, type Answer } from './httpMessages';
import { QuoteStore } from './quoteStore';
import { createRoutes, type Route } from './routes';

/** Creates the quote service. The caller decides where it listens. */
export function createQuoteServer(store: QuoteStore = new QuoteStore()): Server {
  const routes = createRoutes(store);
  return createServer(async (request, response) => {
    sendAnswer(response, await answerRequest(routes, request));
  });
}

async function answerRequest(routes: Route[], request: IncomingMessage): Promise<Answer> {
  try {
    return await dispatch(routes, request);
  } catch (error) {
    return answerError(error);
  }
}

async function dispatch(routes: Route[], request: IncomingMessage): Promise<Answer> {
  const path = (request.url ?? '/').split('?', 1)[0];
  for (const route of routes) {
    const match = route.method === request.method ? route.pattern.exec(path) : null;
    if (match !== null) {
      return route.handle(request, match[1] ?? '');
    }
  }
  throw new HttpError(404, `there is no route ${request.method} ${path}`);
}

function answerError(error: unknown): Answer {
  if (error instanceof HttpError) {
    return { status: error.status, body: { error: error.message } };
  }
  console.error(error);
  return { status: 500, body: { error: 'internal error' } };
}
