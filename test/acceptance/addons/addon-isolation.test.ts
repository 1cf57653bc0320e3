/** What an add-on can do with its token, and which tokens the agent of a cluster can ask for: nothing beyond what is meant. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { Secret } from '../../../src/core/secret.ts'
import { accountUser, addonAccounts, addonLabels, addonSecrets, hubNamespace } from '../../../src/fleet/names.ts'
import type { KubeClient } from '../../../src/kube/client/index.ts'
import { isForbidden, isNotFound } from '../../../src/kube/failures.ts'
import { configMaps, namespaces, roleBindings, roles, secrets, serviceAccounts } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { grant } from '../../support/access-scene.ts'
import type { Question, Served, Who } from '../../support/access-sweep.ts'
import { allowed, allowedPaths, calls, discover, notForbidden, questions, said } from '../../support/access-sweep.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonHub, addonScene } from '../../support/addon-scene.ts'
import { agentsClient } from '../../support/agent-credential.ts'
import { aConfigMap, aSecret, aServiceAccount } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

/** Names of which one begins with the other. */
const clusters = ['west', 'west1'] as const
const addons = ['chart', 'chart1'] as const
/** By certificate: there is no account of it, and nobody may ask for one of its name. */
const certified = 'sealed'
const prey = 'prey'
const byToken = [{ type: 'kubeClient' as const }]
/** What the add-on `chart` is bound to, in the namespace of its cluster. */
const bound = { apiGroups: [''], resources: ['configmaps'], resourceNames: [prey], verbs: ['get', 'patch'] }

