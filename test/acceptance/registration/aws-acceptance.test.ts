/** What a hub on EKS makes in AWS for a cluster it accepts, by each authentication mode, and never adopts of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CreateAccessEntryCommand, EKSClient } from '@aws-sdk/client-eks'
import { CreateRoleCommand, PutRolePolicyCommand } from '@aws-sdk/client-iam'
import { parse } from 'yaml'
import { ManagedCluster } from '../../../src/apis/cluster/managed-cluster.ts'
import type { AuthenticationMode } from '../../../src/demo/aws/index.ts'
import { isConflict } from '../../../src/kube/failures.ts'
import { configMaps } from '../../../src/kube/kinds.ts'
import type { AwsSpoke } from '../../support/aws-ground.ts'
import { region } from '../../support/aws-ground.ts'
import type { AwsScene } from '../../support/aws-scene.ts'
import { awsScene, hubRoleOf } from '../../support/aws-scene.ts'
import { changesSince, isAccepted, whyNotAccepted } from '../../support/aws-watch.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'
import { whoAmI } from '../../support/who-am-i.ts'

/** The documents of the contract, written out. */
const trustOf = ({ hub }: AwsScene, { eks, role }: AwsSpoke) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: { AWS: role.roleArn },
      Action: 'sts:AssumeRole',
      Condition: {
        StringEquals: {
          'aws:PrincipalTag/hub_cluster_account_id': hub.eks.account,
          'aws:PrincipalTag/hub_cluster_name': hub.eks.name,
          'aws:PrincipalTag/managed_cluster_account_id': eks.account,
          'aws:PrincipalTag/managed_cluster_name': eks.name,
        },
      },
    },
  ],
})
const accessTo = ({ hub }: AwsScene) => ({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: ['eks:DescribeCluster', 'eks:ListClusters'], Resource: hub.eks.arn }],
})

/** As the hub tags what is its own. */
const ownTags = ({ hub }: AwsScene, cluster: string) => ({
  'lanyard.io/hub-cluster': hub.eks.arn,
  'lanyard.io/managed-cluster': cluster,
})

/** Made by the administrator of the hub's account, before the hub. */
async function makeRole(scene: AwsScene, spoke: AwsSpoke, tags: Record<string, string>): Promise<void> {
  const client = scene.iam(scene.hubSide)
  await client.send(
    new CreateRoleCommand({
      RoleName: hubRoleOf(scene.hub, spoke).name,
      AssumeRolePolicyDocument: JSON.stringify(trustOf(scene, spoke)),
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    }),
  )
  await client.send(
    new PutRolePolicyCommand({
      RoleName: hubRoleOf(scene.hub, spoke).name,
      PolicyName: 'ocm-hub-access',
      PolicyDocument: JSON.stringify(accessTo(scene)),
    }),
  )
}

async function makeEntry(
  t: TestScope,
  { aws, hub, hubSide }: AwsScene,
  spoke: AwsSpoke,
  entry: { username: string; kubernetesGroups: string[]; tags?: Record<string, string> },
): Promise<void> {
  const eks = new EKSClient({ region, endpoint: aws.url, credentials: hubSide.admin })
  teardown(t, () => eks.destroy())
  await eks.send(
    new CreateAccessEntryCommand({ clusterName: hub.eks.name, principalArn: hubRoleOf(hub, spoke).arn, ...entry }),
  )
}

