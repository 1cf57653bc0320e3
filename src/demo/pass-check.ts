import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../core/clock.ts'
import { fileKeep } from '../core/file-keep.ts'
import type { Report } from '../core/keep-fresh.ts'
import { keepFresh } from '../core/keep-fresh.ts'
import type { Log } from '../core/log.ts'
import type { Pass } from '../core/pass.ts'
import type { Random } from '../core/random.ts'
import { reasons } from '../core/reasons.ts'
import type { Step } from '../core/step.ts'
import { keyMatches, whyUntrusted } from '../pki/index.ts'
import { failures } from './failures.ts'
import { certifiedKeyCodec, deskIssuance, openPassDesk } from './pass-desk.ts'

export interface PassCheckDeps {
  clock: Clock
  random: Random
  log: Log
  /** A folder of its own; emptied at the end. */
  folder: string
  signal: AbortSignal
}

const holder = 'lanyard-check'
const lifeMs = 3_000
/** Longer than a whole life: whatever has not happened by then will not. */
const patienceMs = 15_000

/** Issues a short-lived certificate, sees it renewed and revokes it, all through the keep-fresh loop and a real file. */
export async function* checkPass(deps: PassCheckDeps): AsyncGenerator<Step> {
  const path = join(deps.folder, 'pass.json')
  const desk = await openPassDesk({ clock: deps.clock, lifeMs, authorityPath: join(deps.folder, 'authority.json') })
  const keep = fileKeep(path, certifiedKeyCodec)
  const reports = new ReportQueue()
  const loop = keepFresh({
    issuance: deskIssuance(desk, holder, path),
    keep,
    report: (report) => reports.put(report),
    window: { from: 0.4, to: 0.5 },
    ...deps,
  })
  const stop = new AbortController()
  await desk.ensure(holder)
  const running = loop.run(AbortSignal.any([deps.signal, stop.signal]))
  const until = (isIt: (report: Report) => boolean, what: string) => reports.until(isIt, what, deps)
  const isGrant = (report: Report) => report.state === reasons.PassIssued
  try {
    yield { doing: 'asking for a pass' }
    const first = (await until(isGrant, 'issued')).pass as Pass
    const { kept } = await keep.load()
    // As of its issue: a machine that stalls for the whole of so short a life has not been given a bad one.
    const flaw = kept && whyUntrusted(kept.material.certPem, desk.caPem, kept.pass.issuedAt, { usage: 'client' })
    if (!kept || flaw || !keyMatches(kept.material.certPem, kept.material.keyPem)) {
      throw failures.CHECK_PASS_UNSOUND({ flaw: flaw ?? 'key and certificate do not belong together' })
    }
    yield { did: 'a pass was issued and stored', detail: `SHA-256 ${short(first)}` }

    yield { doing: `waiting for its renewal, due within ${lifeMs / 1_000} s` }
    const second = (await until((r) => isGrant(r) && r.pass?.fingerprint !== first.fingerprint, 'renewed')).pass as Pass
    yield { did: 'it was renewed before it ran out', detail: `SHA-256 ${short(second)}` }

    yield { doing: 'revoking it' }
    await desk.revoke(holder)
    await until((report) => report.state === reasons.PassRevoked, 'revoked')
    yield { did: 'it was revoked', detail: 'the issuer gives this holder nothing any more' }
  } finally {
    stop.abort()
    await running
    await rm(deps.folder, { recursive: true, force: true })
  }
}

const short = (pass: Pass): string => pass.fingerprint.slice(0, 23)

/** Reports in order, taken out by whoever waits for one of a kind. */
class ReportQueue {
  #reports: Report[] = []
  #arrived = Promise.withResolvers<void>()

  put(report: Report): void {
    this.#reports.push(report)
    this.#arrived.resolve()
  }

  async until(isIt: (report: Report) => boolean, what: string, { clock, signal }: PassCheckDeps): Promise<Report> {
    const late = new AbortController()
    using _timer = clock.countdown(patienceMs, () =>
      late.abort(failures.CHECK_PASS_LATE({ what, seconds: patienceMs / 1_000 })),
    )
    const stopped = AbortSignal.any([signal, late.signal])
    for (;;) {
      stopped.throwIfAborted()
      const report = this.#reports.shift()
      if (report && isIt(report)) return report
      if (report) continue
      this.#arrived = Promise.withResolvers()
      await Promise.race([
        this.#arrived.promise,
        new Promise((resolve) => stopped.addEventListener('abort', resolve, { once: true })),
      ])
    }
  }
}
