import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { readTextFile } from './files.ts'
import type { LoadOptions } from './load.ts'
import { loadConnection } from './load.ts'
import { aFolder, failureOf, revealed } from './testing/fixtures.ts'

const account = '/var/run/secrets/kubernetes.io/serviceaccount'
const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

const of = (name: string, user = `{token: ${name}}`, current = name) => `
current-context: ${current}
clusters: [{name: ${name}, cluster: {server: "https://${name}"}}]
users: [{name: ${name}, user: ${user}}]
contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}, namespace: ns-${name}}}]
`

/** A home folder, kubeconfigs in it by path, and a pod's account that is there when the environment says so. */
function aMachine(t: TestScope, kubeconfigs: Record<string, string>) {
  const folder = aFolder(t)
  for (const [name, text] of Object.entries(kubeconfigs)) {
    mkdirSync(dirname(folder.at(name)), { recursive: true })
    folder.write(name, text)
  }
  const load = (options: Partial<LoadOptions> = {}) =>
    loadConnection({
      clock: new FakeClock(),
      env: {},
      home: folder.path,
      readFile: async (path) => (path === `${account}/token` ? 'pod-token' : readTextFile(path)),
      ...options,
    })
  return { folder, load, at: (...names: string[]) => names.map(folder.at).join(delimiter) }
}

test('a given path comes first', async (t) => {
  const { load, at } = aMachine(t, { given: of('given'), env: of('env'), '.kube/config': of('home') })
  const found = await load({ path: at('given'), env: { KUBECONFIG: at('env'), ...pod } })
  assert.deepEqual([found.connection.server, found.context, found.namespace], ['https://given', 'given', 'ns-given'])
  assert.equal(found.source, at('given'))
})

test('KUBECONFIG comes next, then ~/.kube/config, then the pod', async (t) => {
  const { load, at } = aMachine(t, { env: of('env'), '.kube/config': of('home') })
  assert.equal((await load({ env: { KUBECONFIG: at('env'), ...pod } })).connection.server, 'https://env')
  assert.equal((await load({ env: { KUBECONFIG: '', ...pod } })).connection.server, 'https://home')
  const bare = aMachine(t, {})
  const inPod = await bare.load({ env: pod })
  assert.equal(inPod.connection.server, 'https://10.0.0.1:443')
  assert.equal(revealed((await inPod.connection.credentials?.())?.authorization), 'pod-token')
})

test('several files of KUBECONFIG count as one, missing ones are passed over, paths are those of each file', async (t) => {
  const { folder, load, at } = aMachine(t, {
    'one/config': of('one'),
    'two/config': of('two', '{tokenFile: token}'),
    'two/token': 'from-two',
  })
  const KUBECONFIG = at('missing', 'one/config', 'two/config', 'two/config')
  assert.equal((await load({ env: { KUBECONFIG } })).context, 'one')
  const two = await load({ env: { KUBECONFIG }, context: 'two' })
  assert.equal(revealed((await two.connection.credentials?.())?.authorization), 'from-two')
  folder.write('one/config', of('one', '{}', 'lost'))
  const failure = await failureOf(() => load({ env: { KUBECONFIG } }), 'KUBECONFIG_UNKNOWN_CONTEXT')
  assert.match(failure.message, /there is one, two/)
})

test('a given path that does not exist is a failure, whatever else there is', async (t) => {
  const { load, at } = aMachine(t, { '.kube/config': of('home') })
  const failure = await failureOf(() => load({ path: at('given') }), 'KUBECONFIG_MISSING')
  assert.match(failure.message, /--kubeconfig PATH/)
  await failureOf(() => load({ path: at('.kube') }), 'KUBECONFIG_UNREADABLE')
})

test('a KUBECONFIG whose files are all missing does not end up at another cluster', async (t) => {
  const { load, at } = aMachine(t, { '.kube/config': of('home') })
  const failure = await failureOf(() => load({ env: { KUBECONFIG: at('a', 'b'), ...pod } }), 'KUBECONFIG_NOTHING_FOUND')
  assert.ok(failure.message.includes(at('a')) && failure.message.includes(at('b')), failure.message)
})

test('when nothing is found the failure tells what was tried and what to do', async (t) => {
  const { load, at } = aMachine(t, {})
  const failure = await failureOf(() => load(), 'KUBECONFIG_NOTHING_FOUND')
  assert.equal(
    failure.message,
    `found no cluster to talk to (KUBECONFIG is not set; ${at('.kube/config')} does not exist; this is no pod); pass --kubeconfig PATH`,
  )
})

test('an empty ~/.kube/config is as good as none', async (t) => {
  const { load } = aMachine(t, { '.kube/config': 'apiVersion: v1\nkind: Config\n' })
  assert.match((await failureOf(() => load(), 'KUBECONFIG_NOTHING_FOUND')).message, /has no contexts/)
  assert.equal((await load({ env: pod })).connection.server, 'https://10.0.0.1:443')
})

test('a context that was asked for is not looked for in a pod', async (t) => {
  const { load } = aMachine(t, {})
  await failureOf(() => load({ env: pod, context: 'west' }), 'KUBECONFIG_NOTHING_FOUND')
})

test('a kubeconfig that is broken is told, not passed over', async (t) => {
  const { load } = aMachine(t, { '.kube/config': 'clusters: 1' })
  await failureOf(() => load({ env: pod }), 'KUBECONFIG_INVALID')
})
