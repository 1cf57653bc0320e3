/** Whether the roles of hub and agent say what the two do for add-ons: no less, or they are refused something, and no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenObjects } from '../../../src/addons/drivers/token/hub-objects.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { findCondition, isTrue } from '../../../src/core/conditions.ts'
import {
  addonAccounts,
  addonConditions,
  addonNamespace,
  addonSecrets,
  agentNamespace,
  conditions,
  labels,
  parseAgentUser,
} from '../../../src/fleet/names.ts'
import { leases, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import { agentAddonRules } from '../../../src/registration/manifests/agent-addons.ts'
import { bootstrapUser } from '../../../src/registration/manifests/bootstrap.ts'
import { hubAddonRules } from '../../../src/registration/manifests/hub-rbac.ts'
import type { AccountsScene } from '../../support/accounts-scene.ts'
import {
  accountsScene,
  agentsAccount,
  hubsAccount,
  refusedOf,
  rightsIn,
  rightsUsed,
} from '../../support/accounts-scene.ts'
import type { AuditEvent } from '../../support/control-plane.ts'
import { needsControlPlane } from '../../support/control-plane.ts'

const kubeClient = { type: 'kubeClient' as const }

test(
  'hub and agent are refused nothing that add-ons need, and have no right that lives of add-ons do not use',
  needsControlPlane,
  async (t) => {
    const scene = await accountsScene(t)
    const { admin, until, plane } = scene
    const stopHub = await scene.startHub({ autoApprovedUsers: [bootstrapUser] })
    let { agent, stop: stopAgent } = await scene.startAgent({ kubeClientDriver: 'token' })
    await until('it has joined', async () => {
      const { cluster = '' } = agent.state()
      const found = await admin.of(ManagedCluster.resource).find(cluster || 'none')
      return isTrue(found?.status?.conditions, conditions.joined)
    })
    const joinedAt = new Date()
    const west = agent.state().cluster ?? ''
    const addons = addonsOf(scene, west)

    // A token, which is missed when its Secret goes; and an account whose labels and rights somebody takes away.
    await addons.enable('hello')
    await until('it has its token', () => addons.has('hello', 'token'))
    await admin.of(secrets, addonNamespace).delete(addonSecrets.kubeClient('hello'))
    await until('it has another', () => addons.has('hello', 'token'))
    const account = admin.of(serviceAccounts, west)
    const [name] = addonAccounts(west, 'hello')
    await account.patch(name, { type: 'merge', body: { metadata: { labels: null } } })
    await admin.of(roles, west).patch('hello-token-role', { type: 'merge', body: { rules: [] } })
    await until('both are repaired', async () => {
      const [{ metadata }, { rules }] = await Promise.all([
        account.get(name),
        admin.of(roles, west).get('hello-token-role'),
      ])
      return metadata.labels?.[labels.clusterName] === west && rules?.length === 1
    })
    // Its life shows in a lease.
    await admin.of(leases, addonNamespace).create({
      metadata: { name: 'hello' },
      spec: { renewTime: scene.clock.now().toISOString().replace('Z', '000Z') },
    })
    await until('it is available', async () => isTrue(await addons.told('hello'), addonConditions.available))
    // What somebody else has under the name of a role is looked at, and left.
    await admin.of(roles, west).create({ metadata: { name: 'taken-token-role' } })
    await addons.enable('taken')
    await until('it is told', async () => {
      const ready = findCondition(await addons.told('taken'), addonConditions.tokenInfrastructureReady)
      return ready?.status === 'False'
    })

    // A certificate in its place, then nothing.
    await stopAgent()
    ;({ agent, stop: stopAgent } = await scene.startAgent({ kubeClientDriver: 'csr' }))
    await until('it has its certificate', () => addons.has('hello', 'tls.crt'))
    await until('its account is gone', async () => (await account.find(name)) === undefined)
    const disabledAt = new Date()
    for (const addon of ['hello', 'taken']) await admin.of(ManagedClusterAddOn.resource, west).delete(addon)
    await until('its Secret is gone', async () => {
      const { items } = await admin.of(secrets, addonNamespace).list({ labelSelector: labels.addonName })
      return items.length === 0
    })
    await stopAgent()
    await stopHub()

    const byHub = await scene.auditOf(hubsAccount)
    const byAgent = await scene.auditOf(agentsAccount)
    assert.deepEqual(refusedOf(byHub), [])
    assert.deepEqual(refusedOf(byAgent), [])
    const asItself = (await plane.auditEvents()).filter(({ user, requestReceivedTimestamp: at }) => {
      const isIn = joinedAt.toISOString() < at && at < disabledAt.toISOString()
      return isIn && parseAgentUser(user.username ?? '')?.cluster === west
    })
    assert.ok(asItself.flatMap(rightsUsed).includes('create serviceaccounts/token'))
    assert.deepEqual(refusedOf(asItself.filter((event) => !isEarly(event, asItself))), [])

    const unused = (rights: readonly string[], used: readonly string[]) => rights.filter((one) => !used.includes(one))
    assert.deepEqual(unused(rightsIn(hubAddonRules()), [...byHub.flatMap(rightsUsed), ...granted]), [])
    const heldByAgent = rightsIn(Object.values(agentAddonRules({ namespace: agentNamespace })).flat())
    assert.deepEqual(unused(heldByAgent, byAgent.flatMap(rightsUsed)), [])
  },
)

/**
 * Whether a token was asked for before the API server had heard of the right to it, which the hub had just made: the very
 * same was granted to the same user later.
 */
const isEarly = (event: AuditEvent, all: readonly AuditEvent[]): boolean =>
  rightsUsed(event).includes('create serviceaccounts/token') &&
  all.some(
    ({ user, verb, requestURI, requestReceivedTimestamp: at, responseStatus }) =>
      user.username === event.user.username &&
      verb === event.verb &&
      requestURI === event.requestURI &&
      at > event.requestReceivedTimestamp &&
      responseStatus?.code === 201,
  )

/** Kubernetes lets nobody give away what they do not have. */
const granted = rightsIn(tokenObjects('any', 'any', 'account', {}).role.rules).map((right) =>
  right.replace(/ account$/, ''),
)

function addonsOf({ admin }: AccountsScene, cluster: string) {
  const all = admin.of(ManagedClusterAddOn.resource, cluster)
  return {
    async enable(name: string) {
      await all.create({ metadata: { name }, spec: {} })
      await all.patch(
        name,
        { type: 'merge', body: { status: { registrations: [kubeClient] } } },
        { subresource: 'status' },
      )
    },
    told: async (name: string) => (await all.find(name))?.status?.conditions as Condition[] | undefined,
    async has(addon: string, key: string) {
      const found = await admin.of(secrets, addonNamespace).find(addonSecrets.kubeClient(addon))
      return found?.data?.[key] !== undefined
    },
  }
}
