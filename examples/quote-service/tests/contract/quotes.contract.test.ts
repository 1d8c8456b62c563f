import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createQuoteServer } from '@service/server';

const QUOTES = '/api/v1/quotes';

const draftForCustomerSeven = {
  customerId: 7,
  lineItems: [
    { description: 'Consulting hour', quantity: 3, unitPriceCents: 12000 },
    { description: 'Travel', quantity: 1, unitPriceCents: 4550 },
  ],
};

const draftForCustomerEight = {
  customerId: 8,
  lineItems: [{ description: 'Licence', quantity: 2, unitPriceCents: 9900 }],
};

let server: Server;

beforeEach(async () => {
  server = createQuoteServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
});

describe('GET /health', () => {
  test('answers 200 with status ok', async () => {
    const response = await send('GET', '/health');
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'ok' });
  });
});

describe('POST /api/v1/quotes', () => {
  test('answers 201 with the quote and its totals', async () => {
    const response = await send('POST', QUOTES, draftForCustomerSeven);
    expect(response.status).toBe(201);
    expect(await response.json()).toEqual({
      id: 1,
      customerId: 7,
      lineItems: [
        { ...draftForCustomerSeven.lineItems[0], totalCents: 36000 },
        { ...draftForCustomerSeven.lineItems[1], totalCents: 4550 },
      ],
      totalCents: 40550,
    });
  });

  test('answers 400 when there is no line item', async () => {
    const response = await send('POST', QUOTES, { customerId: 7, lineItems: [] });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'lineItems must be a list with at least one line item',
    });
  });

  test('answers 400 when the body is not JSON', async () => {
    const response = await fetch(serviceAddress(QUOTES), { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: 'the request body is not valid JSON' });
  });
});

describe('GET /api/v1/quotes', () => {
  test('answers 200 with an array of quotes', async () => {
    await send('POST', QUOTES, draftForCustomerSeven);
    await send('POST', QUOTES, draftForCustomerEight);
    const response = await send('GET', QUOTES);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([
      { id: 1, customerId: 7, totalCents: 40550 },
      { id: 2, customerId: 8, totalCents: 19800 },
    ]);
  });
});

describe('GET /api/v1/quotes/:id', () => {
  test('answers 200 with the quote', async () => {
    await send('POST', QUOTES, draftForCustomerEight);
    const response = await send('GET', `${QUOTES}/1`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: 1, customerId: 8, totalCents: 19800 });
  });

  test('answers 404 when there is no such quote', async () => {
    const response = await send('GET', `${QUOTES}/99`);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'there is no quote 99' });
  });
});

describe('DELETE /api/v1/quotes/:id', () => {
  test('answers 204 and removes the quote', async () => {
    await send('POST', QUOTES, draftForCustomerSeven);
    expect((await send('DELETE', `${QUOTES}/1`)).status).toBe(204);
    expect((await send('GET', `${QUOTES}/1`)).status).toBe(404);
  });

  test('answers 404 when there is no such quote', async () => {
    expect((await send('DELETE', `${QUOTES}/99`)).status).toBe(404);
  });
});

describe('GET /api/v1/customers/:id/quotes', () => {
  test('answers 200 with the quotes of that customer only', async () => {
    await send('POST', QUOTES, draftForCustomerSeven);
    await send('POST', QUOTES, draftForCustomerEight);
    const response = await send('GET', '/api/v1/customers/7/quotes');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject([{ id: 1, customerId: 7 }]);
  });
});

describe('unknown routes', () => {
  test('answers 404 with an error message', async () => {
    const response = await send('GET', '/api/v1/invoices');
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: 'there is no route GET /api/v1/invoices' });
  });
});

/** Sends a request to the service under test; a body is sent as JSON. */
function send(method: string, path: string, body?: unknown): Promise<Response> {
  if (body === undefined) {
    return fetch(serviceAddress(path), { method });
  }
  return fetch(serviceAddress(path), {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

function serviceAddress(path: string): string {
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}${path}`;
}
