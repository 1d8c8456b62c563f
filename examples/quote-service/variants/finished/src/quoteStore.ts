import { priceQuote, type Quote, type QuoteDraft } from './quotes';

/** Keeps quotes in memory, in the order in which they were created. */
export class QuoteStore {
  private readonly quotes = new Map<number, Quote>();
  private nextId = 1;

  /** Prices the draft, stores it and returns the new quote. */
  create(draft: QuoteDraft): Quote {
    const quote = priceQuote(this.nextId, draft);
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
    return this.quotes.delete(id);
  }
}
