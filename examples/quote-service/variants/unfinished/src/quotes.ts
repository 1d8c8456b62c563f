/** One position of a quote as the client sends it. Prices are whole cents. */
export interface LineItem {
  description: string;
  quantity: number;
  unitPriceCents: number;
}

/** A line item together with its computed total. */
export interface PricedLineItem extends LineItem {
  totalCents: number;
}

/** What a client sends to create a quote. */
export interface QuoteDraft {
  customerId: number;
  lineItems: LineItem[];
}

/** A stored quote. */
export interface Quote {
  id: number;
  customerId: number;
  lineItems: PricedLineItem[];
  totalCents: number;
}

/** Says why a request body is not a usable quote. */
export class InvalidQuoteError extends Error {}

/** Turns a draft into a quote: adds the identifier and all totals. */
export function priceQuote(id: number, draft: QuoteDraft): Quote {
  const lineItems = draft.lineItems.map(priceLineItem);
  const totalCents = lineItems.reduce((sum, lineItem) => sum + lineItem.totalCents, 0);
  return { id, customerId: draft.customerId, lineItems, totalCents };
}

/** Checks an untrusted request body and returns it as a draft. */
export function parseQuoteDraft(body: unknown): QuoteDraft {
  if (!isRecord(body)) {
    throw new InvalidQuoteError('the quote must be an object');
  }
  if (!Array.isArray(body.lineItems) || body.lineItems.length === 0) {
    throw new InvalidQuoteError('lineItems must be a list with at least one line item');
  }
  return {
    customerId: requireInteger(body.customerId, 'customerId', 1),
    lineItems: body.lineItems.map(parseLineItem),
  };
}

function priceLineItem(lineItem: LineItem): PricedLineItem {
  return { ...lineItem, totalCents: lineItem.quantity * lineItem.unitPriceCents };
}

function parseLineItem(value: unknown, index: number): LineItem {
  const name = `lineItems[${index}]`;
  if (!isRecord(value)) {
    throw new InvalidQuoteError(`${name} must be an object`);
  }
  return {
    description: requireText(value.description, `${name}.description`),
    quantity: requireInteger(value.quantity, `${name}.quantity`, 1),
    unitPriceCents: requireInteger(value.unitPriceCents, `${name}.unitPriceCents`, 0),
  };
}

function requireText(value: unknown, name: string): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new InvalidQuoteError(`${name} must be a text that is not empty`);
  }
  return value;
}

function requireInteger(value: unknown, name: string, minimum: number): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < minimum) {
    throw new InvalidQuoteError(`${name} must be a whole number of at least ${minimum}`);
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, any> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
