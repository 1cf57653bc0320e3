import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNoIssuer, whyUnfit } from './endpoint-rules.ts'

const issuer = 'https://idp.example.com/realms/fleet'
const document = (endpoint: unknown, name: unknown = issuer) => ({ issuer: name, token_endpoint: endpoint })

test('a token endpoint of the issuer itself will do', () => {
  for (const endpoint of ['https://idp.example.com/token', 'https://idp.example.com:443/a?b=c', `${issuer}/token`])
    assert.equal(whyUnfit(issuer, document(endpoint)), undefined, endpoint)
})

const elsewhere: [endpoint: unknown, why: RegExp][] = [
  ['https://idp.example.org/token', /another origin/],
  ['https://idp.example.com:8443/token', /another origin/],
  ['https://idp.example.com.evil.org/token', /another origin/],
  ['http://idp.example.com/token', /not https/],
  ['http://127.0.0.1/token', /not https/],
  ['https://user:word@idp.example.com/token', /user name or password/],
  ['https://idp.example.com@evil.org/token', /user name or password/],
  ['https://idp.example.com/token#', /fragment/],
  ['https://idp.example.com/token#x', /fragment/],
  ['https://idp.example.com\\@evil.org/token', /backslashes/],
  ['https://idp.example\n.com/token', /blanks/],
  [`https://idp.example.com/${'x'.repeat(512)}`, /more than 512/],
  ['/token', /not a URL/],
  ['file:///etc/passwd', /not https/],
  [undefined, /does not say/],
  [['https://idp.example.com/token'], /does not say/],
]
for (const [endpoint, why] of elsewhere)
  test(`no credentials are sent to ${JSON.stringify(endpoint)?.slice(0, 50)}`, () => {
    assert.match(whyUnfit(issuer, document(endpoint)) ?? '', why)
  })

test('the document of another issuer is refused, however alike the names are', () => {
  for (const other of [`${issuer}/`, 'https://IDP.example.com/realms/fleet', 'https://idp.example.com', null, 7])
    assert.match(whyUnfit(issuer, document(`${issuer}/token`, other)) ?? '', /that of another issuer$/)
})

test('an issuer is an https address and no more', () => {
  assert.equal(whyNoIssuer(issuer), undefined)
  for (const other of ['http://idp.example.com', 'idp', `${issuer}?x`, `${issuer}#`, 'https://u@idp.example.com'])
    assert.notEqual(whyNoIssuer(other), undefined, other)
})
