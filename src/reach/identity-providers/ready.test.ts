import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedProvider } from '../../../test/support/seed-samples.ts'
import type { IdentityProvider } from '../../apis/breakglass/identity-provider.ts'
import { spokeFailures } from '../../fleet/spoke/index.ts'
import { answers, findingBefore, findingOf } from './ready.ts'

type Spec = NonNullable<IdentityProvider['spec']>
const named = (name: string, changes: Partial<Spec> = {}): IdentityProvider => ({
  metadata: { name },
  spec: { oidc: { authority: 'https://id.example.com', clientID: 'ui' }, ...changes },
})
const reasonOf = (provider: IdentityProvider, ...others: IdentityProvider[]) =>
  findingBefore(provider, [provider, ...others])?.reason

test('what can be used is asked, also as the description shows it', () => {
  assert.equal(findingBefore(named('a'), [named('a')]), undefined)
  assert.equal(findingBefore(seedProvider, [seedProvider]), undefined)
})

test('what is switched off is not asked, whatever else is wrong with it', () => {
  assert.equal(reasonOf(named('a', { disabled: true })), 'Disabled')
  assert.equal(reasonOf(named('a', { disabled: true, groupSyncProvider: 'Keycloak' })), 'Disabled')
})

test('what admission would have refused is not asked either, and says why', () => {
  const oidc = { authority: 'https://id.example.com', clientID: 'ui', insecureSkipVerify: true }
  const finding = findingBefore(named('a', { oidc }), [])
  assert.deepEqual([finding?.status, finding?.reason], ['False', 'ValidationFailed'])
  assert.match(finding?.message ?? '', /^spec\.oidc\.insecureSkipVerify: must not be true/)
  assert.equal(reasonOf(named('a'), named('b')), 'ValidationFailed')
  assert.equal(reasonOf(named('a'), named('b', { issuer: 'https://other' })), undefined)
  assert.equal(reasonOf({ metadata: { name: 'a' } }), 'ValidationFailed')
})

test('what it says, or why it says nothing, is told with what to do', () => {
  assert.deepEqual([answers('https://a').status, answers('https://a').reason], ['True', 'ConfigReloadSuccess'])
  const silent = findingOf(spokeFailures.SPOKE_DISCOVERY_FAILED({ issuer: 'https://a', detail: 'it is 404' }))
  assert.deepEqual([silent?.status, silent?.reason], ['False', 'ConfigReloadFailed'])
  assert.match(silent?.message ?? '', /https:\/\/a .*it is 404; compare spec\.oidc\.authority/)
})
