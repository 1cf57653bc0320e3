import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import { isFailure } from '../../core/failure.ts'
import type { Stored } from '../../kube/objects.ts'
import type { Channel, Notice, Recipient } from './contract.ts'
import { failures } from './failures.ts'
import type { MailServer } from './mail-server.ts'
import { letterOf } from './texts.ts'
import type { Turns } from './turns.ts'

export interface MailChannelDeps {
  clock: Clock
  server: MailServer
  /** Of this provider: how many go at a time. */
  turns: Turns
  /** Told of each mail. `error`: why it was not taken. */
  onSent(provider: Stored<MailProvider>, error?: string): void
}

/** One mail for each recipient. That one is not taken is no matter to the others. */
export function mailChannel(provider: Stored<MailProvider>, deps: MailChannelDeps): Channel {
  const { count = 3, initialBackoffMs = 100, queueSize = 1_000 } = provider.spec?.retry ?? {}
  const { name } = provider.metadata

  async function send(notice: Notice, to: Recipient, signal: AbortSignal): Promise<void> {
    const mail = { ...letterOf(notice, to), to: to.address, id: notice.id }
    for (let tried = 0; ; tried += 1) {
      try {
        await deps.turns.take(() => deps.server.send(provider, mail, signal), queueSize, signal)
        deps.onSent(provider)
        return
      } catch (error) {
        deps.onSent(provider, detailOf(error))
        if (signal.aborted || tried >= count || isFailure(error, 'NOTICE_MAIL_REFUSED')) throw error
      }
      await sleep(deps.clock, initialBackoffMs * 2 ** tried, signal)
    }
  }

  return {
    name: `mail ${name}`,
    async send(notice, signal) {
      const { recipients } = notice
      const ends = await Promise.allSettled(recipients.map((to) => send(notice, to, signal)))
      const lost = ends.flatMap((end, at) =>
        end.status === 'rejected' ? [{ error: end.reason, to: recipients[at] }] : [],
      )
      if (lost.length === 0) return
      const some = lost
        .slice(0, 3)
        .map(({ to }) => to?.address)
        .join(', ')
      const detail = detailOf(lost[0]?.error)
      throw failures.NOTICE_UNDELIVERED({ count: lost.length, all: recipients.length, provider: name, some, detail })
    },
  }
}

export const detailOf = (error: unknown): string => (isFailure(error) ? error.message : 'it failed unexpectedly')
