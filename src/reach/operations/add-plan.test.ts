import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../core/secret.ts'
import { planReach } from './add-plan.ts'

const where = { name: 'west', namespace: 'hub' }

test('a kubeconfig becomes a Secret and a reference to it', () => {
  const { secrets, spec, labels } = planReach({ ...where, by: 'kubeconfig', kubeconfig: Secret.of('k') })
  assert.deepEqual(spec, {
    authType: 'Kubeconfig',
    kubeconfigSecretRef: { name: 'west-kubeconfig', namespace: 'hub', key: 'value' },
  })
  assert.deepEqual(
    secrets.map(({ name }) => name),
    ['west-kubeconfig'],
  )
  assert.deepEqual(labels, { 'lanyard.io/reach-added': 'west' })
})

test('an issuer becomes what it takes and no more', () => {
  const wish = { ...where, by: 'oidc', server: 'https://west:6443', issuer: 'https://idp/', clientId: 'hub' } as const
  const bare = planReach(wish)
  assert.deepEqual(bare.spec.oidcAuth, { issuerURL: 'https://idp/', clientID: 'hub', server: 'https://west:6443' })
  assert.deepEqual(bare.secrets, [])
  const full = planReach({
    ...{ ...wish, clientSecret: Secret.of('s'), ca: 'PEM', issuerCa: 'ROOT', audience: 'a', scopes: ['x'] },
    cluster: 'west-1',
  })
  assert.deepEqual(full.spec.oidcAuth, {
    issuerURL: 'https://idp/',
    clientID: 'hub',
    certificateAuthority: 'ROOT',
    server: 'https://west:6443',
    clientSecretRef: { name: 'west-client-secret', namespace: 'hub', key: 'client-secret' },
    caSecretRef: { name: 'west-ca', namespace: 'hub', key: 'ca.crt' },
    audience: 'a',
    scopes: ['x'],
  })
  assert.equal(full.labels['lanyard.io/cluster'], 'west-1')
  assert.ok(!JSON.stringify(full).includes('"s"'))
})

test('an identity provider of the hub is named, and says the rest', () => {
  const wish = { ...where, by: 'identity-provider', server: 'https://west:6443', provider: 'corporate' } as const
  assert.deepEqual(planReach(wish).spec, {
    authType: 'OIDC',
    oidcFromIdentityProvider: { name: 'corporate', server: 'https://west:6443' },
  })
})
