import { setTimeout as sleep } from 'node:timers/promises'
import type { Contestant, Plane } from './planes.ts'
import type { Life, Living } from './steps.ts'
import { steps } from './steps.ts'
import { cpuMsOf } from './usage.ts'

/**
 * The lives of both, step by step in turn: minutes apart, what else the machine does would decide. The one whose turn
 * it is not has nothing to do; what it does all the same, the other suffers.
 */
export async function liveTogether<N extends string>(
  contestants: Record<N, Contestant>,
  living: Living,
  round: number,
): Promise<Record<N, Life>> {
  await using stack = new AsyncDisposableStack()
  const sides: { name: N; plane: Plane; life: Life }[] = []
  for (const name of Object.keys(contestants) as N[])
    sides.push({ name, plane: stack.use(await contestants[name].launch()), life: {} })
  for (const [index, step] of steps.entries()) {
    if (!step.for.some(living.wants)) continue
    living.say(`round ${round + 1} of ${living.scale.rounds}: ${step.what}`)
    // The first to go changes: it may find caches colder.
    for (const { plane, life } of (index + round) % 2 === 0 ? sides : sides.toReversed()) {
      for (const side of sides) await untilCalm(side.plane)
      Object.assign(life, await step.measure(plane, living))
    }
  }
  return Object.fromEntries(sides.map(({ name, life }) => [name, life])) as Record<N, Life>
}

const calmWithinMs = 30_000

/** After a start or a load a control plane is busy with itself for a while: what it does then is not to be measured. */
async function untilCalm({ pids }: Plane): Promise<void> {
  const giveUpAt = performance.now() + calmWithinMs
  for (let isCalm = false; !isCalm && performance.now() < giveUpAt; ) {
    const before = cpuMsOf(pids)
    await sleep(500)
    isCalm = cpuMsOf(pids) - before <= 50
  }
}
