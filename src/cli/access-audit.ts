import { createReadStream } from 'node:fs'
import type { Command } from 'commander'
import { parse } from 'yaml'
import type { AuditHead } from '../access/audit/heads.ts'
import { headsIn, readAuditHeads } from '../access/audit/heads.ts'
import type { AuditVerdict } from '../access/audit/verify.ts'
import { verifyAudit } from '../access/audit/verify.ts'
import { linesIn } from '../core/text-lines.ts'
import { failures } from './failures.ts'
import { readNamed } from './named-file.ts'
import { formatData } from './output.ts'
import { printOn } from './print-on.ts'
import { printable } from './printable.ts'
import type { Stop } from './stop-signal.ts'

export interface VerifyAuditOptions {
  heads?: string
  sink: string
  partial?: boolean
  namespace: string
  output: 'table' | 'json' | 'yaml'
}

/** `lanyard access audit verify`: whether a log is whole and as it was written. Fails where it is not. */
export async function verifyLog(
  files: readonly string[],
  options: VerifyAuditOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  // Before the log: what is written meanwhile is beyond them, and nothing of it is missed.
  const heads = options.heads === undefined ? await headsOfHub(options, command, stop) : await headsOf(options.heads)
  const verdict = await verifyAudit(linesOf(files), heads, {
    sink: options.sink,
    ...(options.heads === undefined && { headsNow: () => headsOfHub(options, command, stop) }),
    ...(options.partial && { partial: true }),
  })
  if (options.output === 'table') printOn(command)(wordsOf(verdict))
  else printOn(command)(formatData(options.output, verdict))
  if (verdict.ok) return
  const { what, detail, line } = verdict.fault
  const place = line === undefined ? 'it' : `line ${line}`
  throw failures.ACCESS_AUDIT_BROKEN({ place, what, detail: printable(detail) })
}

async function headsOfHub({ namespace }: VerifyAuditOptions, command: Command, stop: Stop): Promise<AuditHead[]> {
  const { withHub } = await import('./operate.ts')
  let heads: AuditHead[] = []
  await withHub(command, stop, async ({ client }, { signal }) => {
    heads = await readAuditHeads(client, namespace, signal)
  })
  return heads
}

/** The ConfigMap, as kubectl prints it. */
async function headsOf(path: string): Promise<AuditHead[]> {
  const text = await readNamed(path, '--heads')
  const found: unknown = parse(text)
  const data = found && typeof found === 'object' && 'data' in found ? found.data : undefined
  if (!data || typeof data !== 'object') throw failures.ACCESS_HEADS_UNREADABLE({ path })
  return headsIn(data as Record<string, string>)
}

/** One after the other, as if they were one. */
async function* linesOf(files: readonly string[]): AsyncGenerator<string> {
  for (const path of files) {
    const input = path === '-' ? process.stdin : createReadStream(path, 'utf8')
    const opened = new Promise<never>((_, reject) =>
      input.once('error', (error: NodeJS.ErrnoException) =>
        reject(failures.FILE_UNREADABLE({ path, flag: 'the command', detail: error.code }, error)),
      ),
    )
    opened.catch(() => {})
    const lines = linesIn(input.setEncoding('utf8'))
    for (;;) {
      const next = await Promise.race([lines.next(), opened])
      if (next.done) break
      yield next.value
    }
  }
}

function wordsOf(verdict: AuditVerdict): string {
  const { records, writers, torn } = verdict
  const counted = `${many(records, 'record')} of ${many(writers, 'writer')}`
  const cut = torn.length > 0 ? `; ${many(torn.length, 'line')} cut where a process was killed` : ''
  if (verdict.ok) return `✔ the log is whole: ${counted}${cut}\n${beyond(verdict)}`
  return `✖ the log is not what was written: ${counted} until there${cut}\n`
}

/** No fault: a process that lives has yet to anchor them. But nobody can vouch for them. */
const beyond = ({ unanchored }: AuditVerdict): string =>
  unanchored
    ? `! ${many(unanchored.records, 'record')}, from line ${unanchored.line} on, after what the hub has anchored: not proven\n`
    : ''

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
