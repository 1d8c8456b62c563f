// Carries out one command in the page, inside the MCP server, and returns what happened as plain data. It throws nothing:
// whatever goes wrong in the page is an answer. `request` is {nonce, operation, limit, last} (driver.rs).
async (page, request) => {
  const KEPT = 200;
  const TEXT = 2000;
  const PAGE_TEXT = 64 * 1024;
  const VALUE = 1024 * 1024;
  const PICTURE = 24 * 1024 * 1024;
  const SETTLE = 100;
  const began = Date.now();
  const context = page.context();
  const cut = (text, most = TEXT) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);
  const plain = (error) => {
    const text = String((error && error.message) || error).replace(/\u001b\[[0-9;]*m/g, '');
    return cut(text.split('\nCall log:')[0].split('\n    at ')[0].trim());
  };
  const left = () => Math.max(1, request.limit - (Date.now() - began));
  const fresh = () => ({ console: [], requests: [], errors: [], dialogs: [], downloads: [], windows: [], dropped: 0 });

  // The state outlives this call, because it hangs on the browser's context.
  const isNew = !context.__referee;
  const state = (context.__referee = context.__referee || { events: fresh(), listens: false });
  const keep = (kind, item) => {
    if (state.events[kind].length < KEPT) state.events[kind].push(item);
    else state.events.dropped += 1;
  };
  const listen = (one) => {
    if (one.__referee) return;
    one.__referee = true;
    // The server's own listeners write files, and block everything while a dialog is open.
    for (const event of ['console', 'pageerror', 'dialog', 'dialogclosed', 'download', 'filechooser']) one.removeAllListeners(event);
    one.on('console', (message) => {
      const at = message.location();
      keep('console', { level: message.type(), text: cut(message.text()), at: at && at.url ? cut(`${at.url}:${at.lineNumber + 1}`) : null });
    });
    one.on('pageerror', (error) => keep('errors', plain(error)));
    one.on('requestfailed', (sent) => {
      const failure = sent.failure();
      keep('requests', { method: sent.method(), url: cut(sent.url()), failure: failure ? failure.errorText : null, status: null });
    });
    one.on('response', (response) => {
      if (response.status() < 400) return;
      keep('requests', { method: response.request().method(), url: cut(response.url()), failure: null, status: response.status() });
    });
    one.on('dialog', (dialog) => {
      keep('dialogs', { kind: dialog.type(), text: cut(dialog.message()) });
      // A page that asks whether it may be left is left.
      (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => {});
    });
    one.on('download', (download) => {
      keep('downloads', { url: cut(download.url()), file: cut(download.suggestedFilename()) });
      download.cancel().catch(() => {});
    });
  };
  if (!state.listens) {
    state.listens = true;
    context.on('page', (one) => {
      listen(one);
      // Without an opener, it is the server that opened it.
      one.opener().then((opener) => opener && keep('windows', cut(one.url())), () => {});
    });
  }
  context.pages().forEach(listen);

  const LATE = {};
  // The result of `work`, or LATE. A timer of the page's own would not run while the page is busy.
  const within = async (work, most = left()) => {
    work.catch(() => {});
    return Promise.race([work, page.waitForTimeout(most).then(() => LATE, () => new Promise(() => {}))]);
  };
  const pause = (most) => page.waitForTimeout(Math.min(most, left())).catch(() => {});
  const refused = (message) => ({ kind: 'refused', message });
  const late = (message) => ({ kind: 'late', message: `${message} within ${request.limit} ms` });
  const done = (rest = {}) => ({ kind: 'done', message: '', ...rest });
  const isLate = (error) => Boolean(error) && error.name === 'TimeoutError';
  const asJson = (value) => {
    try {
      const text = JSON.stringify(value);
      return text === undefined ? 'null' : text;
    } catch (error) {
      return JSON.stringify(String(value));
    }
  };
  // The page itself when what was done makes it load another one.
  const settle = async () => {
    await pause(SETTLE);
    await page.waitForLoadState('load', { timeout: left() }).catch(() => {});
  };

  const navigate = async (url) => {
    let response;
    try {
      response = await page.goto(url, { waitUntil: 'load', timeout: left() });
    } catch (error) {
      if (isLate(error)) return late('the page did not load');
      if (/Download is starting/.test(plain(error))) return refused('the address is a download and not a page');
      return refused(`the page did not load: ${plain(error).replace(/^page\.goto: /, '')}`);
    }
    await pause(SETTLE);
    if (response && response.status() >= 400) {
      return refused(`the page answered with status ${`${response.status()} ${response.statusText()}`.trim()}`);
    }
    return done();
  };

  const click = async (selector) => {
    try {
      await page.click(selector, { timeout: left() });
    } catch (error) {
      if (!isLate(error)) return refused(`${selector} cannot be clicked: ${plain(error)}`);
      const found = await within(page.locator(selector).count().catch(() => 0), 1000);
      return late(found ? `an element \`${selector}\` is there, and could not be clicked` : `no element \`${selector}\` was there`);
    }
    await settle();
    return done();
  };

  // The elements that a name may mean: a CSS selector, then the name, id, label or placeholder of a field.
  const field = async (name) => {
    const quoted = JSON.stringify(name);
    const candidates = [
      page.locator(`css=${name}`),
      page.locator(`css=[name=${quoted}]`),
      page.locator(`css=[id=${quoted}]`),
      page.getByLabel(name, { exact: true }),
      page.getByPlaceholder(name, { exact: true }),
    ];
    for (;;) {
      for (const candidate of candidates) {
        const count = await within(candidate.count().catch(() => 0));
        if (count !== LATE && count > 0) return candidate;
      }
      if (left() <= 50) return null;
      await pause(50);
    }
  };
  const fillOne = async (name, value) => {
    const all = await field(name);
    if (!all) return late(`no field \`${name}\` was there`);
    const one = all.first();
    const kind = await within(one.evaluate((element) => `${element.localName}:${(element.type || '').toLowerCase()}`));
    if (kind === LATE) return late(`the field \`${name}\` could not be filled`);
    const timeout = left();
    if (kind === 'input:file') return refused(`the field \`${name}\` takes a file, and files are not sent`);
    if (kind === 'input:radio' && (await all.count()) > 1) {
      const chosen = all.and(page.locator(`css=[value=${JSON.stringify(value)}]`));
      if ((await chosen.count()) === 0) return refused(`no choice of \`${name}\` has this value`);
      await chosen.first().check({ timeout });
    } else if (kind === 'input:checkbox' || kind === 'input:radio') {
      if (!['true', 'false'].includes(value)) return refused(`the field \`${name}\` takes true or false`);
      await one.setChecked(value === 'true', { timeout });
    } else if (kind.startsWith('select:')) await one.selectOption(value, { timeout });
    else await one.fill(value, { timeout });
    return null;
  };
  const fill = async (fields) => {
    for (const [name, value] of fields) {
      try {
        const failure = await fillOne(name, value);
        if (failure) return failure;
      } catch (error) {
        if (isLate(error)) return late(`the field \`${name}\` could not be filled`);
        return refused(`the field \`${name}\` cannot be filled: ${plain(error)}`);
      }
    }
    await settle();
    return done();
  };

  const evaluated = async (script) => {
    const handle = await page.evaluateHandle(script);
    return handle.evaluate((value) => (typeof value === 'function' ? value() : value));
  };
  const evaluate = async (given) => {
    const script = given.trim().replace(/;+$/, '');
    // A function alone is a declaration, which has no value.
    const isFunction = /^(async\s+)?function\b/.test(script);
    let value;
    try {
      value = await within(evaluated(isFunction ? `(${script}\n)` : given));
    } catch (first) {
      // Nothing of a script with an error of syntax has run.
      const isReturn = /SyntaxError: (Illegal return|return not in function|Return statements are only valid)/.test(plain(first));
      const isAwait = /SyntaxError: (await is only valid|Unexpected identifier|Unexpected reserved word)/.test(plain(first));
      if (!isReturn && !(isAwait && /\bawait\b/.test(script))) throw first;
      value = await within(evaluated(isReturn ? `(async () => { ${given}\n})()` : `(async () => (${script}\n))()`));
    }
    if (value === LATE) return late('the expression had no value');
    const text = asJson(value);
    if (value === false) return { ...refused('the expression is false'), value: text };
    if (text.length > VALUE) return refused(`the value has more than ${VALUE} characters`);
    return done({ value: text });
  };

  const see = async (text) => {
    const wanted = text.replace(/\s+/g, ' ').trim();
    const pattern = new RegExp(wanted.split(' ').map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('\\s+'));
    const shown = () => page.evaluate((sought) => (document.body ? document.body.innerText : '').replace(/\s+/g, ' ').includes(sought), wanted);
    for (;;) {
      const isShown = await within(shown().catch(() => false));
      if (isShown === true) return done();
      const isThere = await within(page.getByText(pattern).first().isVisible().catch(() => false));
      if (isThere === true) return done();
      if (left() <= 50) return late('the page did not show this text');
      await pause(50);
    }
  };

  const waitFor = async (selector) => {
    try {
      await page.waitForSelector(selector, { timeout: left() });
      return done();
    } catch (error) {
      if (!isLate(error)) return refused(`\`${selector}\` cannot be waited for: ${plain(error)}`);
      const found = await within(page.locator(selector).count().catch(() => 0), 1000);
      return late(found === LATE || !found ? `no element \`${selector}\` was there` : `an element \`${selector}\` was there, and not visible`);
    }
  };

  const content = async (selector) => {
    let text;
    try {
      text = selector === null
        ? await within(page.evaluate(() => (document.body ? document.body.innerText : '')))
        : await page.locator(selector).first().innerText({ timeout: left() });
    } catch (error) {
      if (isLate(error)) return late(`no element \`${selector}\` was there`);
      return refused(`the page cannot be read: ${plain(error)}`);
    }
    return text === LATE ? late('the page could not be read') : done({ value: JSON.stringify(cut(text, VALUE)) });
  };

  const screenshot = async () => {
    try {
      const picture = async (fullPage) => (await page.screenshot({ type: 'png', fullPage, timeout: left() })).toString('base64');
      let image = await picture(true);
      if (image.length > PICTURE) image = await picture(false);
      return done({ image });
    } catch (error) {
      return isLate(error) ? late('there was no picture of the page') : refused(`there is no picture of the page: ${plain(error)}`);
    }
  };

  const operations = {
    start: async () => done(),
    navigate,
    click,
    fill,
    evaluate,
    see,
    waitFor,
    content,
    screenshot,
  };
  const [[name, argument]] = Object.entries(request.operation);
  let result;
  try {
    result = await operations[name](argument);
  } catch (error) {
    result = isLate(error) ? late('the page did not answer') : refused(plain(error).replace(/^(page|jsHandle)\.evaluate(Handle)?: /i, ''));
  }

  const browser = context.browser();
  if (browser && !browser.isConnected()) result = { kind: 'lost', message: `the browser has ended: ${result.message}` };
  const events = state.events;
  state.events = fresh();
  const url = page.url();
  const short = async (work) => {
    const value = await within(work.catch(() => null), 1000);
    return value === LATE ? null : value;
  };
  if (result.kind === 'late' && !page.isClosed()) {
    const answers = await within(page.evaluate('1').catch(() => 1), 1000);
    // A page that answers nothing any more, because it is busy or still loads, would block the server as well.
    if (answers === LATE) {
      result.message += ', and the page was closed, because it answered nothing';
      await within(page.close().catch(() => {}), 1000);
    }
  }
  const title = page.isClosed() ? null : await short(page.title());
  let text = null;
  if ((request.last || result.kind !== 'done') && !page.isClosed()) {
    text = await short(page.evaluate(() => (document.body ? document.body.innerText : '')));
  }
  // What the page looked like when it did not do what was asked.
  const failed = result.kind === 'refused' || result.kind === 'late' || events.errors.length > 0;
  if (failed && !result.image && !page.isClosed()) {
    const picture = await short(page.screenshot({ type: 'png', timeout: 1000 }));
    if (picture) result.image = picture.toString('base64');
  }
  return {
    referee: request.nonce,
    isNew,
    ...result,
    url,
    title: title === null ? null : cut(title),
    text: text === null ? null : cut(text, PAGE_TEXT),
    browser: browser ? { name: browser.browserType().name(), version: browser.version() } : null,
    ...events,
  };
}
