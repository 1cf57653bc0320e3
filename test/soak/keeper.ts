// A process to be killed: keeps a pass of a few hundred milliseconds fresh in a file, asking a desk over HTTP.
// usage: node keeper.ts DESK_URL FILE
import { createHash, randomUUID } from 'node:crypto'
import { after, systemClock } from '../../src/core/clock.ts'
import { fileKeep, secretCodec } from '../../src/core/file-keep.ts'
import { keepFresh } from '../../src/core/keep-fresh.ts'
import { silentLog } from '../../src/core/log.ts'
import type { Issuance } from '../../src/core/pass.ts'
import { systemRandom } from '../../src/core/random.ts'
import { reasons } from '../../src/core/reasons.ts'
import { isDue, isExpired } from '../../src/core/renewal.ts'
import { Secret } from '../../src/core/secret.ts'

const [desk, path] = process.argv.slice(2) as [string, string]
const lifeMs = 60

const issuance: Issuance<Secret> = {
  async next(now, kept, pending) {
    if (!pending) {
      if (kept && !isDue(kept.pass, now) && !isExpired(kept.pass, now)) return { step: 'granted', ...kept }
      return { step: 'waiting', for: reasons.AwaitingIssuer, pending: { name: randomUUID(), createdAt: now } }
    }
    const answer = await fetch(`${desk}/${pending.name}`, { method: 'POST' })
    const token = await answer.text()
    const pass = {
      id: 'check/keeper',
      kind: 'check' as const,
      holder: 'keeper',
      issuer: 'desk',
      issuedAt: now,
      expiresAt: after(now, lifeMs),
      keptIn: path,
      fingerprint: createHash('sha256').update(token).digest('hex'),
      state: reasons.PassIssued,
    }
    return { step: 'granted', pass, material: Secret.of(token) }
  },
}

const loop = keepFresh({
  issuance,
  keep: fileKeep(path, secretCodec),
  report: ({ state, pass }) => void process.stdout.write(`${state} ${pass?.fingerprint}\n`),
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
})
await loop.run(new AbortController().signal)
