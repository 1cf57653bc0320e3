/** Harbor tells a secret once, Nexus never: whatever dies at whichever place, no account is left that nobody knows of. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import type { CheckpointName } from '../../../src/core/checkpoint.ts'
import { checkpointNames } from '../../../src/core/checkpoint.ts'
import type { StandIn } from '../../../src/demo/registries/index.ts'
import { startHarbor, startNexus } from '../../../src/demo/registries/index.ts'
import type { RegistryConfig } from '../../../src/pull-secrets/registries/config.ts'
import type { Pod } from '../../support/pull-secret-scene.ts'
import { clusterC, loginOf, pullSecretScene, tester } from '../../support/pull-secret-scene.ts'
import { teardown } from '../../support/test-scope.ts'

const host = 'private.example.com'

const kinds: Record<
  string,
  { start(): Promise<StandIn>; entry: Pick<RegistryConfig, 'type'> & Partial<RegistryConfig> }
> = {
  Harbor: {
    start: () => startHarbor({ project: 'images' }),
    entry: { type: 'Harbor', project: 'images', durationDays: 30 },
  },
  Nexus: { start: () => startNexus({ roles: ['pull'] }), entry: { type: 'Nexus', roles: ['pull'] } },
}

async function privateScene(t: TestContext, kind: string) {
  const { start, entry } = kinds[kind] ?? {}
  assert.ok(start && entry)
  const standIn = await start()
  teardown(t, async () => await standIn[Symbol.asyncDispose]())
  const registry: RegistryConfig = {
    id: 'private',
    url: host,
    apiBaseUrl: standIn.url,
    loginUrl: `http://${standIn.host}/v2/auth`,
    rate: { rps: 10_000, burst: 10_000 },
    ...entry,
  }
  return { ...(await pullSecretScene(t, { registries: () => [registry] })), standIn }
}

type Scene = Awaited<ReturnType<typeof privateScene>>

/** The life of a cluster's credential, from the first document to the last. */
const life: ((pod: Pod, clusterId: string) => Promise<unknown>)[] = [
  ({ service }, id) => service.issuing.generate({ cluster: { ...clusterC, id } }, tester),
  async ({ service, tick }, clusterId) => {
    const { rotation } = await service.rotating.request({ clusterId, reason: 'manual' }, tester)
    await tick('rotation')
    await service.rotating.confirm(clusterId, rotation.id, tester)
    await tick('rotation')
  },
  ({ service }, id) => service.ending.suspend(id, 'unpaid', tester),
  ({ service }, id) => service.ending.resume(id, 'paid', tester),
  ({ service }, id) => service.ending.remove(id, tester),
]

/** What a process that lives on does by itself. */
async function settles(scene: Scene): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await scene.clock.advance('10m')
    for (const loop of ['sweep', 'rotation', 'expiry'] as const) await scene.tick(loop)
  }
}

async function strangers({ database, standIn }: Scene): Promise<string[]> {
  const rows = await database.db.selectFrom('registry_credentials').select('external_name').execute()
  const known = new Set(rows.map(({ external_name }) => external_name))
  return standIn.accounts().flatMap(({ name }) => (known.has(name) ? [] : [name]))
}

async function endsClean(scene: Scene, clusterIds: readonly string[]): Promise<void> {
  assert.deepEqual(await strangers(scene), [])
  for (const id of clusterIds) await scene.service.ending.remove(id, tester)
  await settles(scene)
  assert.deepEqual(scene.standIn.accounts(), [])
  assert.deepEqual(await scene.database.db.selectFrom('registry_credentials').select('id').execute(), [])
}

/** A process that does not get past a place. */
async function mortal(scene: Scene) {
  let deadly: CheckpointName | undefined
  const pod = await scene.pod({
    checkpoint: (name) => {
      if (name !== deadly) return
      deadly = undefined
      throw new Error('killed')
    },
  })
  return {
    /** Whether it came by the place at all. */
    async livesUntil(place: CheckpointName, clusterId: string): Promise<boolean> {
      deadly = place
      for (const step of life) {
        try {
          await step(pod, clusterId)
        } catch (error) {
          if (deadly !== undefined) throw error
        }
        if (deadly === undefined) return true
      }
      return false
    },
  }
}

const places = checkpointNames.filter((name) => name.startsWith('pull.'))
for (const kind of Object.keys(kinds)) {
  test(`P61c: a process that dies anywhere in the life of a credential at ${kind} leaves nothing behind`, async (t) => {
    const scene = await privateScene(t, kind)
    const pod = await mortal(scene)
    const [hit, clusterIds]: [string[], string[]] = [[], []]
    for (const place of places) {
      const clusterId = `killed-at-${place.replace('pull.', '')}`
      clusterIds.push(clusterId)
      if (await pod.livesUntil(place, clusterId)) hit.push(place)
    }
    for (const place of ['pull.intent-planned', 'pull.account-made', 'pull.account-removed', 'pull.row-removed'])
      assert.ok(hit.includes(place), place)
    await settles(scene)
    await endsClean(scene, clusterIds)
  })

  test(`P61d: answers of ${kind} that get lost, and calls that fail, leave nothing behind`, async (t) => {
    const scene = await privateScene(t, kind)
    const { standIn, service } = scene
    standIn.chaos = 0.3
    for (const step of life.slice(0, -1)) {
      await step(scene, clusterC.id).catch(() => {})
      await settles(scene)
    }
    standIn.heal()
    await settles(scene)
    await service.ending.resume(clusterC.id, 'paid', tester).catch(() => {})
    const { pullSecret } = await service.issuing.generate({ cluster: clusterC }, tester)
    assert.ok(standIn.logsIn(...loginOf(pullSecret, host)))
    await endsClean(scene, [clusterC.id])
  })
}
