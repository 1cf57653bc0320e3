import assert from 'node:assert/strict'
import { EKSClient, TagResourceCommand, UpdateAccessEntryCommand } from '@aws-sdk/client-eks'
import { DeleteRolePolicyCommand, TagRoleCommand, UpdateAssumeRolePolicyCommand } from '@aws-sdk/client-iam'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { isFailure } from '../../src/core/failure.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import { region } from '../support/aws-ground.ts'
import { eventually } from '../support/eventually.ts'
import type { Phase } from './aws-plan.ts'
import { killOf, moving, phases } from './aws-plan.ts'
import type { AwsWorld, Member, Standing } from './aws-world.ts'
import { createOf, granted, isAsItShould, nothing, standingOf } from './aws-world.ts'

/** Several restarts and the pauses between tries included, on a machine that has other work too. */
const patience = { withinMs: 300_000, everyMs: 50 }

/** A cluster of its own for each round of the soak; all of a wave are in the same phase. */
export interface Round {
  index: number
  member: Member
}

/**
 * Clusters from their acceptance to their deletion. In each phase the hub is killed once a cluster, while it works on
 * that one or on another whose work was cut short before; only then has every cluster to come to its end.
 */
export async function playWave(world: AwsWorld, rounds: readonly Round[], { moves = false } = {}): Promise<void> {
  const { hub, ground } = world
  for (const phase of phases) {
    const byConfigMap = moves && phase === 'grant'
    for (const round of rounds) await cutShort(world, round, phase, byConfigMap)
    await eachComesTo(world, rounds, phase, byConfigMap)
    if (!byConfigMap) continue
    await hub.stop()
    ground.hub.cluster.authenticationMode = 'API_AND_CONFIG_MAP'
    hub.start(moving)
    await converges(world, 'the hub is killed while it moves', () => assert.deepEqual(hub.ahead, []))
    await eachComesTo(world, rounds, 'again', false)
  }
}

/** One cluster enters the phase, and the hub is killed over it. */
async function cutShort(world: AwsWorld, { index, member }: Round, phase: Phase, byConfigMap: boolean): Promise<void> {
  const { hub } = world
  const kill = killOf(index, phase, { byConfigMap })
  // One that was just killed runs again and looks at everything: only for these two it has to be started anew.
  const isStopped = 'at' in kill || phase === 'drift'
  if (isStopped) await hub.stop()
  if (phase === 'drift') await changeByHand(world, member)
  if (phase === 'denial' || phase === 'deletion') attachByHand(world, member)
  const before = hub.killedAt.length
  const isKilled = 'call' in kill ? world.killAtCall(kill, member.role.name) : () => hub.killedAt.length > before
  if (isStopped) hub.start('at' in kill ? [kill.at] : [])
  const done = async () => {
    await enter(world, member, phase)
    await converges(world, 'the hub is killed', () => assert.ok(isKilled()))
  }
  await said(world, `${member.name}, ${phase}, ${JSON.stringify(kill)}`, done())
}

/** A hub that is down answers no webhook, which the API server tells as a failure of its own. */
async function enter({ kube, hub }: AwsWorld, member: Member, phase: Phase): Promise<void> {
  const clusters = kube.of(ManagedCluster.resource)
  const accept = (hubAcceptsClient: boolean) =>
    clusters.patch(member.name, { type: 'merge', body: { spec: { hubAcceptsClient } } })
  const acts: Record<Phase, () => Promise<unknown>> = {
    grant: async () => (await clusters.find(member.name)) ?? (await clusters.create(createOf(member))),
    drift: async () => {},
    denial: () => accept(false),
    again: () => accept(true),
    deletion: async () => (await clusters.find(member.name)) && (await clusters.delete(member.name)),
  }
  await eventually(
    `${member.name}: an admin has his say`,
    async () => {
      hub.check()
      await orNotYet(acts[phase])
      return true
    },
    patience,
  )
}

async function eachComesTo(
  world: AwsWorld,
  rounds: readonly Round[],
  phase: Phase,
  byConfigMap: boolean,
): Promise<void> {
  const isOver = phase === 'denial' || phase === 'deletion'
  for (const { member } of rounds) {
    const wanted: Standing = isOver ? nothing : granted(member, byConfigMap ? 'aws-auth' : 'access-entry')
    const settled = converges(world, 'it comes through', async () => {
      assert.deepEqual(await standingOf(world, member), wanted)
      if (!isOver) isAsItShould(world, member)
      if (phase === 'deletion') assert.equal(await world.kube.of(ManagedCluster.resource).find(member.name), undefined)
    })
    await said(world, `${member.name}, ${phase}`, settled)
  }
  await hasNoStrays(world)
}

/** Every role that the hub made belongs to a cluster which has it on record, and every access entry to such a role. */
export async function hasNoStrays({ kube, ground, contradictions }: AwsWorld): Promise<void> {
  const clusters = (await kube.of(ManagedCluster.resource).list()).items
  const onRecord = clusters.map(({ metadata }) => metadata.annotations?.['lanyard.io/aws-role']?.split(':')[0] ?? '')
  const roles = ground.hubSide.roles().filter(({ name }) => name.startsWith('ocm-hub-'))
  assert.deepEqual(
    roles.map(({ name }) => name).filter((name) => !onRecord.includes(name)),
    [],
  )
  const arns = roles.map(({ arn }) => arn)
  const entries = ground.hub.cluster.accessEntries().map(({ principalArn }) => principalArn)
  assert.deepEqual(
    entries.filter((arn) => !arns.includes(arn)),
    [],
  )
  assert.deepEqual(contradictions, [])
}

/** All that can be changed while the role is there. */
async function changeByHand({ ground }: AwsWorld, { role }: Member): Promise<void> {
  const iam = ground.iam(ground.hubSide)
  const eks = new EKSClient({ region, endpoint: ground.aws.url, credentials: ground.hubSide.admin })
  const anybody = {
    Effect: 'Allow',
    Principal: { AWS: `arn:aws:iam::${ground.hubSide.id}:root` },
    Action: 'sts:AssumeRole',
  }
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [anybody] })
  const RoleName = role.name
  await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument }))
  await iam.send(new TagRoleCommand({ RoleName, Tags: [{ Key: 'team', Value: 'red' }] }))
  await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'ocm-hub-access' }))
  const entry = ground.hub.cluster.accessEntries().find(({ principalArn }) => principalArn === role.arn)
  const of = { clusterName: ground.hub.cluster.name, principalArn: role.arn }
  await eks.send(new UpdateAccessEntryCommand({ ...of, username: 'x', kubernetesGroups: ['x'] }))
  await eks.send(new TagResourceCommand({ resourceArn: entry?.arn ?? '', tags: { team: 'red' } }))
  eks.destroy()
}

const attachByHand = ({ ground }: AwsWorld, { role }: Member): void =>
  ground.hubSide.attach(role.name, 'arn:aws:iam::aws:policy/ReadOnlyAccess')

async function converges({ hub, contradictions }: AwsWorld, what: string, probe: () => unknown): Promise<void> {
  await eventually(
    what,
    async () => {
      hub.check()
      assert.deepEqual(contradictions, [])
      await orNotYet(async () => await probe())
      return true
    },
    patience,
  )
}

async function orNotYet<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if ((error instanceof KubeFailure && error.code >= 500) || isFailure(error)) assert.fail(error.message)
    throw error
  }
}

async function said({ hub }: AwsWorld, where: string, done: Promise<void>): Promise<void> {
  try {
    await done
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : ''
    throw new Error(`${where}: ${why}\n--- the hub said last:\n${hub.tail()}`, { cause })
  }
}
