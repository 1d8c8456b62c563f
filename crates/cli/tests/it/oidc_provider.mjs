// An OpenID provider (node-oidc-provider) in memory, whose people are in the groups that their names say: `ada.referees.staff`.
// Usage: node oidc_provider.mjs DIRECTORY ALGORITHM REDIRECT, where DIRECTORY holds node_modules. Prints its issuer.
import { createServer } from 'node:http';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const [directory, algorithm, redirect] = process.argv.slice(2);
const { Provider, default: Default } = await import(pathToFileURL(`${directory}/node_modules/oidc-provider/lib/index.js`));
console.warn = console.info = () => {};

const { privateKey } = algorithm === 'ES256'
  ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
  : generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: algorithm };

const server = createServer();
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = new (Provider ?? Default)(issuer, {
    clients: [{
      client_id: 'referee', client_secret: 'a secret & more: of the client', redirect_uris: [redirect],
      id_token_signed_response_alg: algorithm,
    }],
    claims: { openid: ['sub'], groups: ['groups'] },
    scopes: ['openid', 'groups'],
    conformIdTokenClaims: false,
    cookies: { keys: [randomUUID()] },
    jwks: { keys: [key] },
    ttl: { IdToken: 600, AccessToken: 600, Grant: 600, Interaction: 600, Session: 600 },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, groups: id.split('.').slice(1) }) }),
  });
  server.on('request', provider.callback());
  process.stdout.write(`${issuer}\n`);
});
