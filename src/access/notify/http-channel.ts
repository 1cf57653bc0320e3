import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import { sleep } from '../../core/clock.ts'
import type { SendPost } from '../outgoing/post.ts'
import { answeredStatus } from '../outgoing/post.ts'
import type { NotifyTarget } from '../settings.ts'
import type { Channel, Notice } from './contract.ts'
import { failures } from './failures.ts'
import { chatTextOf, headlineOf } from './texts.ts'

const tries = 3
const firstPauseMs = 500
const timeoutMs = 5_000

/** A target of the configuration file: programs get the notice itself, chats a text. */
export function httpChannel(target: NotifyTarget, { clock, post }: { clock: Clock; post: SendPost }): Channel {
  const bodyOf = (notice: Notice): string => {
    const { recipients: _, ...rest } = notice
    return JSON.stringify(
      target.kind === 'chat' ? { text: chatTextOf(notice) } : { ...rest, headline: headlineOf(notice) },
    )
  }

  return {
    name: `${target.kind} ${target.name}`,
    async send(notice, signal) {
      for (let tried = 1; ; tried += 1) {
        try {
          const headers = await authorization(target)
          return await post({ url: target.url, headers, body: bodyOf(notice), timeoutMs }, signal)
        } catch (error) {
          if (signal.aborted || tried >= tries || isFinal(answeredStatus(error))) throw error
        }
        await sleep(clock, firstPauseMs * 2 ** (tried - 1), signal)
      }
    },
  }
}

/** What is sent is refused, and not only now. */
const isFinal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status)

/** Read each time: it may be replaced. */
async function authorization({ tokenFile, name }: NotifyTarget): Promise<Record<string, string>> {
  if (tokenFile === undefined) return {}
  try {
    return { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` }
  } catch (error) {
    const { code } = error as { code?: string }
    throw failures.NOTICE_TOKEN_UNREADABLE({ target: name, detail: code ?? 'unknown' })
  }
}
