/** The operator as people install and run it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ClusterManager } from '../../../src/apis/operator/cluster-manager.ts'
import { Klusterlet } from '../../../src/apis/operator/klusterlet.ts'
import { findCondition } from '../../../src/core/conditions.ts'
import { Secret } from '../../../src/core/secret.ts'
import { agentNamespace, operatorNamespace } from '../../../src/fleet/names.ts'
import { deployments, leases, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import { operatorManifests } from '../../../src/operator/manifests/operator.ts'
import { conditions, operatorAccount, operatorLease } from '../../../src/operator/names.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { tempDir } from '../../support/temp-dir.ts'

test(
  'what deploy prints is all that the operator needs; it works with that and stops when it is told to',
  needsControlPlane,
  async (t) => {
    const plane = await startControlPlane(t, {})
    const admin = kubeClient(t, plane.connection())
    const printed = await lanyard(t, ['deploy', 'operator', '--for', 'both', '--image', 'mine:1', '-o', 'json']).ended
    assert.equal(printed.code, 0, printed.err)
    const { items } = JSON.parse(printed.out) as { items: (KubeObject & { metadata: { name: string } })[] }
    const known = operatorManifests({
      image: 'mine:1',
      sides: ['managed-cluster', 'hub'],
      agentNamespaces: [agentNamespace],
      hubNamespace: 'open-cluster-management-hub',
    })
    assert.equal(items.length, known.length)
    for (const [index, object] of items.entries()) {
      const resource = known[index]?.resource
      assert.ok(resource && resource.kind === object.kind)
      await admin.of(resource, object.metadata.namespace).apply(object, { fieldManager: 'test', force: true })
    }

    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } }
    const { status } = await admin
      .of(serviceAccounts, operatorNamespace)
      .createSubresource<object, { status: { token: string } }>(operatorAccount, 'token', review)
    const kubeconfig = join(tempDir(t), 'operator.kubeconfig')
    writeFileSync(kubeconfig, plane.kubeconfig({ token: Secret.of(status.token) }))
    // What is not served yet the operator would tell of, as it should.
    for (const resource of [Klusterlet.resource, ClusterManager.resource])
      await eventually(`${resource.kind} is served`, () =>
        unlessUnready(admin.of(resource as Resource<KubeObject>).list()),
      )
    const running = lanyard(t, [
      ...['operator', '--for', 'both', '--kubeconfig', kubeconfig, '--image', 'mine:1'],
      ...['--listen', '127.0.0.1:0', '--log-level', 'warn'],
    ])
    await running.says('this process leads')

    await eventually('a Klusterlet is taken', () =>
      unlessUnready(admin.of(Klusterlet.resource).create({ metadata: { name: 'klusterlet' }, spec: {} })),
    )
    await eventually('a ClusterManager is taken', () =>
      unlessUnready(admin.of(ClusterManager.resource).create({ metadata: { name: 'cluster-manager' }, spec: {} })),
    )
    const isApplied = (object: { status?: { conditions?: unknown } } | undefined) =>
      findCondition(object?.status?.conditions as never, conditions.applied)?.status === 'True'
    await eventually('the agent is deployed', async () =>
      isApplied(await admin.of(Klusterlet.resource).get('klusterlet')),
    )
    await eventually('the hub is deployed', async () =>
      isApplied(await admin.of(ClusterManager.resource).get('cluster-manager')),
    )
    const agent = await admin.of(deployments, agentNamespace).get('lanyard-agent')
    assert.equal(agent.spec?.template.spec?.containers[0]?.image, 'mine:1')

    running.child.kill('SIGTERM')
    const { code, out, err } = await running.ended
    assert.equal(code, 0, err)
    assert.match(out, /The Lanyard operator has stopped/)
    // An API server that was busy or out of reach for a moment is no trouble of its own; all else is.
    const busy = /KUBE_(DEADLINE|UNREACHABLE|WATCH_SILENT)|LEASE_NO_ANSWER|"(code|status)":(429|50[034])\b/
    const trouble = err
      .split('\n')
      .filter((line) => line !== '')
      .filter((line) => JSON.parse(line).level !== 'warn' || !busy.test(line))
    assert.deepEqual(trouble, [])
    const lease = await admin.of(leases, operatorNamespace).get(operatorLease)
    assert.ok(!lease.spec?.holderIdentity, 'no lease is left in the way')
  },
)

test('another side than those there are is refused by name', async (t) => {
  const { code, err } = await lanyard(t, ['operator', '--for', 'the-moon']).ended
  assert.equal(code, 2)
  assert.match(err, /--for.*managed-cluster, hub, both/s)
})
