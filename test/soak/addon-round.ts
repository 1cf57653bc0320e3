import assert from 'node:assert/strict'
import type { DriverName } from '../../src/addons/registrations.ts'
import { installNamespaceAnnotation } from '../../src/apis/addon/conversion.ts'
import { ManagedClusterAddOn } from '../../src/apis/addon/managed-cluster-addon.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { isFailure } from '../../src/core/failure.ts'
import { Secret } from '../../src/core/secret.ts'
import { accountUser, addonAccounts, addonLabels, addonSecrets, addonUser, labels } from '../../src/fleet/names.ts'
import { isUnauthorized, KubeFailure } from '../../src/kube/failures.ts'
import { certificateSigningRequests, roleBindings, roles, secrets, serviceAccounts } from '../../src/kube/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { kubeClient } from '../support/kube-client.ts'
import type { TestScope } from '../support/test-scope.ts'
import { whoAmI } from '../support/who-am-i.ts'
import type { AddonPlan, Phase } from './addon-plan.ts'
import type { SoakHub } from './soak-hub.ts'
import type { Supervised } from './supervised.ts'

/** What all rounds share. */
export interface AddonWorld extends SoakHub {
  t: TestScope
  agents: Record<DriverName, { cluster: string; agent: Supervised }>
  installNamespace: string
  contradictions: readonly string[]
}

/** Several restarts and the pauses between tries included, on a machine that has other work too. */
const convergesMs = 120_000

/** One add-on from the moment it is enabled until nothing of it is left. */
export async function playAddonRound(
  world: AddonWorld,
  addon: string,
  plan: AddonPlan,
): Promise<Record<string, number>> {
  const { t, plane, kube, hub, installNamespace, contradictions } = world
  const { cluster, agent } = world.agents[plan.driver]
  const addons = kube.of(ManagedClusterAddOn.resource, cluster)
  const kept = kube.of(secrets, installNamespace)
  const secretName = addonSecrets.kubeClient(addon)
  const account = addonAccounts(cluster, addon)[0]
  const ofAddon = { labelSelector: `${addonLabels.tokenInfrastructure},${addonLabels.name}=${addon}` }

  async function converges<T>(what: string, probe: () => Promise<T>): Promise<T> {
    const answer = await eventually(
      `${addon} on ${cluster}: ${what}`,
      async () => {
        for (const process of [hub, agent]) process.check()
        assert.deepEqual(contradictions, [])
        try {
          return { is: await probe() }
        } catch (error) {
          if ((error instanceof KubeFailure && error.code >= 500) || isFailure(error)) assert.fail(error.message)
          throw error
        }
      },
      { withinMs: convergesMs, everyMs: 50 },
    )
    return answer.is
  }

  const processes = [
    [agent, plan.agent],
    [hub, plan.hub],
  ] as const
  /** Started anew at each phase: what was to be passed in it must not be passed in the one before. */
  async function arm(phase: Phase): Promise<void> {
    for (const [process, kills] of processes) {
      if (kills[phase].length === 0) continue
      await process.stop()
      process.start(kills[phase])
    }
  }
  const areKilled = () => {
    for (const [{ name, ahead }] of processes) assert.deepEqual(ahead, [], `${name} was not killed yet`)
  }

  /** The credential at hand: the hub takes it for the add-on. */
  async function credential(): Promise<string> {
    const data = (await kept.find(secretName))?.data ?? {}
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    const proof = plan.driver === 'token' ? 'token' : 'tls.crt'
    assert.ok(text(proof), 'there is no credential')
    const client = kubeClient(
      t,
      plane.connection(
        plan.driver === 'token'
          ? { authorization: Secret.of(text('token')) }
          : { certificate: { certPem: text('tls.crt'), keyPem: Secret.of(text('tls.key')) } },
      ),
    )
    try {
      const { username } = await whoAmI(client)
      assert.equal(username, plan.driver === 'token' ? accountUser(cluster, account) : addonUser(cluster, addon))
    } catch (error) {
      if (isUnauthorized(error)) assert.fail('the hub does not know the credential')
      throw error
    } finally {
      await client.close()
    }
    return text(proof)
  }

  async function isSound(): Promise<void> {
    const { status } = await addons.get(addon)
    const types = { token: 'AddonTokenRefreshed', csr: 'ClusterCertificateRotated' }
    const found = findCondition(status?.conditions, types[plan.driver])
    assert.equal(found?.status, 'True', `${found?.reason}: ${found?.message}`)
    for (const kind of [serviceAccounts, roles, roleBindings]) {
      const { items } = await kube.of(kind as typeof roles, cluster).list(ofAddon)
      assert.equal(items.length, plan.driver === 'token' ? 1 : 0, kind.kind)
    }
    const { items } = await kube.of(certificateSigningRequests).list({
      labelSelector: `${labels.clusterName}=${cluster},${labels.addonName}=${addon}`,
    })
    assert.ok(
      items.every((csr) => (csr.status?.conditions ?? []).length > 0),
      'a request is open',
    )
  }

  const enable = async () => {
    const annotations = { [installNamespaceAnnotation]: installNamespace }
    await converges('an admin enables it', () =>
      addons.apply({ metadata: { name: addon, annotations }, spec: {} }, { fieldManager: 'soak', force: true }),
    )
    const body = { status: { registrations: [{ type: 'kubeClient' }] } }
    await converges('its hub side asks', () => addons.patch(addon, { type: 'merge', body }, { subresource: 'status' }))
    return await converges('it gets a credential', async () => {
      const mine = await credential()
      areKilled()
      await isSound()
      return mine
    })
  }

  const renew = async (before: string) => {
    if (plan.driver === 'token') await kube.of(serviceAccounts, cluster).delete(account)
    else await kept.delete(secretName)
    await converges('it gets another one', async () => {
      assert.notEqual(await credential(), before)
      areKilled()
      await isSound()
    })
  }

  const disable = async () => {
    await converges('an admin disables it', () => addons.delete(addon))
    await converges('nothing of it is left', async () => {
      areKilled()
      assert.equal(await kept.find(secretName), undefined)
      for (const kind of [serviceAccounts, roles, roleBindings])
        assert.deepEqual((await kube.of(kind as typeof roles, cluster).list(ofAddon)).items, [])
    })
  }

  const phaseMs: Record<string, number> = {}
  async function timed<T>(phase: Phase, play: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    await arm(phase)
    try {
      return await play()
    } catch (cause) {
      const said = [hub, agent].map(({ name, tail }) => `--- ${name} said last:\n${tail()}`)
      throw new Error([cause instanceof Error ? cause.message : '', ...said].join('\n'), { cause })
    } finally {
      phaseMs[phase] = Math.round(performance.now() - startedAt)
    }
  }
  const first = await timed('enable', enable)
  await timed('renew', () => renew(first))
  await timed('disable', disable)
  return phaseMs
}
