/** The page of the service: all quotes, and a form for a new one. */
export const QUOTE_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Quotes</title>
    <style>
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
      form { display: grid; gap: 0.5rem; max-width: 20rem; }
      td, th { padding: 0.25rem 1rem 0.25rem 0; text-align: left; }
    </style>
  </head>
  <body>
    <h1>Quotes</h1>
    <p id="count" role="status"></p>
    <table>
      <thead><tr><th>Quote</th><th>Customer</th><th>Total</th></tr></thead>
      <tbody id="list"></tbody>
    </table>
    <h2>New quote</h2>
    <form id="new">
      <label>Customer <input name="customer" type="number" min="1" required /></label>
      <label>Description <input name="description" required /></label>
      <label>Price in cents <input name="price" type="number" min="0" required /></label>
      <button id="add">Add</button>
    </form>
    <script>
      async function load() {
        const quotes = await (await fetch('/api/v1/quotes')).json();
        document.getElementById('count').textContent =
          quotes.length === 1 ? '1 quote' : quotes.length + ' quotes';
        document.getElementById('list').replaceChildren(...quotes.map(row));
      }
      function row(quote) {
        const row = document.createElement('tr');
        const total = (quote.totalCents / 100).toFixed(2);
        for (const text of [quote.id, quote.customerId, total]) {
          row.insertCell().textContent = text;
        }
        return row;
      }
      document.getElementById('new').addEventListener('submit', async (event) => {
        event.preventDefault();
        const { customer, description, price } = event.target.elements;
        const lineItem = {
          description: description.value,
          quantity: 1,
          unitPriceCents: price.valueAsNumber,
        };
        await fetch('/api/v1/quotes', {
          method: 'POST',
          body: JSON.stringify({ customerId: customer.valueAsNumber, lineItems: [lineItem] }),
        });
        event.target.reset();
        await load();
      });
      load();
    </script>
  </body>
</html>
`;