async function byAccessEntries(t: TestScope, scene: AwsScene): Promise<void> {
  const { hub, hubSide } = scene
  const west = await scene.spoke('west')
  await scene.accept('west', west)
  await isAccepted(scene, 'west')
  const made = hubSide.role(hubRoleOf(hub, west).name)
  assert.deepEqual(made?.trust, trustOf(scene, west))
  assert.deepEqual(made?.policies, { 'ocm-hub-access': accessTo(scene) })
  assert.deepEqual(made?.attached, [])
  const [entry, ...others] = hub.cluster.accessEntries()
  assert.deepEqual(others, [])
  assert.equal(entry?.principalArn, hubRoleOf(hub, west).arn)
  assert.deepEqual(entry?.groups, ['open-cluster-management:west'])
  const { groups } = await whoAmI(scene.clientOf(t, west))
  assert.ok(groups.includes('open-cluster-management:west'))

  // Made by an earlier life of the hub: taken as it is.
  const again = await scene.spoke('again')
  await makeRole(scene, again, ownTags(scene, 'again'))
  const group = 'open-cluster-management:again'
  const own = { username: group, kubernetesGroups: [group], tags: ownTags(scene, 'again') }
  await makeEntry(t, scene, again, own)
  const before = hubSide.role(hubRoleOf(hub, again).name)
  await scene.accept('again', again)
  await isAccepted(scene, 'again')
  assert.equal(hubSide.role(hubRoleOf(hub, again).name)?.id, before?.id)
  assert.ok((await whoAmI(scene.clientOf(t, again))).groups.includes(group))

  // A role of somebody else under the same name.
  const foreign = await scene.spoke('foreign')
  await makeRole(scene, foreign, { owner: 'somebody' })
  const theirs = hubSide.role(hubRoleOf(hub, foreign).name)
  const from = scene.aws.calls.length
  await scene.accept('foreign', foreign)
  assert.match(await whyNotAccepted(scene, 'foreign'), /is not one that this hub made for cluster foreign/)
  assert.deepEqual(hubSide.role(hubRoleOf(hub, foreign).name), theirs)
  assert.deepEqual(changesSince(scene, from), [])

  // An access entry of somebody else, for a role that is ours.
  const entered = await scene.spoke('entered')
  await makeRole(scene, entered, ownTags(scene, 'entered'))
  await makeEntry(t, scene, entered, { username: 'somebody', kubernetesGroups: ['theirs'] })
  const theirEntry = () =>
    hub.cluster.accessEntries().find(({ principalArn }) => principalArn === hubRoleOf(hub, entered).arn)
  const kept = theirEntry()
  await scene.accept('entered', entered)
  assert.match(await whyNotAccepted(scene, 'entered'), /access entry .* is not one that this hub made/)
  assert.deepEqual(theirEntry(), kept)
}

/** As people write them: comments, quotes of both kinds, flow maps, an anchor. */
const foreignRoles = `# the nodes, do not touch
- groups:
  - system:bootstrappers
  - "system:nodes"
  rolearn: 'arn:aws:iam::111122223333:role/node-group'   # made by eksctl
  username: system:node:{{EC2PrivateDNSName}}

- {rolearn: "arn:aws:iam::111122223333:role/ops", username: 'ops:{{SessionName}}', groups: [system:masters]}
`
const mapUsers = '- userarn: arn:aws:iam::111122223333:user/jane\n  username: jane\n'

const mapsOf = (scene: AwsScene) => scene.admin.of(configMaps, 'kube-system')
const mapRolesOf = async (scene: AwsScene): Promise<string> =>
  (await mapsOf(scene).get('aws-auth')).data?.['mapRoles'] ?? ''

/** Somebody with an editor who reads, changes and writes, again and again, and takes care not to lose what others wrote. */
async function edit(scene: AwsScene, change: (text: string) => string): Promise<void> {
  for (;;) {
    const found = await mapsOf(scene).get('aws-auth')
    const data = { ...found.data, mapRoles: change(found.data?.['mapRoles'] ?? '') }
    const isWritten = await mapsOf(scene)
      .update({ ...found, data })
      .then(
        () => true,
        (error: unknown) => {
          if (isConflict(error)) return false
          throw error
        },
      )
    if (isWritten) return
  }
}

const append = (scene: AwsScene, block: string): Promise<void> => edit(scene, (text) => `${text}${block}`)

