import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../access/duration.ts'

/** `2h`, `1d12h`: whole seconds. */
export function spanSeconds(text: string): number {
  const ms = parseDuration(text)
  if (ms === undefined || ms < 1_000) throw new InvalidArgumentError('It is a time such as 30m, 2h or 1d.')
  return Math.round(ms / 1_000)
}

/** An https URL without slashes at its end; on this machine also http, where nobody listens in. */
export function hubUrl(text: string): string {
  const url = URL.parse(text)
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
  if (url?.protocol !== 'https:' && !isHere) throw new InvalidArgumentError('It is a URL that begins with https://.')
  return text.replace(/\/+$/, '')
}

/** `2026-08-20T22:00:00Z`, or `+90m` from now on. As the hub takes it. */
export const momentFrom =
  (now: () => Date) =>
  (text: string): string => {
    const ahead = text.startsWith('+') ? parseDuration(text.slice(1)) : undefined
    if (ahead !== undefined) return wholeSeconds(new Date(now().getTime() + ahead))
    // Without a zone it would mean something else on every machine.
    if (
      !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) ||
      Number.isNaN(Date.parse(text))
    )
      throw new InvalidArgumentError('It is a time with its zone such as 2026-08-20T22:00:00Z, or +90m from now.')
    return wholeSeconds(new Date(text))
  }

const wholeSeconds = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`
