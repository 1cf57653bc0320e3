import type { Answer } from '../requests/answer.ts'
import { pageNotFound, plainAnswer } from '../requests/answer.ts'

/** A part of the control plane that can say whether it is well. */
export interface HealthCheck {
  readonly name: string
  /** Those that only `/readyz` asks: a process that starts is alive before it is ready. */
  readonly onlyReady?: boolean
  isWell(): boolean
}

const endpoints = ['livez', 'readyz', 'healthz']

/** What is asked by those who would end the process if it did not answer. */
export const isHealth = (path: string): boolean => endpoints.includes(path.split('/', 2)[1] ?? '')

/** Undefined for a path that is no health endpoint. */
export function answerHealth(checks: readonly HealthCheck[], path: string, query: URLSearchParams): Answer | undefined {
  const [, endpoint = '', name, ...more] = path.split('/')
  if (!endpoints.includes(endpoint)) return undefined
  const asked = checks.filter(({ onlyReady }) => endpoint === 'readyz' || !onlyReady)
  if (name !== undefined && name !== '') {
    const one = asked.find((check) => check.name === name)
    if (!one || more.length > 0) return pageNotFound()
    return one.isWell() ? plainAnswer(200, 'ok') : plainAnswer(500, 'internal server error: not ready\n')
  }
  return answerAll(endpoint, asked, new Set(query.getAll('exclude')), query.has('verbose'))
}

function answerAll(endpoint: string, checks: readonly HealthCheck[], excluded: Set<string>, verbose: boolean): Answer {
  let isWell = true
  const lines = checks.map(({ name, isWell: ask }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok`
    const well = ask()
    isWell &&= well
    return well ? `[+]${name} ok` : `[-]${name} failed: reason withheld`
  })
  const known = new Set(checks.map(({ name }) => name))
  const unknown = [...excluded].filter((name) => !known.has(name)).map((name) => JSON.stringify(name))
  if (unknown.length > 0)
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.join(', ')}`)
  if (!isWell) return plainAnswer(500, `${lines.join('\n')}\n${endpoint} check failed\n`)
  return plainAnswer(200, verbose ? `${lines.join('\n')}\n${endpoint} check passed\n` : 'ok')
}
