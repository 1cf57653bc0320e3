import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../core/secret.ts'
import { parseKubeconfig } from '../kube/kubeconfig/index.ts'
import { formatHubKubeconfig, hubConnection, isSameHub, readHubKubeconfig, stanzaOf } from './hub-stanza.ts'

const hub = {
  ...{ name: 'hub', server: 'https://hub.example:6443', ca: 'a CA', serverName: 'hub' },
  ...{ proxyUrl: Secret.of('http://proxy:3128'), disableCompression: true },
}
const neverRead = () => Promise.reject(new Error('it names no file'))

test('what a kubeconfig says of the way to a hub, the kubeconfig of the agent says again', async () => {
  const text = formatHubKubeconfig(hub)
  const stanza = await stanzaOf(parseKubeconfig(text, { name: 'it' }), 'it', neverRead)
  for (const read of [stanza, readHubKubeconfig(text)]) {
    assert.deepEqual({ ...read, proxyUrl: read?.proxyUrl?.reveal() }, { ...hub, proxyUrl: hub.proxyUrl.reveal() })
  }
  const { disableCompression, proxyUrl, tls } = hubConnection(stanza, () => undefined)
  assert.deepEqual(
    [disableCompression, proxyUrl?.reveal(), tls],
    [true, 'http://proxy:3128', { ca: 'a CA', serverName: 'hub' }],
  )
})

test('how lists come is no matter of which hub it is', () => {
  assert.ok(isSameHub(hub, { ...hub, disableCompression: false }))
  assert.ok(!isSameHub(hub, { ...hub, server: 'https://other.example' }))
})
