import assert from 'node:assert/strict'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import type { AwsCall } from '../../src/demo/aws/index.ts'
import { hubNamespace } from '../../src/fleet/names.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { Stored } from '../../src/kube/objects.ts'
import { recordAnnotation } from '../../src/registration/drivers/awsirsa/hub-record.ts'
import type { AwsGround, AwsSpoke } from '../support/aws-ground.ts'
import { awsGround, region } from '../support/aws-ground.ts'
import { marks } from '../support/aws-names.ts'
import { hubRoleOf } from '../support/aws-scene.ts'
import { startControlPlane } from '../support/control-plane.ts'
import { accountKubeconfig, prepareHub } from '../support/hub-process.ts'
import { kubeClient } from '../support/kube-client.ts'
import type { TestScope } from '../support/test-scope.ts'
import type { Kill } from './aws-plan.ts'
import { compileOnce } from './soak-hub.ts'
import type { Supervised } from './supervised.ts'
import { supervise } from './supervised.ts'

/** A cluster on EKS as the hub sees it: nothing but its ManagedCluster, for its agent has no part in the grant. */
export interface Member {
  name: string
  spoke: AwsSpoke
  role: { name: string; arn: string }
}

export interface AwsWorld {
  ground: AwsGround
  /** As the admin. */
  kube: Kube
  hub: Supervised
  /** What AWS was asked to make for a cluster that has nothing on record. */
  contradictions: string[]
  /** Kills the hub at the next call of this role that fits. Whether it has, is asked for. */
  killAtCall(kill: Extract<Kill, { call: string }>, role: string): () => boolean
  member(name: string): Promise<Member>
}

const sessionSeconds = 12 * 3_600
/** Of somebody else, and laid out by hand. */
export const foreignMapRoles = `# nodes
- groups: [ "system:nodes" ]
  rolearn:   arn:aws:iam::111122223333:role/nodes
  username: system:node:{{EC2PrivateDNSName}}   # by hand
`

/** A hub with the rights of its two accounts, in Kubernetes and in AWS, and no others. It is not started yet. */
export async function awsWorld(t: TestScope): Promise<AwsWorld> {
  await compileOnce(t)
  const ground = await awsGround(t, { authenticationMode: 'CONFIG_MAP' })
  const plane = await startControlPlane(t, {})
  const kube = kubeClient(t, plane.connection())
  const drivers = ['--hub-cluster-arn', ground.hub.eks.arn, '--aws-resource-tags', 'team=blue']
  const { webhookUrl } = await prepareHub(t, plane, '--registration-drivers', 'awsirsa', ...drivers)
  await kube
    .of(configMaps, 'kube-system')
    .create({ metadata: { name: 'aws-auth' }, data: { mapRoles: foreignMapRoles } })
  const account = { namespace: hubNamespace, name: 'registration-controller-sa' }
  const hub = supervise(
    t,
    'hub',
    [
      'hub',
      ...['--kubeconfig', await accountKubeconfig(t, plane, kube, account, sessionSeconds)],
      ...['--listen', new URL(webhookUrl).host, '--webhook-url', webhookUrl, '--access-listen', '127.0.0.1:0'],
      ...['--enabled-registration-drivers', 'awsirsa', ...drivers, '--no-leader-election'],
    ],
    hubEnv(ground),
  )
  const contradictions: string[] = []
  const members = new Map<string, Member>()
  let armed: { kill: Extract<Kill, { call: string }>; role: string; isDone: boolean } | undefined

  async function killHub(call: AwsCall, when: 'instead' | 'after'): Promise<void> {
    const set = armed
    if (set?.kill.call !== call.action || set.kill.when !== when || !isOf(call, set.role)) return
    // Before the kill: calls of the same kind may come at the same time.
    armed = undefined
    await hub.kill()
    set.isDone = true
    if (when === 'instead') throw new Error('the hub is gone, and nothing is done for it')
  }

  /** The record comes before what it names. */
  async function checkRecord({ action, input }: AwsCall): Promise<void> {
    const role = input['RoleName']
    if (action !== 'CreateRole' || !role?.startsWith('ocm-hub-')) return
    const owner = [...members.values()].find((member) => member.role.name === role)
    const found = owner && (await kube.of(ManagedCluster.resource).find(owner.name))
    if (recordOf(found).split(':')[0] !== role) contradictions.push(`${role} was made without a record`)
  }

  ground.aws.faults.add({
    times: Number.POSITIVE_INFINITY,
    do: {
      async before(call) {
        await checkRecord(call)
        await killHub(call, 'instead')
      },
      after: (call) => killHub(call, 'after'),
    },
  })

  return {
    ground,
    kube,
    hub,
    contradictions,
    killAtCall(kill, role) {
      const set = { kill, role, isDone: false }
      armed = set
      return () => set.isDone
    },
    async member(name) {
      const spoke = await ground.spoke(name)
      const made = { name, spoke, role: hubRoleOf(ground.hub, spoke) }
      members.set(name, made)
      return made
    },
  }
}

