/** The hub is killed between any two of its calls to AWS, from the acceptance of a cluster on EKS to its deletion. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster } from '../../src/apis/cluster/managed-cluster.ts'
import { checkpointNames } from '../../src/core/checkpoint.ts'
import { needsControlPlane } from '../support/control-plane.ts'
import { eventually } from '../support/eventually.ts'
import { roundsForAll } from './aws-plan.ts'
import { hasNoStrays, playWave } from './aws-wave.ts'
import { awsWorld, createOf, foreignMapRoles, granted, mapRolesOf, nothing, standingOf } from './aws-world.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
/** Clusters that are there at the same time. */
const waveOf = 10
const patience = { withinMs: 120_000, everyMs: 50 }

test(
  `hub killed between any two calls to AWS, ${rounds} rounds: every role has an owner on record, none is doubled, none is left`,
  needsControlPlane,
  async (t) => {
    const world = await awsWorld(t)
    const { kube, hub, ground } = world
    const clusters = kube.of(ManagedCluster.resource)
    // One that stays while others come and go: what is done for them must not touch it.
    const bystander = await world.member('bystander')
    hub.start([])
    await eventually(
      'the hub takes a cluster',
      () => clusters.create(createOf(bystander)).catch(() => undefined),
      patience,
    )
    await eventually(
      'it is granted',
      async () => assert.deepEqual(await standingOf(world, bystander), granted(bystander, 'aws-auth')) ?? true,
      patience,
    )
    await hub.end()

    for (let first = 0; first < rounds; first += waveOf) {
      const indexes = Array.from({ length: Math.min(waveOf, rounds - first) }, (_, offset) => first + offset)
      const wave = []
      for (const index of indexes) wave.push({ index, member: await world.member(`soak-${index + 1}`) })
      const startedAt = performance.now()
      await playWave(world, wave, { moves: first === 0 })
      t.diagnostic(
        `rounds ${first + 1} to ${first + wave.length}: ${Math.round((performance.now() - startedAt) / 1000)} s`,
      )
      assert.deepEqual(await standingOf(world, bystander), granted(bystander, 'access-entry'))
    }

    const kills = new Map<string, number>()
    for (const name of hub.killedAt) kills.set(name, (kills.get(name) ?? 0) + 1)
    for (const [name, times] of [...kills].sort()) t.diagnostic(`${name}: killed ${times} times`)
    t.diagnostic(`${ground.aws.calls.length} calls to AWS`)
    if (rounds >= roundsForAll)
      assert.deepEqual([...kills.keys()].sort(), checkpointNames.filter((name) => name.startsWith('aws.')).toSorted())

    await clusters.delete('bystander')
    await eventually(
      'nothing is left',
      async () => assert.deepEqual(await standingOf(world, bystander), nothing) ?? true,
      patience,
    )
    await hasNoStrays(world)
    assert.deepEqual(ground.hub.cluster.accessEntries(), [])
    assert.equal(await mapRolesOf(kube), foreignMapRoles, 'what others wrote is kept byte for byte')
  },
)
