/** The example add-on at work in a test: what it manages to do on the hub tells whether its credential is good. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ServiceAccount } from 'kubernetes-types/core/v1.d.ts'
import { parseAllDocuments } from 'yaml'
import type { HelloAgentOptions } from '../../examples/addon-hello/agent.ts'
import { helloAgent } from '../../examples/addon-hello/agent.ts'
import { filesOfSecret } from '../../examples/addon-hello/files.ts'
import { addonName, helloHub } from '../../examples/addon-hello/hub.ts'
import type { AddonSettings } from '../../src/addons/agent/deps.ts'
import { defaultAddonSettings } from '../../src/addons/agent/deps.ts'
import { addonAgent } from '../../src/addons/agent/index.ts'
import { installNamespaceAnnotation } from '../../src/apis/addon/conversion.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { passBy } from '../../src/core/checkpoint.ts'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/core/clock.ts'
import { silentLog } from '../../src/core/log.ts'
import { noMetrics } from '../../src/core/metrics.ts'
import { systemRandom } from '../../src/core/random.ts'
import { Secret } from '../../src/core/secret.ts'
import { addonNamespace, addonSecrets } from '../../src/fleet/names.ts'
import {
  clusterRoleBindings,
  clusterRoles,
  deployments,
  namespaces,
  roleBindings,
  roles,
  serviceAccounts,
} from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import type { AddonScene, AddonSceneOptions } from './addon-scene.ts'
import { addonScene } from './addon-scene.ts'
import type { ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { runInTest } from './fleet-scene.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'

export { addonName as hello }

export interface HelloScene extends AddonScene {
  /** Where the add-on is on its cluster. */
  installNamespace: string
  /** As an administrator of the hub does; at first it is enabled. */
  enable(): Promise<void>
  /** Waits until the cluster has nothing of it any more. */
  disable(): Promise<void>
  /** The texts of its credential. */
  credential(): Promise<Record<string, string> | undefined>
  /** Waits until the add-on has greeted the hub once more, with what is in its Secret then, by a call that began after this. */
  greetsAnew(): Promise<void>
}

export interface HelloSceneOptions extends AddonSceneOptions {
  addons?: Partial<AddonSettings>
}

/** The add-on reads its files at most once a second: of this clock, so that tests need not wait for it. */
const hasty: Clock = {
  ...systemClock,
  now: () => new Date(startedAt + (systemClock.now().getTime() - startedAt) * 20),
}
const startedAt = systemClock.now().getTime()

/** The hub side of the example, for all clusters of a hub, with the rights of its manifest and no others. */
export async function runHelloHub(t: TestScope, plane: ControlPlane): Promise<void> {
  const kube = await helloAccount(t, plane, 'hub')
  runInTest(t, [helloHub({ kube, clock: systemClock, random: systemRandom, log: silentLog })])
}

/** A client with what a manifest of the example gives; what is in a namespace is put into another one. */
async function helloAccount(
  t: TestScope,
  plane: ControlPlane,
  side: 'hub' | 'agent',
  namespace?: string,
): Promise<Kube> {
  const admin = kubeClient(t, plane.connection())
  const path = resolve(import.meta.dirname, `../../examples/addon-hello/manifests/${side}.yaml`)
  const manifest = readFileSync(path, 'utf8').replaceAll(addonNamespace, namespace ?? addonNamespace)
  const kinds = { Namespace: namespaces, ServiceAccount: serviceAccounts, Role: roles, RoleBinding: roleBindings }
  const all = { ...kinds, ClusterRole: clusterRoles, ClusterRoleBinding: clusterRoleBindings, Deployment: deployments }
  let client: Kube | undefined
  for (const document of parseAllDocuments(manifest)) {
    const object = document.toJS() as Stored<ServiceAccount> & { kind: keyof typeof all }
    const collection = admin.of(all[object.kind] as typeof serviceAccounts, object.metadata.namespace)
    await collection.apply(object, { fieldManager: 'test', force: true })
    if (object.kind !== 'ServiceAccount') continue
    const spec = { expirationSeconds: 86_400 }
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec }
    const { status } = await collection.createSubresource<object, { status: { token: string } }>(
      object.metadata.name,
      'token',
      review,
    )
    client = kubeClient(t, plane.connection({ authorization: Secret.of(status.token) }))
  }
  if (!client) throw new Error(`${path} has no account`)
  return client
}

/**
 * A joined cluster on which the example is enabled and runs, by the real clock: the rest may be on a fake one. Its
 * agent forgets everything at each start, as a new process does.
 */
export async function helloScene(
  t: TestScope,
  plane: ControlPlane,
  { addons, metrics = noMetrics, checkpoint = passBy, ...options }: HelloSceneOptions = {},
): Promise<HelloScene> {
  const home = kubeClient(t, (options.home ?? plane).connection())
  const records = await freshNamespace(t, home)
  const part = () =>
    addonAgent({
      management: home,
      spoke: home,
      clock: options.clock ?? systemClock,
      random: systemRandom,
      log: options.log ?? silentLog,
      metrics,
      checkpoint,
      settings: { ...defaultAddonSettings, namespace: records, kubeClientDriver: 'token', ...addons },
    })
  const scene = await addonScene(t, plane, { ...options, parts: { alongside: (joined) => part().on(joined) } })
  const installNamespace = await freshNamespace(t, home)
  let calls = 0
  let last = { call: 0, code: 0, credential: '' }
  let credential = ''
  /** As the add-on would connect, told of each call and of what proved who it was. */
  const told: HelloAgentOptions['connect'] = (connection) =>
    kubeClient(
      t,
      {
        ...connection,
        async credentials(asked) {
          const given = (await connection.credentials?.(asked)) ?? {}
          credential = given.authorization?.reveal() ?? given.certificate?.certPem ?? ''
          return given
        },
      },
      {
        retries: 0,
        onRequest: ({ code }) => {
          calls += 1
          last = { call: calls, code, credential }
        },
      },
    )
  runInTest(t, [
    helloAgent({
      spoke: await helloAccount(t, options.home ?? plane, 'agent', installNamespace),
      namespace: installNamespace,
      readFile: filesOfSecret(home, installNamespace),
      connect: told,
      clock: hasty,
      log: options.log ?? silentLog,
      everyMs: 50,
    }),
  ])
  const enabled = scene.admin.of(ManagedClusterAddOn.resource, scene.cluster)
  const annotations = { [installNamespaceAnnotation]: installNamespace }
  const enable = async () => void (await enabled.create({ metadata: { name: addonName, annotations }, spec: {} }))
  await enable()
  const keptCredential = () => scene.secretOf(addonSecrets.kubeClient(addonName), installNamespace)
  return Object.assign(scene, {
    installNamespace,
    credential: keptCredential,
    enable,
    async disable() {
      await enabled.delete(addonName)
      await eventually('its credential is gone', async () => (await keptCredential()) === undefined)
    },
    async greetsAnew() {
      const from = calls + 1
      await eventually(`${addonName} of ${scene.cluster} greets the hub`, async () => {
        const kept = await keptCredential()
        assert.ok(last.call > from && [200, 201].includes(last.code), `call ${last.call} of ${from}: ${last.code}`)
        assert.ok([kept?.['token'], kept?.['tls.crt']].includes(last.credential), 'with the credential that is kept')
        return true
      })
    },
  })
}
