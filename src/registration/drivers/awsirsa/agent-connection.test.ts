import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../core/secret.ts'
import { awsHubConnection } from './agent-connection.ts'

const stanza = { name: 'hub', server: 'https://hub.example.com/', ca: 'pem', proxyUrl: Secret.of('https://p:1') }

test('the agent comes to its hub with a token of its role, and with another one after a refusal', async () => {
  const asked: unknown[] = []
  const connection = awsHubConnection(stanza, {
    async token(options) {
      asked.push(options?.refresh)
      return { token: Secret.of(`t${asked.length}`), expiresAt: new Date('2026-01-01T00:14:00Z') }
    },
  })
  assert.equal((await connection.credentials?.())?.authorization?.reveal(), 't1')
  assert.equal((await connection.credentials?.({ refresh: true }))?.authorization?.reveal(), 't2')
  assert.deepEqual(asked, [undefined, true])
})

test('it is reached as the bootstrap kubeconfig says, through its proxy and packed or not', () => {
  const unpacked = { ...stanza, disableCompression: true }
  const { credentials, ...connection } = awsHubConnection(unpacked, { token: () => assert.fail() })
  assert.deepEqual(connection, {
    server: 'https://hub.example.com',
    tls: { ca: 'pem' },
    proxyUrl: stanza.proxyUrl,
    proxyCa: 'pem',
    disableCompression: true,
  })
})
