import { priceQuote, type Quote, type QuoteDraft } from './quotes';
import type { QuoteTable } from './quoteTable';

/** Keeps quotes in memory, in the order in which they were created, and in a table if there is one. */
export class QuoteStore {
  private readonly quotes = new Map<number, Quote>();
  private nextId = 1;

  constructor(private readonly table?: QuoteTable) {
    for (const quote of table?.load() ?? []) {
      this.quotes.set(quote.id, quote);
      this.nextId = quote.id + 1;
    }
  }

  /** Prices the draft, stores it and returns the new quote. */
  create(draft: QuoteDraft): Quote {
    const quote = priceQuote(this.nextId, draft);
    this.table?.insert(quote);
    this.quotes.set(quote.id, quote);
    this.nextId += 1;
    return quote;
  }

  list(): Quote[] {
    return [...this.quotes.values()];
  }

  listByCustomer(customerId: number): Quote[] {
    return this.list().filter((quote) => quote.customerId === customerId);
  }

  find(id: number): Quote | undefined {
    return this.quotes.get(id);
  }

  /** Deletes a quote; false when there is none with this identifier. */
  delete(id: number): boolean {
    this.table?.delete(id);
    return this.quotes.delete(id);
  }
}
