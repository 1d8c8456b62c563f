import { readFileSync } from 'node:fs';

type Kind = 'gift' | 'sale';

enum Level {
  Low = 1,
  High = 2,
}

interface Item {
  name: string;
  kind?: Kind;
  price: number;
}

export class Cart<T extends Item = Item> {
  private items: T[] = [];
  public readonly currency: string = 'EUR';

  add(item: T): boolean {
    if (item.price < 0 || !item.name) {
      return false;
    }
    this.notify(item);
    this.items.push(item);
    return true;
  }

  total(discount: number = 0): number {
    let total = 0;
    for (const item of this.items) {
      total += item.price;
    }
    return total - total * discount;
  }

  names(): string[] {
    return this.items.map((item) => item.name.toUpperCase());
  }

  label(): string {
    return this.items.length === 0 ? 'empty' : `${this.total()} ${this.currency}`;
  }

  find(name: string): T | undefined {
    return this.items.find((item) => item.name === name && item.price !== 0);
  }

  private notify(item: T): void {
    console.info('added', item.name);
  }
}

export const level = (cart: Cart): Level => {
  if (cart.total() > 100) {
    return Level.High;
  }
  return Level.Low;
};

export function load(path: string): Item {
  const text = readFileSync(path, 'utf8') as string;
  return JSON.parse(text) as Item;
}

namespace money {
  export const round = (value: number): number => Math.round(value * 100) / 100;
}

export default money.round;
