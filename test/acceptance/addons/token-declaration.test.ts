/** What an agent declares for an add-on that comes by token, on hubs of different kinds. The hub's half is played here. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { reasons } from '../../../src/addons/reasons.ts'
import { ManagedClusterAddOn } from '../../../src/apis/addon/managed-cluster-addon.ts'
import { systemClock } from '../../../src/core/clock.ts'
import type { Condition } from '../../../src/core/conditions.ts'
import { setCondition } from '../../../src/core/conditions.ts'
import { Secret } from '../../../src/core/secret.ts'
import { accountUser, addonAccounts, addonConditions, addonSecrets, clusterGroups } from '../../../src/fleet/names.ts'
import { serviceAccounts } from '../../../src/kube/kinds.ts'
import { grant } from '../../support/access-scene.ts'
import type { AddonScene } from '../../support/addon-scene.ts'
import { addonScene } from '../../support/addon-scene.ts'
import { joinHub } from '../../support/agent-scene.ts'
import { aGroup, aServiceAccount } from '../../support/builders.ts'
import type { OwnControlPlane } from '../../support/control-plane.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import type { Traffic } from '../../support/traffic.ts'
import { traffic } from '../../support/traffic.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const asked = 'POST serviceaccounts/token'

describe('an add-on that comes by token is declared', needsControlPlane, () => {
  const suite = suiteScope()
  let plane: OwnControlPlane
  let scene: AddonScene
  let heard: Traffic
  let installNamespace: string
  before(async () => {
    plane = await startControlPlane(suite, {})
    await joinHub(suite, plane)
    heard = traffic(systemClock)
    const client = { onRequest: heard.onRequest }
    scene = await addonScene(suite, plane, { client, addons: { kubeClientDriver: 'token' } })
    installNamespace = await freshNamespace(suite, scene.home)
  })

  const anAddon = () =>
    scene.addon(
      [
        { type: 'kubeClient', kubeClient: { subject: { user: 'someone', groups: ['some'] } } },
        { type: 'customSigner', customSigner: { signerName: 'example.com/signer', subject: { user: 'client' } } },
      ],
      { installNamespace },
    )
  const declared = async (addon: string) => (await scene.find(addon))?.status?.registrations?.[0]
  const isDeclaredAs = (addon: string, account: string) =>
    eventually(`${addon} is ${account}`, async () => {
      assert.deepEqual(await declared(addon), {
        type: 'kubeClient',
        kubeClient: { driver: 'token', subject: { user: accountUser(scene.cluster, account) } },
      })
      return true
    })
  const announce = async (addon: string, message: string) =>
    eventually('it is announced', async () => {
      const found = await scene.find(addon)
      const conditions = setCondition(
        found?.status?.conditions as Condition[],
        {
          type: addonConditions.tokenInfrastructureReady,
          status: 'True',
          reason: reasons.TokenInfrastructureReady,
          message,
        },
        systemClock.now(),
      )
      const body = { metadata: { resourceVersion: found?.metadata.resourceVersion }, status: { conditions } }
      return await scene.admin
        .of(ManagedClusterAddOn.resource, scene.cluster)
        .patch(addon, { type: 'merge', body }, { subresource: 'status' })
        .catch(() => undefined)
    })
  /** Makes the account, lets the cluster ask for its tokens, and announces it. */
  async function makeAccount(addon: string, account: string, namespace = scene.cluster): Promise<string> {
    const accounts = scene.admin.of(serviceAccounts, namespace)
    const { metadata } = await accounts.create(aServiceAccount(account))
    const groups = clusterGroups(scene.cluster)
    const rule = { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }
    await grant(scene.admin, namespace, groups.map(aGroup), rule)
    await announce(addon, `ServiceAccount ${namespace}/${account} (UID: ${metadata.uid}) is ready`)
    return metadata.uid
  }

  test('R67: as our account without groups; the account of the field is adopted, and any other refused', async (t) => {
    const { cluster } = scene
    const addon = await anAddon()
    const [ours, theirs] = addonAccounts(cluster, addon)
    await isDeclaredAs(addon, ours)
    for (const type of addonConditions.tokenRefreshed)
      await scene.reaches(addon, type, 'False', 'AwaitingTokenInfrastructure')

    const uid = await makeAccount(addon, theirs)
    await isDeclaredAs(addon, theirs)
    await scene.reaches(addon, 'AddonTokenRefreshed', 'True')
    const kept = await scene.secretOf(addonSecrets.kubeClient(addon), installNamespace)
    assert.equal(kept?.['service-account-uid'], uid)
    const own = kubeClient(t, plane.connection({ authorization: Secret.of(kept?.['token'] ?? '') }))
    assert.equal((await whoAmI(own)).username, accountUser(cluster, theirs))
    const [, other] = (await scene.find(addon))?.status?.registrations ?? []
    assert.equal(other?.type, 'customSigner')

    const elsewhere = await freshNamespace(t, scene.admin)
    for (const make of [
      (refused: string) => makeAccount(refused, 'default-agent'),
      (refused: string) => makeAccount(refused, `${addonAccounts(cluster, refused)[0]}1`),
      (refused: string) => makeAccount(refused, addonAccounts(cluster, refused)[1], elsewhere),
      (refused: string) =>
        announce(refused, `ServiceAccount ${cluster}/${addonAccounts(cluster, refused)[0]} is ready`),
    ]) {
      const refused = await anAddon()
      await isDeclaredAs(refused, addonAccounts(cluster, refused)[0])
      const before = heard.count
      await make(refused)
      for (const type of addonConditions.tokenRefreshed) await scene.reaches(refused, type, 'False', 'AccountRefused')
      await isDeclaredAs(refused, addonAccounts(cluster, refused)[0])
      assert.deepEqual(
        heard.since(before).filter(({ what }) => what === asked),
        [],
      )
      assert.equal(await scene.secretOf(addonSecrets.kubeClient(refused), installNamespace), undefined)
    }
  })
})