/** As its pod, but for longer than a web identity lasts. */
function hubEnv({ aws, hubSide, creator }: AwsGround): Record<string, string> {
  const session = hubSide.session(creator.roleName, { name: 'hub', seconds: sessionSeconds })
  return {
    AWS_ENDPOINT_URL: aws.url,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: session.accessKeyId,
    AWS_SECRET_ACCESS_KEY: session.secretAccessKey,
    AWS_SESSION_TOKEN: session.sessionToken ?? '',
  }
}

/** Calls that name no role are taken for any. */
const isOf = ({ input }: AwsCall, role: string): boolean =>
  (input['RoleName'] ?? input['principalArn'] ?? input['resourceArn'] ?? role).includes(role)

const recordOf = (cluster: Stored<ManagedCluster> | undefined): string =>
  cluster?.metadata.annotations?.[recordAnnotation] ?? ''

export const createOf = ({ name, spoke }: Member) => ({
  metadata: { name, annotations: { [marks.arn]: spoke.eks.arn } },
  spec: { hubAcceptsClient: true, leaseDurationSeconds: 60 },
})

/** All that is there for a cluster, on both sides. */
export interface Standing {
  record: string
  roles: number
  entries: number
  mapped: number
}

export async function standingOf({ kube, ground }: AwsWorld, { name, role }: Member): Promise<Standing> {
  const cluster = await kube.of(ManagedCluster.resource).find(name)
  const mapRoles = await mapRolesOf(kube)
  return {
    record: recordOf(cluster),
    roles: ground.hubSide.roles().filter((other) => other.name === role.name).length,
    entries: ground.hub.cluster.accessEntries().filter(({ principalArn }) => principalArn === role.arn).length,
    mapped: mapRoles.split(role.arn).length - 1,
  }
}

export const mapRolesOf = async (kube: Kube): Promise<string> =>
  (await kube.of(configMaps, 'kube-system').find('aws-auth'))?.data?.['mapRoles'] ?? ''

export const nothing: Standing = { record: '', roles: 0, entries: 0, mapped: 0 }

/** One of each, by the one way that the EKS cluster goes. */
export const granted = ({ role }: Member, by: 'access-entry' | 'aws-auth'): Standing => ({
  record: `${role.name}:${by}`,
  roles: 1,
  entries: by === 'access-entry' ? 1 : 0,
  mapped: by === 'aws-auth' ? 1 : 0,
})

/** Whether the role lets in its cluster and nobody else, with the tags that people want. */
export function isAsItShould({ ground }: AwsWorld, { name, spoke, role }: Member): void {
  const { trust, policies, attached, tags } = ground.hubSide.role(role.name) ?? assert.fail(`${role.name} is gone`)
  const text = JSON.stringify(trust)
  assert.ok(text.includes(spoke.role.roleArn), text)
  assert.deepEqual(Object.keys(policies), ['ocm-hub-access'])
  assert.deepEqual(attached, [])
  assert.equal(tags['team'], 'blue')
  const entry = ground.hub.cluster.accessEntries().find(({ principalArn }) => principalArn === role.arn)
  if (!entry) return
  assert.deepEqual(entry.groups, [`open-cluster-management:${name}`])
  assert.equal(entry.tags['team'], 'blue')
}
