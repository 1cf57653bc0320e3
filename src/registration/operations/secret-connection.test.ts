import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { agentConnection, bootstrapConnection } from './secret-connection.ts'

const secretWith = (data: Record<string, string>) => ({
  metadata: { name: 'bootstrap-hub-kubeconfig', namespace: 'agent' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
})

const kubeconfigWith = (user: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'hub', cluster: { server: 'https://hub.example' } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'it', context: { cluster: 'hub', user: 'user' } }],
    'current-context': 'it',
  })

test('a kubeconfig in a Secret runs no program here and reads no file', async (t) => {
  const proof = join(tempDir(t), 'ran')
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'touch',
    args: [proof],
    interactiveMode: 'Never',
  }
  for (const user of [{ exec }, { tokenFile: '/etc/hostname' }]) {
    const secret = secretWith({ kubeconfig: kubeconfigWith(user) })
    await assert.rejects(bootstrapConnection(secret, new FakeClock()), { code: 'KUBECONFIG_NOT_SELF_CONTAINED' })
  }
  assert.equal(existsSync(proof), false)
})

test('the identity of an agent is what its Secret holds, whatever its kubeconfig says of users', async (t) => {
  const proof = join(tempDir(t), 'ran')
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'touch',
    args: [proof],
    interactiveMode: 'Never',
  }
  const secret = secretWith({ kubeconfig: kubeconfigWith({ exec }), 'tls.crt': 'CERT', 'tls.key': 'KEY' })
  const { certificate } = (await agentConnection(secret)?.credentials?.()) ?? {}
  assert.equal(certificate?.certPem, 'CERT')
  assert.equal(existsSync(proof), false)
})

test('a Secret without a certificate, or with somebody else’s content, is no identity', () => {
  assert.equal(agentConnection(secretWith({ kubeconfig: kubeconfigWith({}) })), undefined)
  assert.equal(agentConnection(secretWith({ kubeconfig: 'nonsense', 'tls.crt': 'a', 'tls.key': 'b' })), undefined)
})
