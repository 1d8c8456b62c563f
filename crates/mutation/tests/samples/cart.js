'use strict';

const fs = require('fs');
const limit = 100;

class Cart {
  #items = [];
  locked = false;

  constructor(currency = 'EUR') {
    this.currency = currency;
  }

  add(item) {
    if (this.locked) {
      throw new Error('the cart is locked');
    }
    if (item.quantity <= 0 || item.price < 0) {
      return false;
    }
    console.log(`added ${item.name}`);
    this.#items.push(item);
    return true;
  }

  total() {
    let total = 0;
    for (let index = 0; index < this.#items.length; index++) {
      const item = this.#items[index];
      total += item.price * item.quantity;
    }
    return total > limit ? total - 5 : total;
  }
}

const label = (cart) => (cart.total() === 0 ? 'empty' : `${cart.total()} ${cart.currency}`);

const helpers = {
  isFree: (cart) => cart.total() === 0 && !cart.locked,
  save: async function (cart, path) {
    cart.locked = true;
    await fs.promises.writeFile(path, JSON.stringify(cart));
  },
};

function Row({ item }) {
  switch (item.kind) {
    case 'gift':
      return <p className="gift">{item.name || 'gift'}</p>;
    default:
      return null;
  }
}

function wait(ready) {
  while (true) {
    if (ready()) break;
  }
}

it('adds', () => {
  expect(new Cart().total()).toBe(0);
});

module.exports = { Cart, label, helpers, Row, wait };
