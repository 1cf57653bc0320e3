const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds of `1m30s`, `500ms`, `-1s` or `0`, as Go writes durations; undefined for anything else. */
export function parseGoDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const rest = text.replace(/^[-+]/, '')
  if (rest === '0') return 0
  let [total, at] = [0, 0]
  while (at < rest.length) {
    part.lastIndex = at
    const [whole = '', amount = '', unit = ''] = part.exec(rest) ?? []
    if (whole === '') return undefined
    total += Number(amount) * (unitMs[unit] ?? 0)
    at += whole.length
  }
  return at === 0 ? undefined : sign * total
}
