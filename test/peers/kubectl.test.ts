import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { systemClock } from '../../src/core/clock.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import { emptyKubeconfig, loadConnection, withContext, writeKubeconfig } from '../../src/kube/kubeconfig/index.ts'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import { needsControlPlane, startControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { freshNamespace } from '../support/fresh-namespace.ts'
import { kubeClient } from '../support/kube-client.ts'
import { tempDir } from '../support/temp-dir.ts'
import { teardown } from '../support/test-scope.ts'

const run = promisify(execFile)
const versions = ['kubectl', 'kubectl-1.35'] as const
const crd = (name: string) => join(import.meta.dirname, '../../deploy/crds', name)

async function aScene(t: TestContext, version: (typeof versions)[number] = 'kubectl') {
  const plane = await startControlPlane(t)
  const folder = tempDir(t)
  const kubeconfig = join(folder, 'config')
  const program = findAssets(process.env, [version])?.path(version)
  assert.ok(program, `${version} is not built; run: npm run kube-assets`)
  const kubectl = async (...args: string[]) =>
    (await run(program, ['--kubeconfig', kubeconfig, ...args], { env: { HOME: folder } })).stdout
  return { plane, folder, kubeconfig, kubectl }
}

for (const version of versions) {
  test(`${version} works with a kubeconfig that we wrote`, needsControlPlane, async (t) => {
    const { plane, kubeconfig, kubectl } = await aScene(t, version)
    const user = await plane.issueClientCertificate({ commonName: 'walker', organizations: ['system:masters'] })
    await writeKubeconfig(
      kubeconfig,
      withContext(emptyKubeconfig, {
        cluster: { server: plane.url, certificateAuthorityData: plane.caPem },
        user: { clientCertificateData: user.certPem, clientKeyData: user.keyPem },
        namespace: 'kube-system',
      }),
    )
    assert.match(await kubectl('auth', 'whoami'), /walker[\s\S]*system:masters/)
    assert.match(await kubectl('get', 'configmaps'), /kube-root-ca.crt/)
  })

  test(`${version} applies our CRDs, explains them and refuses what they forbid`, needsControlPlane, async (t) => {
    const { plane, folder, kubeconfig, kubectl } = await aScene(t, version)
    writeFileSync(kubeconfig, plane.kubeconfig(), { mode: 0o600 })
    const manifest = crd('cluster.open-cluster-management.io_clusterclaims.yaml')
    await kubectl('apply', '--server-side', '-f', manifest)
    await kubectl('wait', '--for=condition=Established', '--timeout=30s', '-f', manifest)
    // The schema is published a moment after the kind is.
    const explained = () => kubectl('explain', 'clusterclaim.spec').catch(() => undefined)
    assert.match(await eventually('kubectl explains it', explained), /value/)
    const claim = (name: string, value: string) => {
      const path = join(folder, `${name}.json`)
      const apiVersion = 'cluster.open-cluster-management.io/v1alpha1'
      writeFileSync(path, JSON.stringify({ apiVersion, kind: 'ClusterClaim', metadata: { name }, spec: { value } }))
      return path
    }
    const name = `walk-${version.replace(/[^a-z0-9]/g, '-')}`
    teardown(t, async () => void (await kubectl('delete', 'clusterclaim', name, '--ignore-not-found')))
    await kubectl('apply', '-f', claim(name, 'eu-west-1'))
    assert.match(await kubectl('get', 'clusterclaims'), new RegExp(name))
    await assert.rejects(kubectl('apply', '-f', claim(`${name}-bad`, '')), /spec.value/)
  })
}

test('we read what kubectl writes, and reach the server by it', needsControlPlane, async (t) => {
  const { plane, folder, kubeconfig, kubectl } = await aScene(t)
  const ca = join(folder, 'ca.crt')
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')]
  writeFileSync(ca, plane.caPem)
  writeFileSync(cert, plane.admin.certPem)
  writeFileSync(key, plane.admin.keyPem.reveal(), { mode: 0o600 })
  await kubectl(
    'config',
    'set-cluster',
    'hub',
    `--server=${plane.url}`,
    `--certificate-authority=${ca}`,
    '--embed-certs',
  )
  await kubectl('config', 'set-credentials', 'me', `--client-certificate=${cert}`, `--client-key=${key}`)
  await kubectl('config', 'set-context', 'here', '--cluster=hub', '--user=me', '--namespace=kube-public')
  await kubectl('config', 'use-context', 'here')

  const found = await loadConnection({ path: kubeconfig, env: {}, clock: systemClock })
  assert.equal(found.namespace, 'kube-public')
  const kube = kubeClient(t, found.connection)
  const namespace = await freshNamespace(t, kube)
  await kube.of(configMaps, namespace).create({ metadata: { name: 'seen' }, data: { by: 'both' } })
  assert.equal(await kubectl('-n', namespace, 'get', 'configmap', 'seen', '-o', 'jsonpath={.data.by}'), 'both')
})

test('the registration program of OCM is there, at the version we pin', needsControlPlane, async () => {
  const program = findAssets(process.env, ['ocm-registration'])?.path('ocm-registration')
  assert.ok(program, 'ocm-registration is not built; run: npm run kube-assets')
  const pinned = /open-cluster-management\.io\/ocm (v[\d.]+)/.exec(
    readFileSync(join(import.meta.dirname, '../../tools/kube-assets/modules/ocm/go.mod'), 'utf8'),
  )?.[1]
  const { stdout, stderr } = await run(program, ['--version'])
  assert.match(`${stdout}${stderr}`, new RegExp(`${pinned}`.replaceAll('.', '\\.')))
})
