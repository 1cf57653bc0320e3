import { styleText } from 'node:util'

interface Line {
  time: string
  level: string
  msg?: string
  [field: string]: unknown
}

const colours = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const

/** A line of the JSON log as one line for people: time, level, message, then `name=value`. */
export function prettyLine(json: string, colour = false): string {
  const { time, level, msg = '', ...fields } = JSON.parse(json) as Line
  const style = (as: Parameters<typeof styleText>[0], text: string) =>
    colour ? styleText(as, text, { validateStream: false }) : text
  const told = Object.entries(fields).map(
    ([name, value]) => `${style('dim', `${name}=`)}${name === 'err' ? prettyError(value) : prettyValue(value)}`,
  )
  const word = level.toUpperCase().padEnd(5)
  const head = [style('dim', clockTime(time)), style(colours[level as keyof typeof colours] ?? 'red', word), msg]
  return `${[...head, ...told].join(' ')}\n`
}

const clockTime = (iso: string): string => iso.slice(11, 23)

const prettyValue = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=\p{Cc}\p{Cf}]+$/u.test(value) ? value : quoted(value)

/** What others wrote, such as messages of clusters, must not move the cursor of a terminal. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `CODE: message (at place) <- cause`: one line however long the chain. */
function prettyError(err: unknown): string {
  const said: string[] = []
  for (let at: unknown = err; at !== undefined; ) {
    if (typeof at !== 'object' || at === null) {
      said.push(prettyValue(at))
      break
    }
    const { name, code, message, stack, cause } = at as Record<string, unknown>
    const place = typeof stack === 'string' ? /\n\s+(at .*)/.exec(stack)?.[1] : undefined
    said.push(`${code ?? name}: ${message}${place ? ` (${place})` : ''}`.replace(/\s*\n\s*/g, ' '))
    at = cause
  }
  return quoted(said.join(' <- '))
}
