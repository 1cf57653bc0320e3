import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { BearerToken } from './bearer-token.ts'
import { BootstrapTokens } from './bootstrap-tokens.ts'
import { bootstrapSecret, FakeStore } from './testing/objects.ts'

const [id, secret] = ['abc123', '0123456789abcdef']

function scene(data: Record<string, string> = {}, metadata: object = {}, more: object = {}) {
  const [clock, store] = [new FakeClock(), new FakeStore()]
  const name = `bootstrap-token-${id}`
  store.put(
    'secrets',
    { name, namespace: 'kube-system', ...metadata },
    { ...bootstrapSecret(id, secret, data), ...more },
  )
  const tokens = new BootstrapTokens({ store, clock, audiences: ['api'] })
  const judge = (token = `${id}.${secret}`, audiences = ['api']) =>
    tokens.authenticate(new BearerToken(token), audiences)
  return { clock, store, name, judge }
}

test('a bootstrap token stands for a bootstrapper', () => {
  const { judge } = scene({ 'auth-extra-groups': 'system:bootstrappers:b,system:bootstrappers:a' })
  const groups = ['system:bootstrappers', 'system:bootstrappers:a', 'system:bootstrappers:b']
  assert.deepEqual(judge(), { user: { name: `system:bootstrap:${id}`, groups }, audiences: ['api'] })
})

test('a bootstrap token ends at its expiration', async () => {
  const { clock, judge } = scene({ expiration: '2026-01-01T00:01:00Z' })
  assert.ok(judge())
  await clock.advance('60s')
  assert.equal(judge(), undefined)
})

test('a bootstrap token is gone with its Secret', () => {
  const { store, name, judge } = scene()
  assert.ok(judge())
  store.remove('secrets', 'kube-system', name)
  assert.equal(judge(), undefined)
})

for (const [what, ...parts] of [
  ['that is being deleted', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }],
  ['of another type', {}, {}, { type: 'Opaque' }],
  ['without a use', { 'usage-bootstrap-authentication': 'false' }],
  ['with another id inside', { 'token-id': 'other1' }],
  ['with an end that is no time', { expiration: '2026' }],
  ['with a foreign group', { 'auth-extra-groups': 'system:masters' }],
  ['with an empty group', { 'auth-extra-groups': 'system:bootstrappers:a,' }],
] as [string, Record<string, string>, object?, object?][])
  test(`a bootstrap token ${what} is refused`, () => assert.equal(scene(...parts).judge(), undefined))

test('another secret part, another form and another audience are refused', () => {
  const { judge } = scene()
  for (const token of [`${id}.0123456789abcdee`, `${id}.${secret}0`, `ABC123.${secret}`, id, ''])
    assert.equal(judge(token), undefined)
  assert.equal(judge(undefined, ['vault']), undefined)
})
