/** `kill -9` of the embedded control plane under write load, again and again. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isFailure } from '../../src/core/failure.ts'
import { systemRandom } from '../../src/core/random.ts'
import { isConflict, KubeFailure } from '../../src/kube/failures.ts'
import { configMaps } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import { embeddedProgram } from '../support/control-plane/contract.ts'
import { launchEmbedded } from '../support/control-plane/embedded.ts'
import { eventually } from '../support/eventually.ts'
import { kubeClient } from '../support/kube-client.ts'
import { teardown } from '../support/test-scope.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
const writers = 8

/** What the server has said yes to, and what it may have done without saying so. */
interface Account {
  readonly name: string
  /** The highest count that was acknowledged, and the version it got. */
  acknowledged: number
  version: number
  /** Sent and not answered. */
  unknown: number | undefined
}

interface Ledger {
  readonly accounts: Account[]
  /** Every version that was ever acknowledged: none may come twice. */
  readonly versions: Set<number>
  highest: number
}

/** Counts up in one object until told to stop; what was not answered is remembered as unknown. */
async function count(kube: Kube, account: Account, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const maps = kube.of(configMaps, 'default')
  while (!signal.aborted) {
    const next = (account.unknown ?? account.acknowledged) + 1
    account.unknown = next
    try {
      const data = { count: String(next) }
      const { metadata } =
        next === 1
          ? await maps.create({ metadata: { name: account.name }, data }, { deadlineMs: 2_000 })
          : await maps.patch(account.name, { type: 'merge', body: { data } }, { deadlineMs: 2_000 })
      const version = Number(metadata.resourceVersion)
      assert.ok(!ledger.versions.has(version), `version ${version} was given twice`)
      ledger.versions.add(version)
      ledger.highest = Math.max(ledger.highest, version)
      account.acknowledged = next
      account.version = version
      account.unknown = undefined
    } catch (error) {
      if (error instanceof KubeFailure && !isConflict(error)) throw error
      if (!isFailure(error) && !isConflict(error)) throw error
      return
    }
  }
}

/** Every count of every object, in the order the server tells them; goes on from the last version it has seen. */
function follow(kube: Kube, signal: AbortSignal) {
  const seen = new Map<string, number[]>()
  const state = { version: '', lists: 0 }
  const run = async () => {
    while (!signal.aborted) {
      try {
        if (state.version === '') {
          state.version = (await kube.of(configMaps, 'default').list({ signal })).metadata.resourceVersion
          state.lists++
        }
        for await (const event of kube.of(configMaps, 'default').watch({ resourceVersion: state.version, signal })) {
          if (event.type === 'BOOKMARK') continue
          state.version = event.object.metadata.resourceVersion
          const { name } = event.object.metadata
          const counted = Number(event.object.data?.['count'])
          if (!Number.isNaN(counted)) seen.set(name, [...(seen.get(name) ?? []), counted])
        }
      } catch (error) {
        if (signal.aborted) return
        assert.ok(isFailure(error), String(error))
        await delay(20)
      }
    }
  }
  return { seen, state, run }
}

test(`E3: kill -9 under write load, ${rounds} rounds: nothing acknowledged is lost, no version is used twice, watchers miss nothing`, async (t) => {
  const plane = await launchEmbedded({})
  teardown(t, () => plane.stop())
  const kube = kubeClient(t, plane.connection(), { retries: 0 })
  const over = new AbortController()
  const follower = follow(kube, over.signal)
  const following = follower.run()
  await eventually('the follower is at work', () => follower.state.version !== '')
  const ledger: Ledger = {
    accounts: Array.from({ length: writers }, (_, i) => ({
      name: `counter-${i}`,
      acknowledged: 0,
      version: 0,
      unknown: undefined,
    })),
    versions: new Set(),
    highest: 0,
  }
  for (let round = 1; round <= rounds; round++) {
    const stop = new AbortController()
    const counting = ledger.accounts.map((account) => count(kube, account, ledger, stop.signal))
    await delay(50 + systemRandom.fraction() * 400)
    await plane.kill(embeddedProgram)
    stop.abort()
    await Promise.all(counting)
    await plane.start(embeddedProgram)
    for (const account of ledger.accounts) await settle(kube, account, ledger)
  }
  await eventually('the follower has seen the last', () =>
    ledger.accounts.every(({ name, acknowledged }) => (follower.seen.get(name)?.at(-1) ?? 0) >= acknowledged),
  )
  over.abort()
  await following
  assert.equal(follower.state.lists, 1, 'it never had to list again')
  for (const { name, acknowledged } of ledger.accounts)
    assert.deepEqual(
      follower.seen.get(name),
      Array.from({ length: acknowledged }, (_, i) => i + 1),
      `${name}, every count once and in order`,
    )
  t.diagnostic(`${ledger.versions.size} acknowledged writes in ${rounds} rounds`)
})

/** What is there is what was acknowledged, or the one write that got no answer. */
async function settle(kube: Kube, account: Account, ledger: Ledger): Promise<void> {
  const found = await kube.of(configMaps, 'default').find(account.name)
  const counted = Number(found?.data?.['count'] ?? 0)
  const possible = [account.acknowledged, ...(account.unknown === undefined ? [] : [account.unknown])]
  assert.ok(possible.includes(counted), `${account.name} is ${counted} and should be one of ${possible}`)
  const version = Number(found?.metadata.resourceVersion ?? 0)
  if (counted === account.acknowledged) assert.equal(version, account.version)
  else assert.ok(version > account.version)
  account.acknowledged = counted
  account.version = version
  account.unknown = undefined
  ledger.versions.add(version)
}
