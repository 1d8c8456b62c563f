import { Database } from 'node-sqlite3-wasm';
import type { PricedLineItem, Quote } from './quotes';

const CREATE_TABLE = `
  CREATE TABLE IF NOT EXISTS quotes (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL,
    total_cents INTEGER NOT NULL,
    line_items TEXT NOT NULL
  )`;

/** Keeps quotes in the table `quotes` of an SQLite file, where other programs can read them. */
export class QuoteTable {
  private readonly database: Database;

  /** Opens the file, and creates it and its table if they are missing. */
  constructor(file: string) {
    this.database = new Database(file);
    this.database.run(CREATE_TABLE);
  }

  /** Returns all quotes, in the order in which they were created. */
  load(): Quote[] {
    return this.database.all('SELECT * FROM quotes ORDER BY id').map((row) => ({
      id: Number(row.id),
      customerId: Number(row.customer_id),
      totalCents: Number(row.total_cents),
      lineItems: JSON.parse(String(row.line_items)) as PricedLineItem[],
    }));
  }

  insert(quote: Quote): void {
    this.database.run(
      'INSERT INTO quotes (id, customer_id, total_cents, line_items) VALUES (?, ?, ?, ?)',
      [quote.id, quote.customerId, quote.totalCents, JSON.stringify(quote.lineItems)],
    );
  }

  delete(id: number): void {
    this.database.run('DELETE FROM quotes WHERE id = ?', [id]);
  }

  close(): void {
    this.database.close();
  }
}
