/** Durations as resources write them: those of Go, and days before them. `90m`, `1h30m`, `1d12h`. */

const unitMs = { ns: 1e-6, us: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
type Unit = keyof typeof unitMs

const whole = /^(?:\d+d)?(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h))*$/
const parts = /(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)/g

/** A century. A time that is further off is no time that anybody means, and may be none that a Date can hold. */
const longestMs = 36_525 * unitMs.d

/** Milliseconds; undefined for what is no duration. `0s` is one: whether it may be 0 is for whoever asks. */
export function parseDuration(text: string): number | undefined {
  if (text === '' || !whole.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(parts)) ms += Number(amount) * unitMs[unit as Unit]
  return ms <= longestMs ? ms : undefined
}

/** As `parseDuration`, with another value for what is absent or no duration. */
export const durationOr = (text: string | undefined, otherwiseMs: number): number =>
  (text === undefined ? undefined : parseDuration(text)) ?? otherwiseMs

/** The shortest way to write it without days, which not every reader knows: `1h30m`, `45s`. Whole milliseconds. */
export function formatDuration(ms: number): string {
  let left = Math.max(0, Math.round(ms))
  let text = ''
  for (const unit of ['h', 'm', 's', 'ms'] as const) {
    const amount = Math.floor(left / unitMs[unit])
    left -= amount * unitMs[unit]
    if (amount > 0) text += `${amount}${unit}`
  }
  return text === '' ? '0s' : text
}
