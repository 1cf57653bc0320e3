import assert from 'node:assert/strict'
import { join as joinPath } from 'node:path'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { CheckpointName } from '../../src/core/checkpoint.ts'
import { findCondition } from '../../src/core/conditions.ts'
import { isFailure } from '../../src/core/failure.ts'
import { agentSecrets, annotations, conditions, labels, leaseName, rbacNames } from '../../src/fleet/names.ts'
import { renewalAnnotation } from '../../src/fleet/pass-record.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import { clusterRoleBindings, clusterRoles, leases, namespaces, roleBindings, secrets } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { readCertificate } from '../../src/pki/index.ts'
import type { ControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { addons, allRights, presentRights, rightsOf, works } from '../support/membership-scene.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import type { Ledger } from './join-ledger.ts'
import type { KillPlan, Phase } from './join-plan.ts'
import { hubKills } from './join-plan.ts'
import type { Supervised } from './supervised.ts'
import { supervise } from './supervised.ts'

/** What all rounds share. */
export interface World {
  t: TestScope
  plane: ControlPlane
  /** As the admin. */
  kube: Kube
  bootstrapKubeconfig: string
  hub: Supervised
  ledger: Ledger
}

export const agentNamespaceOf = (cluster: string): string => `agent-of-${cluster}`

/** Several restarts and the pauses between tries included, on a machine that has other work too. */
const convergesMs = 120_000

export interface Round {
  /** Where the agent was killed. */
  killedAt: readonly CheckpointName[]
  phaseMs: Readonly<Record<string, number>>
}

/** One cluster from its first request to its deletion. */
export async function playRound(world: World, cluster: string, plan: KillPlan): Promise<Round> {
  const { t, plane, kube, hub, ledger } = world
  const namespace = agentNamespaceOf(cluster)
  const clusters = kube.of(ManagedCluster.resource)
  const keep = kube.of(secrets, namespace)
  const agent = supervise(t, `agent of ${cluster}`, [
    'agent',
    ...['--kubeconfig', plane.adminKubeconfigPath, '--namespace', namespace, '--spoke-cluster-name', cluster],
    ...['--bootstrap-kubeconfig', world.bootstrapKubeconfig, '--hub-kubeconfig-dir', joinPath(tempDir(t), 'hub')],
    ...['--no-leader-election', '--create-retry-period', '1s', '--resync-period', '2s'],
    ...['--client-cert-expiration-seconds', '3600'],
  ])
  const aheadAtEnd = hub.ahead.length - hubKills(plan).length

  /** Tries until it is so. A hub that is down answers no webhook, which the API server tells as a failure of its own. */
  async function converges<T>(what: string, probe: () => Promise<T>): Promise<T> {
    const answer = await eventually(
      `${cluster}: ${what}`,
      async () => {
        hub.check()
        agent.check()
        assert.deepEqual(ledger.contradictions, [])
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
  const killsDone = (...left: (readonly unknown[])[]) => {
    assert.deepEqual(agent.ahead, [], 'the agent was not killed where it should be')
    const expected = aheadAtEnd + left.flat().length
    assert.ok(hub.ahead.length <= expected, `the hub was not killed yet at ${hub.ahead[0]}`)
  }
  const setAccepted = (hubAcceptsClient: boolean) =>
    converges('an admin has his say', () =>
      clusters.patch(cluster, { type: 'merge', body: { spec: { hubAcceptsClient } } }),
    )
  const conditionIs = async (type: string, status: string, reason?: string) => {
    const found = findCondition((await clusters.get(cluster)).status?.conditions, type)
    assert.equal(found?.status, status, `${type}: ${found?.reason}`)
    if (reason !== undefined) assert.equal(found.reason, reason)
  }

  /** The certificate at hand, which is also the one the hub has on record. */
  async function identity(requests: number): Promise<{ agent: string; fingerprint: string }> {
    const { data = {} } = await keep.get(agentSecrets.hubKubeconfig)
    const text = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString()
    assert.equal(text('cluster-name'), cluster)
    assert.notEqual(text('tls.crt'), '')
    assert.ok(!('pending' in data), 'a request is on its way')
    const found = { agent: text('agent-name'), fingerprint: readCertificate(text('tls.crt')).fingerprint }
    assert.deepEqual(ledger.agents(cluster), [found.agent])
    assert.equal(ledger.requests(cluster).length, requests, 'CSRs')
    return found
  }
  async function isRecorded({ agent: name, fingerprint }: { agent: string; fingerprint: string }): Promise<void> {
    const { metadata } = await clusters.get(cluster)
    assert.equal(metadata.annotations?.[annotations.agentName], name)
    assert.equal(metadata.annotations?.[annotations.certificateFingerprint], fingerprint)
  }

  const joins = async () => {
    await kube.of(namespaces).create({ metadata: { name: namespace } })
    agent.start(plan.agent.join)
    return await converges('it joins', async () => {
      const found = await clusters.find(cluster)
      assert.ok(found, 'there is no ManagedCluster')
      for (const type of [conditions.accepted, conditions.joined, conditions.available]) await conditionIs(type, 'True')
      killsDone(plan.hub.renewal, plan.hub.denial, plan.hub.again, plan.hub.deletion)
      assert.deepEqual(await presentRights(kube, cluster), allRights)
      const mine = await identity(1)
      await isRecorded(mine)
      return mine
    })
  }

  /** The agent has on record when it renews; what is there is moved to the past. */
  const renews = async (before: { agent: string; fingerprint: string }) => {
    await agent.stop()
    const { metadata } = await keep.get(agentSecrets.hubKubeconfig)
    const [of, issuedAt] = (metadata.annotations?.[renewalAnnotation] ?? '').split(' ')
    const due = { [renewalAnnotation]: [of, issuedAt, issuedAt].join(' ') }
    await keep.patch(agentSecrets.hubKubeconfig, { type: 'merge', body: { metadata: { annotations: due } } })
    agent.start(plan.agent.renewal)
    return await converges('it renews', async () => {
      const mine = await identity(2)
      assert.equal(mine.agent, before.agent)
      assert.notEqual(mine.fingerprint, before.fingerprint)
      killsDone(plan.hub.denial, plan.hub.again, plan.hub.deletion)
      await isRecorded(mine)
      await conditionIs(conditions.certificateRotated, 'True')
      return mine
    })
  }

  const dieIn = async (phase: Phase) => {
    if (plan.agentDiesIn !== phase) return
    await agent.stop()
    agent.start([])
  }

  const isDenied = async () => {
    await setAccepted(false)
    await dieIn('denial')
    await converges('it is denied', async () => {
      await conditionIs(conditions.accepted, 'False', 'HubClusterAdminDenied')
      assert.deepEqual(await presentRights(kube, cluster), ['binding', 'namespace', 'role'])
      assert.equal((await rightsOf(kube, cluster)).role?.rules?.length, 1)
      killsDone(plan.hub.again, plan.hub.deletion)
    })
  }

  const isAcceptedAgain = async () => {
    const lease = kube.of(leases, cluster)
    const { spec: before } = await lease.get(leaseName)
    await setAccepted(true)
    await converges('it is accepted again', async () => {
      await conditionIs(conditions.accepted, 'True')
      await conditionIs(conditions.available, 'True')
      assert.deepEqual(await presentRights(kube, cluster), allRights)
      assert.notEqual((await lease.get(leaseName)).spec?.renewTime, before?.renewTime, 'the agent renews its lease')
      killsDone(plan.hub.deletion)
    })
  }

  const isDeleted = async () => {
    await converges('it has an add-on and a work', async () => {
      const options = { fieldManager: 'soak', force: true }
      await addons(kube, cluster).apply({ metadata: { name: 'one' }, spec: {} }, options)
      await works(kube, cluster).apply({ metadata: { name: 'one' }, spec: {} }, options)
    })
    await converges('an admin deletes it', () => clusters.delete(cluster))
    await dieIn('deletion')
    await converges('it is deleted', async () => {
      assert.equal(await clusters.find(cluster), undefined)
      killsDone()
      await hasLeftNothing(kube, cluster)
    })
  }

  const phaseMs: Record<string, number> = {}
  async function timed<T>(phase: Phase, play: () => Promise<T>): Promise<T> {
    const startedAt = performance.now()
    try {
      return await play()
    } catch (cause) {
      const said = [hub, agent].map(({ name, tail }) => `--- ${name} said last:\n${tail()}`)
      throw new Error([cause instanceof Error ? cause.message : '', ...said].join('\n'), { cause })
    } finally {
      phaseMs[phase] = Math.round(performance.now() - startedAt)
    }
  }
  const mine = await timed('join', joins)
  const renewed = await timed('renewal', () => renews(mine))
  await timed('denial', isDenied)
  await timed('again', isAcceptedAgain)
  await timed('deletion', isDeleted)
  assert.deepEqual(await identity(2), renewed, 'through all of it the agent keeps its identity')
  await agent.stop()
  await kube.of(namespaces).delete(namespace)
  return { killedAt: agent.killedAt, phaseMs }
}

/** Nothing but the namespace, and what all clusters share. */
export async function hasLeftNothing(kube: Kube, cluster: string): Promise<void> {
  assert.deepEqual(await presentRights(kube, cluster), ['namespace'])
  const ofCluster = { labelSelector: `${labels.clusterName}=${cluster}` }
  const left = await Promise.all([
    kube.of(clusterRoles).list(ofCluster),
    kube.of(clusterRoleBindings).list(ofCluster),
    kube.of(roleBindings).list(ofCluster),
    addons(kube, cluster).list(),
    works(kube, cluster).list(),
  ])
  assert.deepEqual(
    left.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)),
    [],
  )
  for (const shared of [rbacNames.registrationRole, rbacNames.workRole])
    assert.ok(await kube.of(clusterRoles).find(shared), `${shared} went with ${cluster}`)
}
