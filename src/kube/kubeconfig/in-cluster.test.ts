import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { inClusterConnection } from './in-cluster.ts'
import { aCertificate, failureOf, mustNotShow, revealed } from './testing/fixtures.ts'

const account = '/var/run/secrets/kubernetes.io/serviceaccount'
const [authority, next] = [await aCertificate('authority'), await aCertificate('next')]

/** A pod whose service account volume holds these files. */
function aPod(files: Record<string, string>, env: Record<string, string> = {}) {
  const clock = new FakeClock()
  const open = () =>
    inClusterConnection({
      clock,
      env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', ...env },
      readFile: async (path) => {
        const content = path.startsWith(`${account}/`) ? files[path.slice(account.length + 1)] : undefined
        if (content === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' })
        return content
      },
    })
  return { clock, files, open }
}

test("the connection is that of the pod's service account", async () => {
  const { open } = aPod({ token: 'canary-token\n', 'ca.crt': authority.certPem, namespace: 'fleet\n' })
  const { connection, namespace, context } = await open()
  assert.equal(connection.server, 'https://10.0.0.1:443')
  assert.equal(connection.tls.ca, authority.certPem)
  assert.deepEqual([namespace, context], ['fleet', undefined])
  assert.equal(revealed((await connection.credentials?.())?.authorization), 'canary-token')
  mustNotShow(connection, 'canary-token')
})

test('an IPv6 address gets its brackets', async () => {
  const { open } = aPod({ token: 'T' }, { KUBERNETES_SERVICE_HOST: 'fd00::1' })
  assert.equal((await open()).connection.server, 'https://[fd00::1]:443')
})

test('the token and the authority are read again as the kubelet renews them', async () => {
  const { clock, files, open } = aPod({ token: 'first', 'ca.crt': authority.certPem })
  const { connection } = await open()
  Object.assign(files, { token: 'second', 'ca.crt': next.certPem })
  assert.equal(revealed((await connection.credentials?.())?.authorization), 'first')
  await clock.advance('1s')
  assert.equal(revealed((await connection.credentials?.())?.authorization), 'second')
  assert.equal(connection.tls.ca, next.certPem)
  files['token'] = 'third'
  assert.equal(revealed((await connection.credentials?.({ refresh: true }))?.authorization), 'third')
})

test("without an authority the machine's own roots count", async () => {
  const { open } = aPod({ token: 'T' })
  assert.deepEqual((await open()).connection.tls, {})
})

test('POD_NAMESPACE comes before the namespace of the account, default after it', async () => {
  assert.equal((await aPod({ token: 'T', namespace: 'a' }, { POD_NAMESPACE: 'b' }).open()).namespace, 'b')
  assert.equal((await aPod({ token: 'T' }).open()).namespace, 'default')
})

test('outside of a pod the failure names what is missing', async () => {
  const missing = async (pod: ReturnType<typeof aPod>) =>
    (await failureOf(pod.open, 'KUBECONFIG_NOT_IN_CLUSTER')).params['missing']
  assert.equal(await missing(aPod({}, { KUBERNETES_SERVICE_HOST: '' })), 'KUBERNETES_SERVICE_HOST')
  assert.equal(await missing(aPod({}, { KUBERNETES_SERVICE_PORT: '' })), 'KUBERNETES_SERVICE_PORT')
  assert.equal(await missing(aPod({})), `${account}/token`)
})
