/** What a hub on EKS takes back, refuses, and accepts by itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DeleteAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks'
import { DeleteRoleCommand, DeleteRolePolicyCommand } from '@aws-sdk/client-iam'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import { annotations } from '../../../src/fleet/names.ts'
import { isForbidden, isUnauthorized } from '../../../src/kube/failures.ts'
import { leases } from '../../../src/kube/kinds.ts'
import { agentScene, bootstrapUser, isJoined, setAccepted } from '../../support/agent-scene.ts'
import { region } from '../../support/aws-ground.ts'
import { digest, marks } from '../../support/aws-names.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { changesSince, inTime, isAccepted, reasonOf, whyNotAccepted } from '../../support/aws-watch.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { lanyard } from '../../support/lanyard.ts'
import { presentRights } from '../../support/membership-scene.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

const clustersOf = ({ admin }: AwsScene) => admin.of(ManagedCluster.resource)
const entryOf = ({ hub }: AwsScene, arn: string) =>
  hub.cluster.accessEntries().find(({ principalArn }) => principalArn === arn)

/** In this order among whatever else was done. */
const isInOrder = (actions: readonly string[], ...wanted: string[]): boolean =>
  wanted.every((action, index) => {
    const at = actions.indexOf(action)
    return at >= 0 && (index === 0 || at > actions.indexOf(wanted[index - 1] ?? ''))
  })

test(
  'R56: a cluster whose annotated suffix is not the digest of this hub and itself is refused, and IAM is left alone',
  needsControlPlane,
  async (t) => {
    const scene = await awsScene(t)
    const west = await scene.spoke('west')
    const roles = scene.hubSide.roles()
    const from = scene.aws.calls.length
    const ofOtherHub = digest(scene.hub.eks.account, 'other-hub', west.eks.account, 'west')
    const { suffix } = hubRoleOf(scene.hub, west)
    const wrong = {
      'other-hub': { [marks.fieldArn]: west.eks.arn, [marks.fieldSuffix]: ofOtherHub },
      'both-forms': { [marks.arn]: west.eks.arn, [marks.fieldArn]: west.eks.arn, [marks.fieldSuffix]: ofOtherHub },
      nearly: { [marks.fieldArn]: west.eks.arn, [marks.fieldSuffix]: suffix.toUpperCase() },
      empty: { [marks.fieldArn]: west.eks.arn, [marks.fieldSuffix]: '' },
    }
    for (const [name, given] of Object.entries(wrong)) {
      await scene.accept(name, west, given)
      assert.match(await whyNotAccepted(scene, name), new RegExp(`it has to be ${suffix}; .*different hub`))
    }
    assert.deepEqual(changesSince(scene, from), [])
    assert.deepEqual(scene.hubSide.roles(), roles)
    assert.deepEqual(scene.hub.cluster.accessEntries(), [])
    await assert.rejects(whoAmI(scene.clientOf(t, west)))
  },
)

test(
  'R57: a cluster whose ARN a pattern matches from end to end is accepted by the hub, no other one is, and none of another way is held up',
  needsControlPlane,
  async (t) => {
    const scene = await awsScene(t, {
      autoApprovedArnPatterns: ['arn:aws:eks:eu-west-1:\\d{12}:cluster/prod-[a-z]+'],
      settings: { autoApprovedUsers: [bootstrapUser] },
    })
    const arn = (name: string, where = region) => `arn:aws:eks:${where}:444455556666:cluster/${name}`
    const create = (name: string, own: string | undefined, annotation: string = marks.arn) =>
      clustersOf(scene).create({ metadata: { name, ...(own && { annotations: { [annotation]: own } }) } })
    const never: Record<string, string> = {
      prefixed: `XXX${arn('prod-west')}`,
      longer: arn('prod-west-2'),
      shorter: arn('prod-'),
      'other-region': arn('prod-west', 'eu-west-2'),
      'other-name': arn('test-west'),
      'two-lines': `${arn('prod-west')}\n${arn('prod-west')}`,
    }
    for (const [name, own] of Object.entries(never)) await create(name, own)
    // A pattern is no word about who comes without an ARN, nor about half a pair of annotations.
    await create('half', arn('prod-half'), marks.fieldArn)
    const spoke = await scene.spoke('prod-west')
    await create('matching', spoke.eks.arn)
    const { metadata } = await isAccepted(scene, 'matching')
    assert.ok(metadata.annotations?.[annotations.automaticallyAcceptedOn])
    assert.ok((await whoAmI(scene.clientOf(t, spoke))).groups.includes('open-cluster-management:matching'))

    // The driver for certificates decides about its own clusters as it would without this one.
    await isJoined(await agentScene(t, scene.plane))

    // Both came later than those.
    for (const name of [...Object.keys(never), 'half'])
      assert.equal((await scene.cluster(name)).spec?.hubAcceptsClient ?? false, false, name)
  },
)

