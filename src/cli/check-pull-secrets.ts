import { mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sleep } from '../core/clock.ts'
import type { Failure } from '../core/failure.ts'
import type { Step } from '../core/step.ts'
import { failures } from '../demo/failures.ts'
import type { CommandDeps } from './open-hub.ts'
import type { OwnPullSecrets } from './own-pull-secrets.ts'
import { ownPullSecrets } from './own-pull-secrets.ts'
import { isRunning } from './process-alive.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'
import type { PullSecretItem, RotationItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'

const cluster = 'lanyard-check'
const patienceMs = 60_000
const seconds = patienceMs / 1_000
const lookMs = 100

/** A pull secret is issued, rotated and revoked, by the whole service, with registries that are made up. */
export async function* checkPullSecrets(
  data: string,
  config: PullSecretsConfig,
  deps: CommandDeps,
): AsyncGenerator<Step> {
  const folder = await ownFolder(data)
  const over = new AbortController()
  const signal = AbortSignal.any([deps.signal, over.signal])
  const ready = Promise.withResolvers<OwnPullSecrets>()
  yield { doing: 'starting the pull secret service, with a PostgreSQL of its own' }
  const service = ownPullSecrets({ data: folder, config, show: () => {}, onReady: ready.resolve }, deps)(signal)
  const inTime = async <T>(what: Promise<T>, late: () => Failure): Promise<T> => {
    const tooLate = Promise.withResolvers<never>()
    using _late = deps.clock.countdown(patienceMs, () => tooLate.reject(late()))
    const ended = service.then(() => Promise.reject(deps.signal.reason as Error))
    ended.catch(() => {})
    return await Promise.race([what, ended, tooLate.promise])
  }
  try {
    const { client, registries } = await inTime(ready.promise, () =>
      failures.CHECK_PULL_LATE({ what: 'ready', seconds }),
    )
    yield { did: 'the pull secret service is ready', detail: client.server }

    yield { doing: 'asking for a pull secret' }
    const body = { cloud_provider: 'gcp', region: 'us-east1' }
    const first = (await client.call<PullSecretItem>('POST', clusterPath(cluster), { body })).body
    expect(areLive(first, registries), 'the registries refuse it')
    yield {
      did: 'a pull secret is issued',
      detail: `${Object.keys(first.pull_secret.auths).length} registries let it in`,
    }

    yield { doing: 'rotating it' }
    const asked = { reason: 'compromise', force_immediate: true }
    const rotation = (await client.call<RotationItem>('POST', `${clusterPath(cluster)}/rotations`, { body: asked }))
      .body
    const completed = async () => {
      while (!signal.aborted) {
        const { body: seen } = await client.call<RotationItem>(
          'GET',
          `${clusterPath(cluster)}/rotations/${rotation.id}`,
        )
        if (seen.status === 'completed') return
        await sleep(deps.clock, lookMs, signal)
      }
    }
    await inTime(completed(), () => failures.CHECK_PULL_LATE({ what: 'rotated', seconds }))
    const second = (await client.call<PullSecretItem>('GET', clusterPath(cluster))).body
    expect(
      areLive(second, registries) && areDead(first, registries),
      'the old one is still let in, or the new one is not',
    )
    yield { did: 'it is rotated', detail: 'the new one is let in, the old one no more' }

    yield { doing: 'revoking it' }
    await client.call('DELETE', clusterPath(cluster))
    expect(areDead(second, registries), 'it is still let in')
    const left = registries.quay.accounts().length + registries.redhat.accounts().length
    expect(left === 0, `${left} accounts are left at the registries`)
    yield { did: 'it is revoked', detail: 'no account is left at a registry' }
  } finally {
    over.abort()
    await service.catch(() => {})
    await rm(folder, { recursive: true, force: true })
  }
  deps.signal.throwIfAborted()
}

function expect(isSo: boolean, flaw: string): void {
  if (!isSo) throw failures.CHECK_PULL_UNSOUND({ flaw })
}

type Registries = OwnPullSecrets['registries']

const verdicts = ({ pull_secret: { auths } }: PullSecretItem, { quay, redhat }: Registries): boolean[] =>
  Object.values(auths).map(({ auth }) => {
    const text = Buffer.from(auth, 'base64').toString()
    const at = text.indexOf(':')
    const pair = [text.slice(0, at), text.slice(at + 1)] as const
    return quay.logsIn(...pair) || redhat.logsIn(...pair)
  })

const areLive = (secret: PullSecretItem, registries: Registries): boolean =>
  verdicts(secret, registries).every((isLive) => isLive)
const areDead = (secret: PullSecretItem, registries: Registries): boolean =>
  verdicts(secret, registries).every((isLive) => !isLive)

/**
 * One for this process, once those that killed checks left behind are gone. As root PostgreSQL runs as somebody who
 * does not pass through the folders of root.
 */
async function ownFolder(data: string): Promise<string> {
  const place = process.getuid?.() === 0 ? tmpdir() : data
  for (const entry of await readdir(place)) {
    const [, pid] = /^lanyard-check-(\d+)$/.exec(entry) ?? []
    if (pid && !isRunning(Number(pid))) await rm(join(place, entry), { recursive: true, force: true }).catch(() => {})
  }
  const folder = join(place, `lanyard-check-${process.pid}`)
  await mkdir(folder, { mode: 0o700 })
  return folder
}
