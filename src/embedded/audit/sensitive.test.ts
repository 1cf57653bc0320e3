import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issuedCredential, withoutCredentials } from './sensitive.ts'

test('credentials in a query do not show, however their names are written', () => {
  assert.equal(
    withoutCredentials('/api?token=abc&access_token=d%26e&limit=5&%74oken=f&continue=g'),
    '/api?token=***&access_token=***&limit=5&%74oken=***&continue=g',
  )
  assert.equal(withoutCredentials('/api?clientSecret&x=%zz'), '/api?clientSecret=***&x=%zz')
  assert.equal(withoutCredentials('/api?q=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.c2ln'), '/api?q=***')
  assert.equal(withoutCredentials('/api/v1/namespaces/a/secrets/b'), '/api/v1/namespaces/a/secrets/b')
})

test('a token that was issued is told by its name', () => {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url')
  const token = `${part({ alg: 'none' })}.${part({ jti: '1-2' })}.sig`
  assert.equal(issuedCredential(JSON.stringify({ status: { token } })), 'JTI=1-2')
  assert.equal(issuedCredential('{"kind":"Status"}'), undefined)
})