test(
  'R58: a cluster that is denied or deleted loses its access entry and then its role; what is missing is no trouble, and others are left alone',
  needsControlPlane,
  async (t) => {
    const clock = new FakeClock(new Date())
    const scene = await awsScene(t, { clock })
    const names = ['denied', 'deleted', 'missing', 'stays'] as const
    const spokes = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await scene.spoke(name)] as const)),
    )
    const spoke = (name: string) => spokes[name] ?? assert.fail(name)
    const role = (name: string) => hubRoleOf(scene.hub, spoke(name))
    for (const name of names) await scene.accept(name, spoke(name))
    for (const name of names) await isAccepted(scene, name)
    const isGoneFromAws = (name: string) =>
      scene.hubSide.role(role(name).name) === undefined && entryOf(scene, role(name).arn) === undefined

    const early = scene.clientOf(t, spoke('denied'))
    assert.ok(await early.of(leases, 'denied').list())
    let from = scene.aws.calls.length
    await setAccepted(scene.admin, 'denied', false)
    await inTime(clock, 'it is denied', async () => (await reasonOf(scene, 'denied')) === 'HubClusterAdminDenied')
    assert.ok(isInOrder(changesSince(scene, from), 'DeleteAccessEntry', 'DeleteRole'), `${changesSince(scene, from)}`)
    assert.ok(isGoneFromAws('denied'))
    await assert.rejects(whoAmI(scene.clientOf(t, spoke('denied'))))
    // A token that is still good for minutes is not good for anything: an API server may remember whose it was.
    const isShut = (error: unknown) => isForbidden(error) || isUnauthorized(error)
    await eventually('the API server knows', () =>
      early
        .of(leases, 'denied')
        .list()
        .then(() => false, isShut),
    )

    from = scene.aws.calls.length
    await clustersOf(scene).delete('deleted')
    await inTime(clock, 'it is gone', async () => !(await clustersOf(scene).find('deleted')))
    assert.ok(isInOrder(changesSince(scene, from), 'DeleteAccessEntry', 'DeleteRole'), `${changesSince(scene, from)}`)
    assert.ok(isGoneFromAws('deleted'))

    await removeByHand(t, scene, role('missing'))
    await setAccepted(scene.admin, 'missing', false)
    await inTime(clock, 'it is denied', async () => (await reasonOf(scene, 'missing')) === 'HubClusterAdminDenied')
    await clustersOf(scene).delete('missing')
    await inTime(clock, 'it is gone', async () => !(await clustersOf(scene).find('missing')))

    // Clusters of another way come and go without a word to AWS.
    from = scene.aws.calls.length
    for (const name of ['plain', 'plain2'])
      await clustersOf(scene).create({ metadata: { name }, spec: { hubAcceptsClient: true } })
    for (const name of ['plain', 'plain2']) await isAccepted(scene, name)
    await setAccepted(scene.admin, 'plain', false)
    await inTime(clock, 'it is denied', async () => (await reasonOf(scene, 'plain')) === 'HubClusterAdminDenied')
    await clustersOf(scene).delete('plain2')
    await inTime(clock, 'it is gone', async () => !(await clustersOf(scene).find('plain2')))
    assert.deepEqual(changesSince(scene, from), [])
    assert.ok(scene.hubSide.role(role('stays').name) && entryOf(scene, role('stays').arn))
    assert.ok((await presentRights(scene.admin, 'stays')).includes('registration'))
  },
)

/** As somebody with a console. */
async function removeByHand(t: TestScope, scene: AwsScene, { name, arn }: { name: string; arn: string }) {
  const { aws, hub, hubSide } = scene
  const eks = new EKSClient({ region, endpoint: aws.url, credentials: hubSide.admin })
  teardown(t, () => eks.destroy())
  await eks.send(new DeleteAccessEntryCommand({ clusterName: hub.eks.name, principalArn: arn }))
  const iam = scene.iam(hubSide)
  await iam.send(new DeleteRolePolicyCommand({ RoleName: name, PolicyName: 'ocm-hub-access' }))
  await iam.send(new DeleteRoleCommand({ RoleName: name }))
}

test(
  'R59: configured tags are on the role and the access entry of every cluster, and one without = is told before the hub starts',
  needsControlPlane,
  async (t) => {
    const tags = { team: 'blue', 'cost center': 'a/1' }
    const scene = await awsScene(t, { tags })
    const west = await scene.spoke('west')
    const { name, arn } = hubRoleOf(scene.hub, west)
    await scene.accept('west', west)
    await isAccepted(scene, 'west')
    for (const found of [scene.hubSide.role(name)?.tags, entryOf(scene, arn)?.tags])
      for (const [key, value] of Object.entries(tags)) assert.equal(found?.[key], value)

    const start = (given: string) =>
      lanyard(t, [
        ...['hub', '--kubeconfig', scene.plane.adminKubeconfigPath, '--listen', '127.0.0.1:0'],
        ...['--enabled-registration-drivers', 'csr,awsirsa', '--hub-cluster-arn', scene.hub.eks.arn],
        ...['--aws-resource-tags', given],
      ]).ended
    for (const given of ['team', 'a=b,team', 'team=blue=red']) {
      const { code, err } = await start(given)
      assert.equal(code, 1)
      assert.match(err, /--aws-resource-tags: the tag "team[^"]*" does not have exactly one =; write it as key=value/)
    }
  },
)
