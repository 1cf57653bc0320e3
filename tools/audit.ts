// Known vulnerabilities of what the lockfile holds, as the registry knows them. A new critical one fails.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

/** A critical advisory that was looked at, in audit-exceptions.json. */
export interface Exception {
  /** As the advisory's address ends: `GHSA-…`. */
  advisory: string
  /** Why it does not concern Lanyard, or what it waits for. */
  reason: string
  /** The last day on which it holds, `2026-12-31`. */
  until: string
}

export interface Advisory {
  id: string
  package: string
  severity: string
  title: string
}

export interface Verdict {
  fails: boolean
  lines: string[]
}

/** What `npm audit --json` printed, as its advisories; undefined where the registry gave no answer. */
export function advisoriesIn(printed: string): Advisory[] | undefined {
  const { vulnerabilities } = parsed(printed) as { vulnerabilities?: Record<string, { via: unknown[] }> }
  if (vulnerabilities === undefined) return undefined
  const found = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    // A name stands for a package that another one of the list is vulnerable by.
    .filter((via): via is Via => typeof via === 'object' && via !== null)
    .map(({ source, url, name, severity, title }): Advisory => {
      const id = /GHSA(?:-\w{4}){3}/.exec(url ?? '')?.[0] ?? String(source)
      return { id, package: name, severity, title }
    })
  return [...new Map(found.map((advisory) => [`${advisory.id} ${advisory.package}`, advisory])).values()]
}

interface Via {
  source: number
  name: string
  title: string
  url?: string
  severity: string
}

/** Nothing where it is no object of JSON: a proxy answers in HTML. */
function parsed(printed: string): object {
  try {
    return Object(JSON.parse(printed))
  } catch {
    return {}
  }
}

/** @param today `2026-11-19`, as the dates of exceptions are written */
export function judge(
  advisories: readonly Advisory[] | undefined,
  exceptions: readonly Exception[],
  today: string,
): Verdict {
  const isOver = ({ until }: Exception) => until < today
  const excepted = new Map(exceptions.filter((one) => !isOver(one)).map((one) => [one.advisory, one]))
  const expired = exceptions.filter(isOver).map((one) => {
    return `✖ the exception for ${one.advisory} ended on ${one.until} (${one.reason}): look again, then renew or remove it`
  })
  if (advisories === undefined)
    return { fails: expired.length > 0, lines: [...expired, '… not answered: this registry knows of no advisories'] }
  const news = advisories.filter(({ id, severity }) => severity === 'critical' && !excepted.has(id))
  const reported = advisories.map((one) => {
    const exception = excepted.get(one.id)
    const mark = news.includes(one) ? '✖' : '…'
    const aside = exception ? `; excepted until ${exception.until}: ${exception.reason}` : ''
    return `${mark} ${one.severity}: ${one.package}, ${one.title} (${one.id})${aside}`
  })
  const idle = [...excepted.keys()].filter((id) => !advisories.some((one) => one.id === id))
  const lines = [
    ...expired,
    ...reported,
    ...idle.map((id) => `… the exception for ${id} can go: the registry does not report it any more`),
    ...(advisories.length === 0 ? ['✔ no known vulnerability'] : []),
  ]
  return { fails: expired.length > 0 || news.length > 0, lines }
}

/** The exceptions of the file; every field is needed, and a date is one. */
export function exceptionsIn(json: string): Exception[] {
  const list = JSON.parse(json) as Partial<Exception>[]
  for (const { advisory, reason, until } of list)
    if (!advisory || !reason || !/^\d{4}-\d\d-\d\d$/.test(until ?? '') || Number.isNaN(Date.parse(until ?? '')))
      throw new Error(`audit-exceptions.json: ${advisory ?? 'an entry'} needs advisory, reason and until (2026-12-31)`)
  return list as Exception[]
}

if (import.meta.main) {
  // Of the lockfile, with what other platforms install. A registry that does not answer is not asked for minutes.
  const args = ['audit', '--json', '--package-lock-only', '--fetch-retries=1', '--fetch-timeout=30000']
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' })
  const failed = new Promise<string>((resolve) => child.once('error', () => resolve('')))
  const printed = await Promise.race([text(child.stdout), failed])
  const exceptions = exceptionsIn(readFileSync(`${import.meta.dirname}/audit-exceptions.json`, 'utf8'))
  const { fails, lines } = judge(advisoriesIn(printed), exceptions, new Date().toISOString().slice(0, 10))
  console.log(lines.join('\n'))
  process.exitCode = fails ? 1 : 0
}
