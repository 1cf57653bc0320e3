import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { parseKubeconfig } from '../../kube/kubeconfig/index.ts'
import { createSelfSigned } from '../../pki/index.ts'
import { selfContained } from './self-contained.ts'

const clock = new FakeClock()
const source = '/home/ada/config'

const kubeconfig = (user: string) => `
clusters:
  - { name: west, cluster: { server: 'https://west:6443', certificate-authority: ca.crt } }
  - { name: east, cluster: { server: 'https://east:6443' } }
users:
  - { name: ada, user: ${user} }
  - { name: bob, user: { token: of-bob } }
contexts:
  - { name: west, context: { cluster: west, user: ada } }
  - { name: east, context: { cluster: east, user: bob } }
  - { name: nobody, context: { cluster: east } }
current-context: west
`

const made = (user: string, files: Readonly<Record<string, string>>, context?: string) =>
  selfContained(
    { config: parseKubeconfig(kubeconfig(user), { file: source }), source, context },
    {
      clock,
      readFile: async (path) => {
        const text = files[path]
        if (text === undefined) throw Object.assign(new Error('no'), { code: 'ENOENT' })
        return text
      },
    },
  )

test('the files that a kubeconfig names are put into it, and other contexts stay out', async () => {
  const { certPem, keyPem } = await createSelfSigned({ subject: { commonName: 'ada' }, clock, lifetimeMs: 1e9 })
  const files = {
    '/home/ada/ca.crt': certPem,
    '/home/ada/ada.crt': certPem,
    '/keys/ada.key': keyPem.reveal(),
  }
  const { kubeconfig: text, server } = await made('{ client-certificate: ada.crt, client-key: /keys/ada.key }', files)
  assert.equal(server, 'https://west:6443')
  const { clusters, users, contexts, currentContext } = parseKubeconfig(text, { name: 'made' })
  assert.deepEqual([clusters.length, users.length, contexts.length, currentContext], [1, 1, 1, 'west'])
  assert.equal(clusters[0]?.value.certificateAuthorityData, certPem)
  assert.equal(users[0]?.value.clientKeyData?.reveal(), keyPem.reveal())
  assert.ok(!text.reveal().includes('of-bob') && !text.reveal().includes('/keys'))
})

test('a token in a file is put into it without the newline at its end', async () => {
  const { certPem } = await createSelfSigned({ subject: { commonName: 'ca' }, clock, lifetimeMs: 1e9 })
  const { kubeconfig: text } = await made('{ tokenFile: token }', {
    '/home/ada/ca.crt': certPem,
    '/home/ada/token': 'of-ada\n',
  })
  assert.equal(parseKubeconfig(text, { name: 'made' }).users[0]?.value.token?.reveal(), 'of-ada')
})

test('another context than the current one can be chosen', async () => {
  const { kubeconfig: text, server } = await made('{ token: of-ada }', {}, 'east')
  assert.equal(server, 'https://east:6443')
  assert.ok(!text.reveal().includes('of-ada'))
})

test('what the hub could not use is refused with what to do instead', async () => {
  const refused: [Promise<unknown>, string][] = [
    [made('{ exec: { apiVersion: client.authentication.k8s.io/v1, command: aws } }', {}), 'REACH_PLUGIN'],
    [made('{ auth-provider: { name: gcp } }', {}), 'REACH_PLUGIN'],
    [made('{ token: x }', {}, 'nobody'), 'REACH_ANONYMOUS'],
    [made('{ token: x }', {}), 'KUBECONFIG_UNREADABLE'],
  ]
  for (const [running, code] of refused) await assert.rejects(running, { code })
  const unknown = { code: 'KUBECONFIG_UNKNOWN_CONTEXT', message: /pass --from-context NAME/ }
  await assert.rejects(made('{ token: x }', {}, 'north'), unknown)
})
