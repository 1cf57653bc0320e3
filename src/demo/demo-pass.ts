import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { fileKeep } from '../core/file-keep.ts'
import { keepFresh } from '../core/keep-fresh.ts'
import type { Run } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import type { Random } from '../core/random.ts'
import type { Step } from '../core/step.ts'
import { certifiedKeyCodec, deskIssuance, openPassDesk } from './pass-desk.ts'

export interface DemoPassDeps {
  clock: Clock
  random: Random
  log: Log
  folder: string
  show(step: Step): void
}

const lifeMs = 3_600_000
const holder = 'lanyard-demo'

/** Keeps one certificate of the demo authority fresh in a file, and says so at each change. */
export const keepDemoPass =
  ({ folder, show, ...deps }: DemoPassDeps): Run =>
  async (signal) => {
    const path = join(folder, 'demo-pass.json')
    const desk = await openPassDesk({ clock: deps.clock, lifeMs, authorityPath: join(folder, 'demo-authority.json') })
    await desk.ensure(holder)
    let shown: string | undefined
    const loop = keepFresh({
      ...deps,
      issuance: deskIssuance(desk, holder, path),
      keep: fileKeep(path, certifiedKeyCodec),
      report({ pass, nextAt }) {
        if (!pass || pass.fingerprint === shown) return
        const action = shown ? 'the demo pass was renewed' : 'a demo pass is kept fresh'
        shown = pass.fingerprint
        show({ did: action, detail: `${path}, next renewal ${nextAt?.toISOString() ?? 'never'}` })
      },
    })
    await loop.run(signal)
  }
