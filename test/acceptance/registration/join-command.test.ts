import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { agentNamespace, agentSecrets, conditions } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { configMaps, deployments, namespaces, secrets } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import type { PreparedHub } from '../../support/hub-process.ts'
import { agentProcess, hubProcess, prepareHub } from '../../support/hub-process.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'

/** One plane is both the hub and the cluster that joins it. */
const file = suiteScope()
let plane: OwnControlPlane
let kube: KubeClient
let hub: PreparedHub
let tokenFile: string

before(async () => {
  if (needsControlPlane.skip) return
  plane = await startControlPlane(file, {})
  kube = kubeClient(file, plane.connection())
  hub = await prepareHub(file, plane)
  tokenFile = join(tempDir(file), 'token')
  await writeFile(tokenFile, hub.invited['hub-token'], { mode: 0o600 })
})

const onCluster = () => ['--kubeconfig', plane.adminKubeconfigPath]
const pin = () => ['--ca-pin', hub.invited['ca-pins'][0] ?? '']

const joining = (t: TestScope, cluster: string, ...flags: string[]) =>
  lanyard(t, ['join', ...onCluster(), '--cluster-name', cluster, '--hub-token-file', tokenFile, ...flags])

/** A server that takes itself for the hub, says what it is told to and remembers what it was sent. */
async function impostor(t: TestScope, saysCa: 'its own' | "the hub's") {
  const seen: { path: string; authorization: string | undefined }[] = []
  const server = await startHttpsServer(t, ({ path, headers }) => {
    seen.push({ path, authorization: headers.authorization })
    if (!path.includes('cluster-info')) return undefined
    const ca = Buffer.from(saysCa === 'its own' ? server.caPem : plane.caPem).toString('base64')
    const cluster = { server: server.url, 'certificate-authority-data': ca }
    const kubeconfig = JSON.stringify({ apiVersion: 'v1', kind: 'Config', clusters: [{ name: '', cluster }] })
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cluster-info' }, data: { kubeconfig } }
  })
  return { url: server.url, seen }
}

test(
  'R80: join --wait returns only when joined or says what is missing, and sends no token over unverified TLS',
  needsControlPlane,
  async (t) => {
    for (const [saysCa, flags, why] of [
      ['its own', pin, /JOIN_PIN_MISMATCH/],
      ["the hub's", pin, /JOIN_HUB_UNTRUSTED/],
      ['its own', () => [], /JOIN_HUB_UNTRUSTED/],
    ] as const)
      await t.test(`a server that is not the hub and shows ${saysCa} CA gets no token (${why.source})`, async (t) => {
        const { url, seen } = await impostor(t, saysCa)
        const { code, err } = await joining(t, 'west', '--hub-apiserver', url, ...flags()).ended
        assert.equal(code, 1)
        assert.match(err, why)
        assert.deepEqual(
          seen.filter(({ authorization }) => authorization !== undefined),
          [],
        )
        assert.equal(await kube.of(namespaces).find(agentNamespace), undefined)
      })

    await t.test('what is missing is said with the command that helps', async (t) => {
      const flags = ['--hub-apiserver', plane.url, ...pin(), '--namespace', 'no-agent-runs', '--wait', '--timeout', '1']
      const { code, err } = await joining(t, 'nobody', ...flags).ended
      assert.equal(code, 1)
      assert.match(
        err,
        /nobody has not joined within 1 s: its agent has not asked the hub yet; .*kubectl -n no-agent-runs/,
      )
    })

    await t.test('it returns when the cluster has joined', async (t) => {
      await hubProcess(t, plane, kube, hub)
      const waiting = joining(t, 'west', '--hub-apiserver', plane.url, ...pin(), '--wait', '--timeout', '120')
      await waiting.says('the agent is installed')
      await agentProcess(t, plane, kube)
      await waiting.says('run `lanyard accept west` on the hub')
      assert.equal(waiting.child.exitCode, null)
      const accepted = await lanyard(t, ['accept', 'west', ...onCluster()]).ended
      assert.equal(accepted.code, 0, accepted.err)
      const { code, out, err } = await waiting.ended
      assert.equal(code, 0, err)
      assert.match(out, /west has joined/)
      assert.ok(isTrue((await kube.of(ManagedCluster.resource).get('west')).status?.conditions, conditions.joined))
    })
  },
)

