import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { isFailure } from '../core/failure.ts'
import { systemRandom } from '../core/random.ts'
import type { Step } from '../core/step.ts'
import { failures } from '../registration/operations/failures.ts'
import type { Called } from './called.ts'
import { explain } from './explain.ts'
import type { CommandDeps, Hub } from './open-hub.ts'
import { progressOn, silentProgress } from './progress.ts'
import { loadSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

/** The hub of a command, with what every command gets. */
export async function withHub(
  command: Command,
  stop: Stop,
  act: (hub: Hub, deps: CommandDeps) => Promise<void>,
): Promise<void> {
  const { settings, log } = await loadSettings(command)
  const deps: CommandDeps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const { openHub } = await import('./open-hub.ts')
  const hub = await openHub(settings, deps)
  await using _client = hub.client
  await act(hub, deps)
}

export interface Operation {
  /** Past participle, for the sentence that tells of failures: `accepted`. */
  done: string
  output: 'table' | 'json'
  signal: AbortSignal
  called: Called
}

/** Does the same to several clusters, one after the other. One that fails does not keep the others from their turn. */
export async function operateOnEach(
  names: readonly string[],
  steps: (name: string) => AsyncIterable<Step>,
  { done, output, signal, called }: Operation,
): Promise<void> {
  const progress = output === 'json' ? silentProgress : progressOn(process.stdout, called)
  const results: { cluster: string; ok: boolean; steps: Step[]; error?: { code?: string; message: string } }[] = []
  const problems: unknown[] = []
  for (const cluster of names) {
    const taken: Step[] = []
    try {
      for await (const step of steps(cluster)) {
        progress.show(step)
        if ('did' in step) taken.push(step)
      }
      results.push({ cluster, ok: true, steps: taken })
    } catch (error) {
      signal.throwIfAborted()
      progress.fail()
      problems.push(error)
      const message = error instanceof Error ? error.message : String(error)
      results.push({
        cluster,
        ok: false,
        steps: taken,
        error: { ...(isFailure(error) && { code: error.code }), message },
      })
      if (names.length > 1) process.stderr.write(`${explain(error, called)}\n`)
    }
  }
  if (output === 'json') process.stdout.write(`${JSON.stringify(results, null, 2)}\n`)
  if (problems.length === 0) return
  if (names.length === 1) throw problems[0]
  throw failures.OPERATION_PARTLY_FAILED({ failed: problems.length, total: names.length, done })
}

/** The clusters a person names: as arguments, or in lists with commas as the field's tools take them. */
export function clusterNames(names: readonly string[], lists: readonly (string | undefined)[] = []): string[] {
  const listed = lists.flatMap((list) => list?.split(',') ?? []).map((name) => name.trim())
  return [...new Set([...names, ...listed])].filter((name) => name !== '')
}
