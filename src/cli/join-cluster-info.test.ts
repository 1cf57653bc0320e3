import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '../core/secret.ts'
import { clusterInfoManifest } from '../registration/manifests/cluster-info.ts'
import { bootstrapTokenParts, isSignedWith, readHubInfo } from './join-cluster-info.ts'

const token = { id: 'ocmhub', secret: '0123456789abcdef' }
const encode = (text: string) => Buffer.from(text).toString('base64url')

function signature(kubeconfig: string, { alg = 'HS256', kid = token.id, secret = token.secret } = {}) {
  const header = encode(JSON.stringify({ alg, kid }))
  const signed = createHmac('sha256', secret)
    .update(`${header}.${encode(kubeconfig)}`)
    .digest('base64url')
  return { [`jws-kubeconfig-${token.id}`]: `${header}..${signed}` }
}

test('what init publishes can be read', () => {
  const { object } = clusterInfoManifest('https://hub.example', 'pem')
  const { kubeconfig = '' } = (object as { data?: Record<string, string> }).data ?? {}
  assert.deepEqual(readHubInfo(kubeconfig), { server: 'https://hub.example', ca: 'pem' })
})

test('what says no CA says nothing', () => {
  for (const text of ['', '[', 'clusters: []', 'clusters: [{ cluster: { server: a } }]'])
    assert.equal(readHubInfo(text), undefined)
})

test('only a bootstrap token of Kubernetes has an id and a secret', () => {
  assert.deepEqual(bootstrapTokenParts(Secret.of('ocmhub.0123456789abcdef')), token)
  for (const text of ['eyJhbGciOi.e30.x', 'ocmhub.0123456789abcde', 'OCMHUB.0123456789abcdef', ''])
    assert.equal(bootstrapTokenParts(Secret.of(text)), undefined)
})

test('a signature counts only for this token, this text and this way of signing', () => {
  assert.ok(isSignedWith(token, 'text', signature('text')))
  assert.ok(!isSignedWith(token, 'other', signature('text')))
  assert.ok(!isSignedWith(token, 'text', signature('text', { secret: 'fedcba9876543210' })))
  assert.ok(!isSignedWith(token, 'text', signature('text', { alg: 'none' })))
  assert.ok(!isSignedWith(token, 'text', signature('text', { kid: 'others' })))
  assert.ok(!isSignedWith(token, 'text', {}))
  assert.ok(!isSignedWith(token, 'text', { 'jws-kubeconfig-ocmhub': 'a.b.c' }))
})
