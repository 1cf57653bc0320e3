/** What people do with add-ons on the command line. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Role, RoleBinding } from 'kubernetes-types/rbac/v1.d.ts'
import { parseAllDocuments } from 'yaml'
import type { AddonOverview } from '../../../src/addons/overview/addon-overview.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { Secret } from '../../../src/core/secret.ts'
import { addonConditions, addonSecrets } from '../../../src/fleet/names.ts'
import { isForbidden } from '../../../src/kube/failures.ts'
import { configMaps, namespaces, roleBindings, roles, secrets } from '../../../src/kube/kinds.ts'
import type { KubeObject, Resource } from '../../../src/kube/objects.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { setAccepted } from '../../support/agent-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { lanyard } from '../../support/lanyard.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { TestScope } from '../../support/test-scope.ts'

describe('add-ons on the command line', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: AddonScene
  before(async () => {
    plane = await startControlPlane(suite, {})
    await addonHub(suite, plane)
    scene = await addonScene(suite, plane, { addons: { kubeClientDriver: 'token' } })
  })

  const cli = (t: TestScope, ...args: string[]) =>
    lanyard(t, [...args, '--kubeconfig', plane.adminKubeconfigPath]).ended
  const addonOn = (cluster: string, addon: string) => scene.admin.of(ManagedClusterAddOn.resource, cluster).find(addon)
  /** A cluster without an agent, with a place for add-ons. */
  async function aCluster(isAccepted = true): Promise<string> {
    const name = uniqueName('cluster')
    await scene.admin.of(ManagedCluster.resource).create({ metadata: { name }, spec: { hubAcceptsClient: false } })
    if (!isAccepted) return name
    await setAccepted(scene.admin, name)
    await eventually('it has its namespace', () => scene.admin.of(namespaces).find(name))
    return name
  }

  test('enable puts an add-on on clusters, and repeats well; disable takes it off, and repeats well', async (t) => {
    const [one, two] = [await aCluster(), await aCluster()]
    const enabled = await cli(t, 'addon', 'enable', 'hello', '--clusters', `${one},${two}`)
    assert.equal(enabled.code, 0, enabled.err)
    assert.match(enabled.out, new RegExp(`hello is enabled on ${one}.*\n[\\s\\S]*hello is enabled on ${two}`))
    assert.match(enabled.out, new RegExp(`lanyard describe addon ${one}/hello`))
    for (const cluster of [one, two]) assert.ok(await addonOn(cluster, 'hello'))

    const moved = await cli(t, 'addon', 'enable', 'hello', '--cluster', one, '--namespace', 'monitoring', '-o', 'json')
    assert.equal(moved.code, 0, moved.err)
    const [result] = JSON.parse(moved.out)
    assert.deepEqual([result.cluster, result.ok], [one, true])
    assert.match(result.steps[0].did, /already, and moves/)
    const again = await cli(t, 'addon', 'enable', 'hello', '--cluster', one)
    assert.match(again.out, /is enabled on .* already: in namespace monitoring/)

    for (const what of [/hello is off/, /hello is not on/]) {
      const disabled = await cli(t, 'addon', 'disable', 'hello', '--clusters', one)
      assert.equal(disabled.code, 0, disabled.err)
      assert.match(disabled.out, what)
    }
    assert.equal(await addonOn(one, 'hello'), undefined)
    assert.ok(await addonOn(two, 'hello'))
  })

  test('what cannot be done is refused with the next command, and keeps nobody else from it', async (t) => {
    const [waiting, good] = [await aCluster(false), await aCluster()]
    const enable = (...args: string[]) => cli(t, 'addon', 'enable', ...args)
    const refused: [Promise<{ code: number | null; err: string }>, RegExp][] = [
      [enable('hello'), /--clusters a,b.*ADDON_CLUSTERS_NOT_NAMED/],
      [enable('Hello!', '--clusters', good), /cannot be the name of an add-on/],
      [enable('hello', '--clusters', 'nowhere'), /knows no cluster nowhere; `lanyard get clusters`/],
      [enable('hello', '--clusters', waiting), /run `lanyard accept .*` first/],
      [enable('hello', '--clusters', good, '--namespace', 'no_ne'), /cannot be the name of a namespace/],
      [cli(t, 'describe', 'addon', 'hello'), /CLUSTER\/ADDON, such as west\/hello/],
      [cli(t, 'describe', 'addon', `${good}/nothing`), /`lanyard addon enable nothing --clusters/],
      [cli(t, 'get', 'addons', 'nothing'), /no add-on nothing was found/],
    ]
    for (const [running, why] of refused) {
      const { code, err } = await running
      assert.equal(code, 1)
      assert.match(err, why)
    }
    const partly = await enable('hello', '--clusters', `${waiting},${good}`)
    assert.equal(partly.code, 1)
    assert.match(partly.err, /1 of 2 clusters could not be given hello/)
    assert.ok(await addonOn(good, 'hello'))
  })

  test('get and describe show who an add-on is, how long its credential lasts, and what to do next', async (t) => {
    const installNamespace = await freshNamespace(t, scene.home)
    const addon = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
    await scene.reaches(addon, addonConditions.tokenRefreshed[0], 'True')
    await scene.reaches(addon, addonConditions.available, 'Unknown')

    const empty = await aCluster()
    const [table, json, { out, err, code }, doctor, none] = await Promise.all([
      cli(t, 'get', 'addons', '--cluster', scene.cluster),
      cli(t, 'get', 'addons', addon, '-o', 'json'),
      cli(t, 'describe', 'addon', `${scene.cluster}/${addon}`),
      cli(t, 'doctor', scene.cluster),
      cli(t, 'get', 'addons', '--cluster', empty),
    ])
    assert.equal(table.code, 0, table.err)
    assert.match(table.out, /^CLUSTER +ADDON +DRIVER +AVAILABLE +CREDENTIAL +TROUBLE +AGE\n/)
    assert.match(table.out, new RegExp(`${scene.cluster} +${addon} +token +Unknown +36[45]d.* left +addon-silent`))
    const [row] = JSON.parse(json.out) as AddonOverview[]
    assert.deepEqual([row?.cluster, row?.driver, row?.credential], [scene.cluster, 'token', 'valid'])
    const secret = `${installNamespace}/${addonSecrets.kubeClient(addon)}`
    assert.equal(row?.credentials[0]?.secret, secret)

    assert.equal(code, 0, err)
    assert.match(out, /Driver: +token\nCredential: +valid, until \S+ \(36[45]d.* left\)/)
    assert.ok(out.includes(secret))
    assert.ok(out.includes(`system:serviceaccount:${scene.cluster}:${scene.cluster}-${addon}-agent`))
    assert.match(out, /TokenInfrastructureReady +True/)
    assert.match(out, new RegExp(`addon-silent: .*\n {2}do: .*kubectl -n ${installNamespace} get pods,leases`))

    assert.equal(doctor.code, 1)
    assert.match(doctor.out, new RegExp(`addon-silent: .*\n {2}seen: ${addon}: Available is Unknown`))
    assert.match(none.out, /No add-ons on .* yet\. `lanyard addon enable NAME --clusters/)
    for (const { out: printed, err: told } of [table, { out, err }, doctor])
      assert.ok(!`${printed}${told}`.includes('eyJ'))
  })

  test('the rights that rbac prints are those the add-on then has, and no others', async (t) => {
    const installNamespace = await freshNamespace(t, scene.home)
    const addon = await scene.addon([{ type: 'kubeClient' }], { installNamespace })
    await scene.reaches(addon, addonConditions.tokenRefreshed[0], 'True')
    // No --kubeconfig: it asks no hub.
    const { code, out, err } = await lanyard(t, ['addon', 'rbac', addon, '--cluster', scene.cluster]).ended
    assert.equal(code, 0, err)
    const [role, binding] = parseAllDocuments(out).map((document) => document.toJS()) as [Role, RoleBinding]
    const held = await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)
    const itself = kubeClient(t, plane.connection({ authorization: Secret.of(held?.['token'] ?? '') }))
    const mayList = (namespace: string, resource: Resource<KubeObject> = configMaps) =>
      itself
        .of(resource, namespace)
        .list()
        .then(
          () => true,
          (error: unknown) => {
            if (isForbidden(error)) return false
            throw error
          },
        )
    assert.equal(await mayList(scene.cluster), false)
    await scene.admin.of(roles, scene.cluster).create(role)
    await scene.admin.of(roleBindings, scene.cluster).create(binding)
    await eventually('it may read what the template lists', () => mayList(scene.cluster))
    assert.equal(await mayList('default'), false)
    assert.equal(await mayList(scene.cluster, secrets), false)
  })
})