test(
  'R82a: command lines of the seed and of the field for csr run as they stand, and aws-irsa without the hub is refused',
  needsControlPlane,
  async (t) => {
    const { 'hub-token': token } = hub.invited
    const [savedConfig, savedRoots] = [process.env['KUBECONFIG'], process.env['NODE_EXTRA_CA_CERTS']]
    const caFile = join(tempDir(t), 'ca.crt')
    await writeFile(caFile, plane.caPem)
    // As on a machine whose kubectl knows both clusters, and that trusts the certificate of the hub.
    process.env['KUBECONFIG'] = plane.adminKubeconfigPath
    process.env['NODE_EXTRA_CA_CERTS'] = caFile
    t.after(() => {
      restore('KUBECONFIG', savedConfig)
      restore('NODE_EXTRA_CA_CERTS', savedRoots)
    })
    const run = (line: string) => lanyard(t, line.trim().split(/\s+/)).ended
    const there = (namespace: string) => kube.of(namespaces).find(namespace)

    const refused = await run(
      `join --registration-auth=aws-irsa --hub-token ${token} --hub-apiserver ${plane.url} --cluster-name managed-0 --namespace aws`,
    )
    assert.equal(refused.code, 1)
    assert.match(refused.err, /--eks-hub-cluster-arn/)
    assert.equal(await there('aws'), undefined)

    const lines = [
      'init --wait --context test',
      'init --wait --registration-drivers csr --context test',
      `join --hub-token ${token} --hub-apiserver ${plane.url} --cluster-name managed-0`,
      `join --hub-token ${token} --hub-apiserver ${plane.url} --cluster-name managed-0 --ca-file ${caFile} --context test
      --force-internal-endpoint-lookup --client-cert-expiration-seconds 31536000 --registration-auth csr
      --klusterlet-annotation agent.open-cluster-management.io/site=a`,
    ]
    for (const line of lines) {
      const { code, err } = await run(line)
      assert.equal(code, 0, `${line.replace(token, '…')}: ${err.replace(token, '…')}`)
    }
    const { data = {} } = await kube.of(secrets, agentNamespace).get(agentSecrets.bootstrap)
    const kubeconfig = Buffer.from(data['kubeconfig'] ?? '', 'base64').toString()
    const [cluster] = parseKubeconfig(kubeconfig, { name: 'bootstrap' }).clusters
    assert.equal(cluster?.value.server, plane.url)
    const { spec } = await kube.of(deployments, agentNamespace).get('lanyard-agent')
    const args = spec?.template.spec?.containers[0]?.args ?? []
    assert.ok(args.includes('--spoke-cluster-name=managed-0'))
    assert.ok(args.includes('--cluster-annotations=agent.open-cluster-management.io/site=a'))
  },
)

test('a bootstrap token proves the hub by its signature, without a pin', needsControlPlane, async (t) => {
  const made = await lanyard(t, ['token', ...onCluster(), '--use-bootstrap-token', '-o', 'json']).ended
  assert.equal(made.code, 0, made.err)
  const token = JSON.parse(made.out)['hub-token'] as string
  const path = join(tempDir(t), 'token')
  await writeFile(path, token)
  const args = [
    'join',
    ...onCluster(),
    '--cluster-name',
    'signed',
    '--namespace',
    'signed-agent',
    '--hub-token-file',
    path,
  ]
  const unsigned = await impostor(t, 'its own')
  const refused = await lanyard(t, [...args, '--hub-apiserver', unsigned.url]).ended
  assert.match(refused.err, /JOIN_UNSIGNED/)
  assert.ok(unsigned.seen.every(({ authorization }) => authorization === undefined))
  await eventually('the hub signs for its token', async () => {
    const { data } = await kube.of(configMaps, 'kube-public').get('cluster-info')
    return data?.[`jws-kubeconfig-${token.split('.')[0]}`]
  })
  const { code, err } = await lanyard(t, [...args, '--hub-apiserver', plane.url]).ended
  assert.equal(code, 0, err)
})

test(
  'a token that the hub does not know is refused with what to do, and nothing is installed',
  needsControlPlane,
  async (t) => {
    const path = join(tempDir(t), 'token')
    await writeFile(path, 'not-a-token')
    const flags = ['--hub-apiserver', plane.url, ...pin(), '--namespace', 'refused', '--hub-token-file', path]
    const { code, err } = await lanyard(t, ['join', ...onCluster(), '--cluster-name', 'west', ...flags]).ended
    assert.equal(code, 1)
    assert.match(err, /make a new one with `lanyard token`/)
    assert.equal(await kube.of(namespaces).find('refused'), undefined)
  },
)

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