async function byConfigMap(t: TestScope, scene: AwsScene): Promise<void> {
  await mapsOf(scene).create({ metadata: { name: 'aws-auth' }, data: { mapRoles: foreignRoles, mapUsers } })
  const names = ['one', 'two', 'three', 'four', 'five', 'six']
  const spokes = new Map<string, AwsSpoke>()
  for (const name of names) spokes.set(name, await scene.spoke(name))
  const spoke = (name: string) => spokes.get(name) ?? assert.fail(name)

  const blocks = Array.from(
    { length: 30 },
    (_, index) => `- rolearn: arn:aws:iam::111122223333:role/team-${index}\n  username:   "team ${index}" # theirs\n`,
  )
  const editing = (async () => {
    for (const [index, block] of blocks.entries()) {
      await append(scene, block)
      if (index % 3 !== 2) continue
      // What they wrote a moment ago they write otherwise now.
      const other = block.replace('# theirs', '# theirs, renamed')
      await edit(scene, (text) => text.replace(block, other))
      blocks[index] = other
    }
  })()
  await Promise.all(names.map((name) => scene.accept(name, spoke(name))))
  await Promise.all(names.map((name) => isAccepted(scene, name)))
  await editing

  const text = await mapRolesOf(scene)
  const theirs = [foreignRoles, ...blocks]
  for (const part of theirs) assert.ok(text.includes(part), `kept as it was:\n${part}`)
  const entries: { rolearn: string; username: string; groups?: string[] }[] = parse(text)
  const ours = entries.filter(({ rolearn }) => rolearn.includes('/ocm-hub-'))
  assert.equal(entries.length, 2 + blocks.length + names.length)
  for (const name of names) {
    const entry = ours.find(({ rolearn }) => rolearn === hubRoleOf(scene.hub, spoke(name)).arn)
    assert.deepEqual(entry?.groups, [`system:open-cluster-management:${name}`])
    const { groups } = await whoAmI(scene.clientOf(t, spoke(name)))
    assert.ok(groups.includes(`system:open-cluster-management:${name}`))
    assert.deepEqual(scene.hubSide.role(hubRoleOf(scene.hub, spoke(name)).name)?.trust, trustOf(scene, spoke(name)))
  }
  assert.deepEqual(scene.hub.cluster.accessEntries(), [])
  assert.equal((await mapsOf(scene).get('aws-auth')).data?.['mapUsers'], mapUsers)

  // What is left when all of them are gone is what others wrote, and nothing else.
  const more = Array.from({ length: 10 }, (_, index) => `- rolearn: arn:aws:iam::111122223333:role/late-${index}\n`)
  const late = (async () => {
    for (const block of more) await append(scene, block)
  })()
  await Promise.all(names.map((name) => scene.admin.of(ManagedCluster.resource).delete(name)))
  await eventually('every entry of the hub is gone', async () => !(await mapRolesOf(scene)).includes('/ocm-hub-'))
  await late
  assert.equal(await mapRolesOf(scene), [...theirs, ...more].join(''))

  // An entry of somebody else for the role of a cluster: nothing is made beside it.
  const taken = await scene.spoke('taken')
  const { arn, name } = hubRoleOf(scene.hub, taken)
  const block = `- rolearn: ${arn}\n  username: somebody\n  groups: [theirs]\n`
  await append(scene, block)
  await scene.accept('taken', taken)
  assert.match(
    await whyNotAccepted(scene, 'taken'),
    /entry in ConfigMap kube-system\/aws-auth .* is not one that this hub/,
  )
  assert.ok((await mapRolesOf(scene)).endsWith(block))
  assert.equal(scene.hubSide.role(name), undefined)
}

const byMode: Readonly<Record<AuthenticationMode, (t: TestScope, scene: AwsScene) => Promise<void>>> = {
  API: byAccessEntries,
  API_AND_CONFIG_MAP: byAccessEntries,
  CONFIG_MAP: byConfigMap,
}

test(
  'R55: in each mode of EKS an accepted cluster gets its role and its mapping; what is ours is taken up, what is of others never',
  needsControlPlane,
  async (t) => {
    for (const [mode, proves] of Object.entries(byMode))
      await proves(t, await awsScene(t, { authenticationMode: mode as AuthenticationMode }))
  },
)
