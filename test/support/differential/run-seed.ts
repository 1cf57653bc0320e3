import { launchEmbedded } from '../control-plane/embedded.ts'
import { launchKube } from '../control-plane/kube.ts'
import { generate } from './generate.ts'
import { kinds } from './kinds/all.ts'
import { knownDifferences } from './known.ts'
import { Plane } from './plane.ts'
import type { Request } from './request.ts'
import type { Pair, RunResult } from './run.ts'
import { run } from './run.ts'
import { prepare } from './scene.ts'

export interface SeedRun {
  readonly seed: number
  readonly count: number
  readonly maxFindings?: number
  /** Only requests about objects whose path holds this. */
  readonly only?: string
  readonly plurals?: readonly string[]
  /** What Node runs as the embedded one. Default: the sources. */
  readonly program?: readonly string[]
}

/**
 * One sequence on two fresh planes. Controllers are off on both: what they write comes in its own time, so that two
 * runs of the same server would differ. Their work has tests of its own.
 */
export async function runSeed({ seed, count, maxFindings = 1, only, plurals, program }: SeedRun): Promise<RunResult> {
  await using embedded = await launchEmbedded({ controllers: false }, program)
  await using real = await launchKube({ controllers: false }, process.env)
  const planes: Pair<Plane> = { embedded: new Plane(embedded), real: new Plane(real) }
  await prepare(planes)
  const chosen = plurals ? kinds.filter(({ plural }) => plurals.includes(plural)) : kinds
  const requests = generate(seed, chosen)
    .take(count)
    .filter(({ about }) => only === undefined || about.includes(only))
  try {
    return await run({ planes, requests: requests as Iterable<Request>, known: knownDifferences, maxFindings })
  } finally {
    planes.embedded.close()
    planes.real.close()
  }
}
