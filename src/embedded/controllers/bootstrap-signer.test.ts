import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flattenedVerify } from 'jose'
import { aBootstrapToken, aSecret } from '../../../test/support/builders.ts'
import { configMaps, secrets } from '../../kube/kinds.ts'
import { bootstrapSigner, detachedSignature } from './bootstrap-signer.ts'
import { ensureClusterInfo } from './cluster-info.ts'
import { controllerScene } from './testing/scene.ts'

const secret = '0123456789abcdef'

test('a signature is a JWS that others can verify', async () => {
  const [header = '', , signature = ''] = detachedSignature('a kubeconfig', 'abcdef', secret).split('.')
  const payload = Buffer.from('a kubeconfig').toString('base64url')
  const verified = await flattenedVerify({ protected: header, payload, signature }, Buffer.from(secret))
  assert.deepEqual(verified.protectedHeader, { alg: 'HS256', kid: 'abcdef' })
})

test('a token that signs loses its signature when it ends, though nobody deletes it', async (t) => {
  const { clock, kube } = await controllerScene(t, bootstrapSigner)
  await ensureClusterInfo(kube, { url: 'https://a.example', serverCaPem: 'the authority' })
  const expiresAt = new Date(clock.now().getTime() + 60_000)
  const token = aBootstrapToken({ id: 'abcdef', secret, expiresAt })
  const data = { ...token.data, ...aSecret('', { 'usage-bootstrap-signing': 'true' }).data }
  await kube.of(secrets, 'kube-system').create({ ...token, data })
  await clock.settle()
  const fields = async () => Object.keys((await kube.of(configMaps, 'kube-public').get('cluster-info')).data ?? {})
  assert.deepEqual(await fields(), ['kubeconfig', 'jws-kubeconfig-abcdef'])
  await clock.advance('1m')
  assert.deepEqual(await fields(), ['kubeconfig'])
})

test('cluster-info follows the address, and is left alone when that is the same', async (t) => {
  const { kube } = await controllerScene(t, bootstrapSigner)
  const place = kube.of(configMaps, 'kube-public')
  await ensureClusterInfo(kube, { url: 'https://a.example', serverCaPem: 'the authority' })
  const { metadata, data } = await place.get('cluster-info')
  assert.match(data?.['kubeconfig'] ?? '', /\n {4}server: https:\/\/a\.example\n/)
  await ensureClusterInfo(kube, { url: 'https://a.example', serverCaPem: 'the authority' })
  assert.equal((await place.get('cluster-info')).metadata.resourceVersion, metadata.resourceVersion)
  await ensureClusterInfo(kube, { url: 'https://b.example', serverCaPem: 'the authority' })
  assert.match((await place.get('cluster-info')).data?.['kubeconfig'] ?? '', /server: https:\/\/b\.example\n/)
})