describe('what add-ons may do', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let admin: KubeClient
  let served: Served[]
  const scenes = new Map<string, AddonScene>()
  const installed = new Map<string, string>()

  before(async () => {
    plane = await startControlPlane(suite, {})
    ;({ admin } = await addonHub(suite, plane))
    const join = async (cluster: string) => {
      const scene = await addonScene(suite, plane, { cluster, addons: { kubeClientDriver: 'token' } })
      const installNamespace = await freshNamespace(suite, admin)
      scenes.set(cluster, scene)
      installed.set(cluster, installNamespace)
      await admin.of(secrets, cluster).create(aSecret(prey, { key: 'value' }))
      await admin.of(configMaps, cluster).create(aConfigMap(prey))
      await admin.of(serviceAccounts, cluster).create(aServiceAccount(prey))
      for (const name of addons) await scene.addon(byToken, { name, installNamespace })
      for (const name of addons) await scene.reaches(name, 'AddonTokenRefreshed', 'True')
      await grant(admin, cluster, [accountUser(cluster, accountOf(cluster, addons[0]))], bound)
    }
    await Promise.all(clusters.map(join))
    served = await discover(admin)
  })

  const accountOf = (cluster: string, addon: string): string => addonAccounts(cluster, addon)[0]

  /** With the token that the agent put into the Secret of the add-on. */
  async function addonsClient(cluster: string, addon: string): Promise<KubeClient> {
    const found = await scenes.get(cluster)?.secretOf(addonSecrets.kubeClient(addon), installed.get(cluster))
    assert.ok(found?.['token'], 'there is a token')
    return kubeClient(suite, plane.connection({ authorization: Secret.of(found['token']) }))
  }

  const agentOf = (cluster: string): Promise<KubeClient> =>
    agentsClient(suite, plane, admin, scenes.get(cluster)?.namespace ?? '')

  const nameOf = (resource: string, namespace: string): string =>
    ['namespaces', 'managedclusters'].includes(resource.split('/')[0] ?? '') ? namespace : prey

  /** All that somebody may do to a namespace and beyond it, and what of it any other account may not. */
  async function rightsBeyond(who: Who, everybody: Who, namespace: string) {
    const asked = questions(served, (resource, namespaced) => ({
      name: nameOf(resource, namespace),
      ...(namespaced && { namespace }),
    }))
    const all = await allowed(admin, who, asked)
    const isAllowed = ({ verb, group, resource }: Question) => all.includes(said(verb, group, resource))
    const common = await allowed(admin, everybody, asked.filter(isAllowed))
    return { all, own: all.filter((right) => !common.includes(right)) }
  }

  const isKnown = async (user: string, namespace: string) => {
    const question = { verb: 'get', group: '', resource: 'configmaps', namespace, name: prey }
    return (await allowed(admin, { user, groups: [] }, [question])).length > 0
  }

  for (const [cluster, other, addon, given, elsewhere] of [
    [clusters[0], clusters[1], addons[0], ['get configmaps', 'patch configmaps'], hubNamespace],
    [clusters[1], clusters[0], addons[1], [], 'kube-system'],
  ] as const)
    test(`by every verb of every resource, ${addon} on ${cluster} may do what it was bound to, and no more`, async () => {
      const kube = await addonsClient(cluster, addon)
      const { username, groups } = await whoAmI(kube)
      assert.equal(username, accountUser(cluster, accountOf(cluster, addon)))
      if (given.length > 0) await eventually('the binding is known', () => isKnown(username, cluster))
      const who = { user: username, groups }
      const anyAccount = { user: accountUser(cluster, 'nobody'), groups }
      for (const namespace of [cluster, other, elsewhere]) {
        const { all, own } = await rightsBeyond(who, anyAccount, namespace)
        assert.deepEqual(own, namespace === cluster ? given : [], `${username} in ${namespace}`)
        const asked = calls(served, (resource) => nameOf(resource, namespace), namespace)
        const beyond = asked.filter(({ what }) => !all.includes(what))
        assert.deepEqual(await notForbidden(kube, beyond), [], `${username} in ${namespace}`)
      }
      assert.deepEqual(await allowedPaths(admin, who), await allowedPaths(admin, anyAccount))
    })

  /** Whether the agent of a cluster may have a token of this account, also where there is no such account. */
  const getsToken = async (agent: Kube, namespace: string, account: string): Promise<boolean> => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    try {
      await agent.of(serviceAccounts, namespace).createSubresource(account, 'token', review)
      return true
    } catch (error) {
      if (isForbidden(error)) return false
      if (isNotFound(error)) return true
      throw error
    }
  }

  test('an agent gets tokens of the add-ons of its own cluster, and of no other account anywhere', async () => {
    await admin
      .of(namespaces)
      .create({ metadata: { name: hubNamespace } })
      .catch(() => {})
    const { items } = await admin.of(serviceAccounts).list()
    const everyAccount = items.map(({ metadata }) => ({ namespace: metadata.namespace ?? '', name: metadata.name }))
    const madeUp = clusters.flatMap((namespace) =>
      [certified, 'chart10', 'char'].flatMap((addon) =>
        addonAccounts(namespace, addon).map((name) => ({ namespace, name })),
      ),
    )
    for (const cluster of clusters) {
      const agent = await agentOf(cluster)
      const got: string[] = []
      for (const { namespace, name } of [...everyAccount, ...madeUp])
        if (await getsToken(agent, namespace, name)) got.push(`${namespace}/${name}`)
      assert.deepEqual(got.sort(), addons.map((addon) => `${cluster}/${accountOf(cluster, addon)}`).sort())
    }
  })

  test('R67b: an agent that declares an account of somebody else gets no right to its tokens, and is told', async () => {
    const [cluster, other] = clusters
    const scene = scenes.get(cluster) as AddonScene
    // From here on the test has its certificate, and does with it what a taken-over agent might.
    const agent = await agentOf(cluster)
    await scene.stop()
    const mine = agent.of(ManagedClusterAddOn.resource, cluster)
    const [addon] = addons
    const rightsBefore = await tokenRights(cluster)
    const claimed = [
      accountUser(cluster, prey),
      accountUser(cluster, 'default'),
      accountUser(other, accountOf(other, addon)),
      accountUser(other, prey),
      accountUser('kube-system', 'default'),
      accountUser(hubNamespace, 'registration-controller-sa'),
      // Of another add-on of the same cluster.
      accountUser(cluster, accountOf(cluster, addons[1])),
    ]
    for (const user of claimed) {
      const registrations = [{ type: 'kubeClient', kubeClient: { driver: 'token', subject: { user } } }]
      await mine.patch(addon, { type: 'merge', body: { status: { registrations } } }, { subresource: 'status' })
      const ready = await scene.reaches(addon, 'TokenInfrastructureReady', 'False')
      assert.ok(ready.message.length > 0)
      for (const right of await tokenRights(cluster)) assert.ok(rightsBefore.includes(right), `${user}: ${right}`)
      const honest = [
        { type: 'kubeClient', kubeClient: { driver: 'token', subject: { user: ownUser(cluster, addon) } } },
      ]
      await mine.patch(addon, { type: 'merge', body: { status: { registrations: honest } } }, { subresource: 'status' })
      await scene.reaches(addon, 'TokenInfrastructureReady', 'True')
    }
    assert.deepEqual(await tokenRights(other), addons.map((name) => accountOf(other, name)).sort())
    scene.start()
  })

  const ownUser = (cluster: string, addon: string) => accountUser(cluster, accountOf(cluster, addon))

  /** The accounts whose tokens any role in the namespace gives a right to. */
  async function tokenRights(namespace: string): Promise<string[]> {
    const { items } = await admin.of(roles, namespace).list()
    return items
      .flatMap(({ rules }) => rules ?? [])
      .filter(({ resources = [] }) => resources.some((resource) => ['*', 'serviceaccounts/token'].includes(resource)))
      .flatMap(({ resourceNames = ['every account'] }) => resourceNames)
      .sort()
  }

  test('two add-ons never share an account, also where the name of one makes the account of the other', async () => {
    const [cluster] = clusters
    const scene = scenes.get(cluster) as AddonScene
    const [addon] = addons
    // `<addon>-agent` of this one, as the field names it, is `<cluster>-<addon>-agent` of the other.
    const twin = `${cluster}-${addon}`
    const shared = accountOf(cluster, addon)
    assert.equal(addonAccounts(cluster, twin)[1], shared)
    const before = await admin.of(serviceAccounts, cluster).get(shared)
    const asTheOther = { driver: 'token' as const, subject: { user: accountUser(cluster, shared) } }
    const installNamespace = installed.get(cluster) ?? ''
    await scene.addon([{ type: 'kubeClient', kubeClient: asTheOther }], { name: twin, installNamespace })
    const refused = await scene.reaches(twin, 'TokenInfrastructureReady', 'False')
    assert.match(refused.message, new RegExp(`ServiceAccount ${cluster}/${shared}`))
    assert.equal(await scene.secretOf(addonSecrets.kubeClient(twin), installNamespace), undefined)

    await scene.register(twin, byToken)
    await scene.reaches(twin, 'AddonTokenRefreshed', 'True')
    const { username } = await whoAmI(await addonsClient(cluster, twin))
    assert.equal(username, accountUser(cluster, accountOf(cluster, twin)))
    const after = await admin.of(serviceAccounts, cluster).get(shared)
    assert.deepEqual([after.metadata.uid, after.metadata.labels], [before.metadata.uid, before.metadata.labels])
    assert.equal(after.metadata.labels?.[addonLabels.name], addon)
  })

  test('with the add-on goes the right to ask for its tokens, and its token', async () => {
    const [, cluster] = clusters
    const [, addon] = addons
    const account = accountOf(cluster, addon)
    const [kube, agent] = [await addonsClient(cluster, addon), await agentOf(cluster)]
    await whoAmI(kube)
    await admin.of(ManagedClusterAddOn.resource, cluster).delete(addon)
    await eventually('the account is gone', async () => !(await admin.of(serviceAccounts, cluster).find(account)))
    await eventually('the right is gone', async () => !(await getsToken(agent, cluster, account)))
    await eventually('the token is nobody’s', () =>
      whoAmI(kube).then(
        () => false,
        () => true,
      ),
    )
    const { items } = await admin.of(roleBindings, cluster).list({ labelSelector: addonLabels.tokenInfrastructure })
    assert.ok(items.every(({ metadata }) => metadata.labels?.[addonLabels.name] !== addon))
  })
})
