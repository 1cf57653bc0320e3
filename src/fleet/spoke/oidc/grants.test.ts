import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientCredentialsForm, exchangeForm, mainGrant } from './grants.ts'
import { keyAt, wayTo } from './testing/scene.ts'

const way = wayTo({ issuer: 'https://idp.example.com', caPem: '', clientId: 'hub' })
const accessToken = 'urn:ietf:params:oauth:token-type:access_token'
const exchange = {
  subject: keyAt('s', 'token'),
  subjectType: accessToken,
  requestedType: accessToken,
  actorType: accessToken,
}

test('client credentials ask for openid and what the ClusterConfig adds, once each', () => {
  const { scope } = clientCredentialsForm({ ...way, scopes: ['groups', 'openid'] })
  assert.equal(scope, 'openid groups')
})

test('a token is for the audience that is named, else for the server', () => {
  assert.equal(clientCredentialsForm(way)['audience'], way.server)
  assert.equal(clientCredentialsForm({ ...way, audience: 'west' })['audience'], 'west')
})

test('an exchange says no more than it was told', () => {
  assert.deepEqual(exchangeForm(way, exchange, { subject: 'S' }), {
    subject_token: 'S',
    subject_token_type: accessToken,
    requested_token_type: accessToken,
  })
  const told = { ...way, audience: 'west', scopes: ['a', 'b'] }
  assert.deepEqual(exchangeForm(told, { ...exchange, resource: 'https://w.io' }, { subject: 'S', actor: 'A' }), {
    subject_token: 'S',
    subject_token_type: accessToken,
    requested_token_type: accessToken,
    actor_token: 'A',
    actor_token_type: accessToken,
    audience: 'west',
    resource: 'https://w.io',
    scope: 'a b',
  })
})

test('an exchange goes before client credentials', () => {
  const { clientSecret: _, ...none } = way
  assert.deepEqual(
    [mainGrant({ ...way, exchange }), mainGrant(way), mainGrant(none)],
    ['token_exchange', 'client_credentials', undefined],
  )
})
