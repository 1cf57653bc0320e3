import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFlags } from './reach-flags.ts'

const server = 'https://west:6443'
const issuer = 'https://idp'

test('the flags say which way in is meant', () => {
  assert.equal(checkFlags({ kubeconfigFile: 'f', fromContext: 'c', cluster: 'w' }), 'kubeconfig')
  assert.equal(checkFlags({ server, issuer, clientId: 'hub', clientSecretFile: '-' }), 'oidc')
  assert.equal(checkFlags({ server, identityProvider: 'corporate' }), 'identity-provider')
  assert.equal(checkFlags({ fromJoin: true }), 'from-join')
})

test('none, two, or half of one is refused', () => {
  const refused: [Parameters<typeof checkFlags>[0], string][] = [
    [{}, 'REACH_NO_WAY'],
    [{ server }, 'REACH_NO_WAY'],
    [{ kubeconfigFile: 'f', issuer }, 'REACH_TWO_WAYS'],
    [{ issuer, clientId: 'hub', clientSecretFile: 'f' }, 'REACH_NEEDS_FLAG'],
    [{ server, issuer, clientId: 'hub' }, 'REACH_NEEDS_FLAG'],
    [{ identityProvider: 'corporate' }, 'REACH_NEEDS_FLAG'],
    [{ kubeconfigFile: 'f', audience: 'a' }, 'REACH_FLAG_IDLE'],
    [{ fromJoin: true, server }, 'REACH_FLAG_IDLE'],
  ]
  for (const [flags, code] of refused) assert.throws(() => checkFlags(flags), { code }, JSON.stringify(flags))
})
