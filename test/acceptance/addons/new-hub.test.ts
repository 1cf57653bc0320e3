/** The agent moves to another hub, and its add-ons with it. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { isTrue } from '../../../src/core/conditions.ts'
import { addonSecrets, addonSecretsConfigMap } from '../../../src/fleet/names.ts'
import { configMaps, namespaces } from '../../../src/kube/kinds.ts'
import { parseKubeconfig } from '../../../src/kube/kubeconfig/index.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { allowBootstrap, bootstrapKubeconfig, csrsOf, decide, setAccepted } from '../../support/agent-scene.ts'
import { aNamespace, uniqueName } from '../../support/builders.ts'
import type { ControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { HubScene } from '../../support/fleet-scene.ts'
import { suiteScope } from '../../support/suite-scope.ts'

const kubeClient = { type: 'kubeClient' as const }
const signerName = 'example.com/signer'
const customSigner = { type: 'customSigner' as const, customSigner: { signerName } }

describe('a new hub', needsControlPlane, () => {
  const suite = suiteScope()
  let planes: [ControlPlane, ControlPlane]
  let newHub: HubScene
  before(async () => {
    planes = [await startControlPlane(suite, {}), await startControlPlane(suite, {})]
    await addonHub(suite, planes[0])
    newHub = await addonHub(suite, planes[1])
    await allowBootstrap(newHub.admin)
  })

  /** An administrator of the new hub lets the cluster in, once it asks. */
  async function letInThere({ cluster }: AddonScene): Promise<void> {
    await eventually('its cluster is there', () => newHub.admin.of(ManagedCluster.resource).find(cluster))
    const csr = await eventually('it asks the new hub', async () => (await csrsOf(newHub.admin, cluster))[0])
    await decide(newHub.admin, csr.metadata.name, 'Approved')
    await setAccepted(newHub.admin, cluster)
    await eventually('it has joined there', async () =>
      isTrue((await newHub.cluster(cluster)).status?.conditions as Condition[], 'ManagedClusterJoined'),
    )
  }
  async function installThere({ cluster }: AddonScene, name: string, namespace: string, registrations: object[]) {
    const addons = newHub.admin.of(ManagedClusterAddOn.resource, cluster)
    await addons.create({ metadata: { name }, spec: {} })
    await addons.patch(
      name,
      { type: 'merge', body: { status: { namespace, registrations } } },
      { subresource: 'status' },
    )
  }

  for (const driver of ['token', 'csr'] as const)
    test(`R24${driver === 'token' ? '' : 'b'}: the bootstrap kubeconfig points to a new hub: agent and add-ons join that one (${driver})`, async (t) => {
      const scene = await addonScene(t, planes[0], { addons: { kubeClientDriver: driver } })
      const key = driver === 'token' ? 'token' : 'tls.crt'
      const namespace = uniqueName('install')
      await scene.home.of(namespaces).create(aNamespace(namespace))
      const moves = await scene.addon([kubeClient, customSigner], { installNamespace: namespace })
      const stays = await scene.addon([kubeClient], { installNamespace: namespace })
      const credential = (addon: string) => scene.secretOf(addonSecrets.kubeClient(addon), namespace)
      const serverIn = (found: Record<string, string> | undefined) =>
        parseKubeconfig(found?.['kubeconfig'] ?? '', { name: 'it' }).clusters[0]?.value.server
      for (const addon of [moves, stays])
        await eventually('it is on the first hub', async () => (await credential(addon))?.[key] !== undefined)
      const before = await credential(moves)
      assert.equal(serverIn(before), planes[0].url)

      writeFileSync(scene.bootstrapPath, await bootstrapKubeconfig(planes[1]))
      await letInThere(scene)
      await installThere(scene, moves, namespace, [kubeClient, customSigner])
      const after = await eventually('the add-on is on the new hub', async () => {
        const found = await credential(moves)
        return found?.[key] !== undefined && serverIn(found) === planes[1].url && found
      })
      assert.notEqual(after[key], before?.[key])
      await eventually('the other one has nothing there', async () => !(await credential(stays)))
      await eventually('its request for the other signer is on the new hub, too', async () =>
        (await csrsOf(newHub.admin, scene.cluster)).some(({ spec }) => spec.signerName === signerName),
      )
      const record = await scene.home.of(configMaps, scene.namespace).get(addonSecretsConfigMap)
      const entries = JSON.parse(record.data?.['secrets'] ?? '') as { addon: string; hub: string }[]
      assert.deepEqual(
        new Set(entries.map(({ addon, hub }) => `${addon} ${hub}`)),
        new Set([`${moves} ${planes[1].url}`]),
      )
      // The old hub is told nothing: it keeps what it had.
      assert.ok(await scene.find(stays))
    })
})
