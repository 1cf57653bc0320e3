/** The example add-on from the moment it is enabled until it is gone, on both drivers. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { addonName, greetingName } from '../../../examples/addon-hello/hub.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { systemClock } from '../../../src/core/clock.ts'
import { Secret } from '../../../src/core/secret.ts'
import { accountUser, addonAccounts, addonUser } from '../../../src/fleet/names.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { configMaps, roleBindings, roles } from '../../../src/kube/kinds.ts'
import { denyCluster } from '../../../src/registration/operations/deny.ts'
import { addonHub } from '../../support/addon-scene.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { helloScene, runHelloHub } from '../../support/hello-scene.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'

describe('the example add-on', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
    await runHelloHub(suite, plane)
  })

  const userBy = {
    token: (cluster: string) => accountUser(cluster, addonAccounts(cluster, addonName)[0]),
    csr: (cluster: string) => addonUser(cluster, addonName),
  }
  for (const driver of ['token', 'csr'] as const)
    test(`greets the hub by ${driver}, is available, and takes what it was given along when it goes`, async (t) => {
      const scene = await helloScene(t, plane, { addons: { kubeClientDriver: driver } })
      await scene.greetsAnew()
      const { admin, cluster } = scene
      const { data } = await admin.of(configMaps, cluster).get(greetingName)
      assert.equal(data?.['greeting'], `hello from ${cluster}`)
      await scene.reaches(addonName, 'Available', 'True', 'ManagedClusterAddOnLeaseUpdated')
      const { subjects } = await admin.of(roleBindings, cluster).get(addonName)
      assert.deepEqual(
        subjects?.map(({ kind, name }) => `${kind} ${name}`),
        [`User ${userBy[driver](cluster)}`],
      )

      await scene.disable()
      await eventually('its rights are gone', async () => {
        const role = await admin.of(roles, cluster).find(addonName)
        return !role && !(await admin.of(roleBindings, cluster).find(addonName))
      })
    })

  test('an add-on by csr has no rights while its cluster is denied, however good its certificate, and has them again with it', async (t) => {
    const scene = await helloScene(t, plane, { addons: { kubeClientDriver: 'csr' } })
    await scene.greetsAnew()
    const { admin, cluster } = scene
    const certificate = await scene.credential()
    const holder = kubeClient(
      t,
      plane.connection({
        certificate: {
          certPem: certificate?.['tls.crt'] ?? '',
          keyPem: Secret.of(certificate?.['tls.key'] ?? ''),
        },
      }),
    )
    const greeting = async () => {
      try {
        return (await holder.of(configMaps, cluster).get(greetingName)).metadata.name
      } catch (error) {
        if (isForbidden(error)) return 'forbidden'
        throw error
      }
    }
    const becomes = (what: string) => eventually(what, greeting, { until: (answer) => answer === what })
    const deps = { kube: admin, clock: systemClock, signal: new AbortController().signal }
    assert.equal(await greeting(), greetingName)

    const steps = await Array.fromAsync(denyCluster(cluster, deps))
    assert.ok(
      steps.some((step) => 'did' in step && step.did.includes(addonName)),
      JSON.stringify(steps),
    )
    await becomes('forbidden')
    assert.equal(await admin.of(roleBindings, cluster).find(addonName), undefined)

    await admin
      .of(ManagedCluster.resource)
      .patch(cluster, { type: 'merge', body: { spec: { hubAcceptsClient: true } } })
    await becomes(greetingName)
  })

  test('nobody is bound whom the agent of the cluster names in place of the add-on', async (t) => {
    const scene = await helloScene(t, plane)
    await scene.greetsAnew()
    await scene.stop()
    const { admin, cluster } = scene
    const bindings = admin.of(roleBindings, cluster)
    const before = await bindings.get(addonName)
    const declare = (user: string) =>
      scene.register(addonName, [{ type: 'kubeClient', kubeClient: { driver: 'token', subject: { user } } }])
    for (const user of ['system:anonymous', accountUser(cluster, 'default'), accountUser(`${cluster}0`, addonName)])
      await declare(user)
    // What is declared elsewhere after that has been bound: so those before were looked at too.
    const other = await freshNamespace(t, admin)
    await admin.of(ManagedCluster.resource).create({ metadata: { name: other }, spec: { hubAcceptsClient: true } })
    const addons = admin.of(ManagedClusterAddOn.resource, other)
    const { metadata } = await addons.create({ metadata: { name: addonName }, spec: {} })
    const kubeClient = { driver: 'csr' as const, subject: { user: addonUser(other, addonName) } }
    const body = { status: { registrations: [{ type: 'kubeClient', kubeClient }] } }
    await addons.patch(metadata.name, { type: 'merge', body }, { subresource: 'status' })
    await eventually('the other one is bound', () => admin.of(roleBindings, other).find(addonName))
    assert.deepEqual((await bindings.get(addonName)).subjects, before.subjects)
  })
})
