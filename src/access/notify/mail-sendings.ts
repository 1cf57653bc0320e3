import { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import { rfc3339 } from '../../core/conditions.ts'
import type { Run } from '../../core/lifecycle.ts'
import type { Log } from '../../core/log.ts'
import { wakeUp } from '../../core/wake-up.ts'
import { isNotFound } from '../../kube/failures.ts'
import type { Kube } from '../../kube/kube.ts'
import type { Stored } from '../../kube/objects.ts'

export interface MailSendings {
  readonly run: Run
  /** A mail was handed over or, with an error, was not taken. */
  note(provider: Stored<MailProvider>, error?: string): void
}

const atMostEveryMs = 5_000
/** Applied on its own: how the server stands is told by another. */
const fieldManager = 'lanyard-mail-sending'

/** Tells in the status of MailProviders what became of the last mail. Many mails are one write. */
export function mailSendings({ kube, clock, log }: { kube: Kube; clock: Clock; log: Log }): MailSendings {
  const news = new Map<string, { uid: string; at: Date; error: string }>()
  const wake = wakeUp(clock)

  async function write(signal: AbortSignal): Promise<void> {
    for (const [name, { uid, at, error }] of [...news]) {
      news.delete(name)
      const status = { lastSendAttempt: rfc3339(at), lastSendError: error }
      const options = { fieldManager, force: true, subresource: 'status', signal }
      await kube
        .of(MailProvider.resource)
        .apply({ metadata: { name, uid }, status }, options)
        .catch((err: unknown) => {
          if (!isNotFound(err) && !signal.aborted) log.warn({ err, name }, 'mail status not written')
        })
    }
  }

  return {
    note({ metadata: { name, uid } }, error = '') {
      news.set(name, { uid, at: clock.now(), error })
      wake.poke()
    },
    async run(signal) {
      while (!signal.aborted) {
        wake.reset()
        await write(signal)
        await wake.wait(undefined, signal).catch(() => {})
        if (news.size > 0) await write(signal)
        await sleep(clock, atMostEveryMs, signal).catch(() => {})
      }
    },
  }
}
