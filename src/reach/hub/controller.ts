import type { ClusterConfig } from '../../apis/breakglass/cluster-config.ts'
import { isTrue } from '../../core/conditions.ts'
import type { Outcome } from '../../core/outcome.ts'
import { done, requeueAfter } from '../../core/outcome.ts'
import type { Note } from '../../fleet/spoke/index.ts'
import { spokeAnnotations, spokeConditions } from '../../fleet/spoke/names.ts'
import type { Controller } from '../../kube/controller.ts'
import { controller } from '../../kube/controller.ts'
import type { Key, Stored } from '../../kube/objects.ts'
import { keyOf } from '../../kube/objects.ts'
import type { CheckResult } from './check.ts'
import { checkCluster } from './check.ts'
import type { ReachHubDeps } from './deps.ts'
import { recordWhatHappened } from './events.ts'
import { reachMetrics } from './metrics.ts'
import { hasAllRights, nextLookMs } from './next-look.ts'
import type { ReachPasses } from './passes.ts'
import { Starts } from './starts.ts'
import type { Status } from './status-of.ts'
import { conditionsOf, statusOf } from './status-of.ts'
import { unknownStatus } from './unknown-status.ts'
import { throttling, watchesOf } from './watches.ts'
import type { Written } from './write-status.ts'
import { writeStatus } from './write-status.ts'

/** So many looks under way: one at a cluster that hangs waits for its deadline and holds up nobody. */
const workers = 1_024
/** See there. Sixty-four handshakes are what a core does in a moment. */
const starting = { most: 64, heldMs: 250 }
/** How often in a row a look may come to nothing before that is what is told. */
const mostInVain = 3

/** No object has it. */
const unknownVersion = ''

/** Nothing that a restart would have to know. */
interface Memory {
  /** What failed last, and how often in a row before. */
  trouble?: { readonly sign: string; readonly times: number }
  /** Notes that were told. */
  readonly told: Set<string>
  /** What this process decided last, and what came of the last write: what is watched may be older. */
  status?: Status
  version?: string | undefined
}

/** Keeps the status of every ClusterConfig true: at once when something it depends on changes, and now and then. */
export function statusController(deps: ReachHubDeps, passes: ReachPasses): Controller {
  const { view, spokes, clock, checkpoint } = deps
  const memories = new Map<Key, Memory>()
  const counts = reachMetrics(deps)
  const starts = new Starts(clock, starting)

  async function reconcile(key: Key, attempt: number, signal: AbortSignal): Promise<Outcome> {
    using _ = await starts.begin(signal)
    const config = view.configs.get(key)
    if (!config || config.metadata.deletionTimestamp) return forget(key)
    // Who asks for a look at what does not work wants to know how it is now, not how it was.
    if (isAsked(config) && !isTrue(conditionsOf(config), spokeConditions.ready)) spokes.forget(config.metadata.name)
    const result = await timed(() => checkCluster(config, deps, signal)).catch(async (error: unknown) => {
      if (attempt + 1 >= mostInVain && !signal.aborted)
        await write(config, (found) => unknownStatus(found, error, clock.now()), signal)
      throw error
    })
    checkpoint('reach.checked')
    const latest = view.configs.get(key)
    // Another one by now, and queued as such.
    if (!latest || !isSameObject(latest, config)) return done
    const written = await write(latest, (found) => statusOf(found, result, clock.now()), signal)
    if (!written) return done
    checkpoint('reach.reported')
    const memory = memoryOf(key)
    recordWhatHappened(deps.events, written, newNotes(memory, result.notes))
    passes.seen(config, result)
    const times = countTrouble(memory, config, result)
    const { random } = deps
    return requeueAfter(
      nextLookMs({ key, result, attempt: times, now: clock.now(), settings: deps.settings(), random }),
    )
  }

  /** Remembers what is decided before it is written: of what happens meanwhile it does not speak. */
  async function write(
    seen: Stored<ClusterConfig>,
    decide: (config: Stored<ClusterConfig>) => Status,
    signal: AbortSignal,
  ): Promise<Written | undefined> {
    const memory = memoryOf(keyOf(seen))
    const remembered = (config: Stored<ClusterConfig>) => {
      memory.status = decide(config)
      return memory.status
    }
    const { version } = memory
    // Where its answer is lost nobody knows whether it was written: then no version is believed to be the last.
    memory.version = unknownVersion
    const written = await writeStatus(deps.kube, seen, remembered, { signal, version })
    memory.version = written?.version
    return written
  }

  /** Whether it is told, or about to be: a watch that hangs would have each 429 of a look be the reason for the next look. */
  function isToldThrottled(config: Stored<ClusterConfig>): boolean {
    const status = memories.get(keyOf(config))?.status ?? config.status ?? {}
    return isTrue(conditionsOf({ status }), spokeConditions.throttled)
  }

  function forget(key: Key): Outcome {
    memories.delete(key)
    passes.gone(key)
    return done
  }

  async function timed(check: () => Promise<CheckResult>): Promise<CheckResult> {
    const startedAt = clock.now().getTime()
    try {
      const result = await check()
      counts.checked(result, (clock.now().getTime() - startedAt) / 1_000)
      return result
    } catch (error) {
      counts.failed()
      throw error
    }
  }

  function memoryOf(key: Key): Memory {
    const memory = memories.get(key) ?? { told: new Set() }
    memories.set(key, memory)
    return memory
  }

  return controller('reach-status', (key, { attempt, signal }) => reconcile(key, attempt, signal), {
    ...deps,
    workers,
    // Of the writing: a look has its own deadline, which people may set.
    deadlineMs: 300_000,
    watches: [...watchesOf(view), throttling(view, spokes, isToldThrottled)],
  })
}

const isAsked = ({ metadata, status }: Stored<ClusterConfig>): boolean => {
  const asked = metadata.annotations?.[spokeAnnotations.checkRequestedAt]
  return asked !== undefined && asked !== status?.answeredCheck
}

const isSameObject = (a: Stored<ClusterConfig>, b: Stored<ClusterConfig>): boolean =>
  a.metadata.uid === b.metadata.uid && a.metadata.generation === b.metadata.generation

function newNotes({ told }: Memory, notes: readonly Note[]): Note[] {
  const fresh = notes.filter((note) => !told.has(JSON.stringify(note)))
  for (const note of fresh) told.add(JSON.stringify(note))
  return fresh
}

/** How often the same has failed before. What fails otherwise than before is looked at again soon. */
function countTrouble(memory: Memory, { metadata }: Stored<ClusterConfig>, result: CheckResult): number {
  const { trouble } = memory
  if (result.failure?.pausedMs !== undefined) return trouble?.times ?? 0
  if (!result.failure && hasAllRights(result)) {
    delete memory.trouble
    return 0
  }
  const sign = `${metadata.generation} ${result.failure?.reason}`
  const times = trouble?.sign === sign ? trouble.times + 1 : 0
  memory.trouble = { sign, times }
  return times
}
