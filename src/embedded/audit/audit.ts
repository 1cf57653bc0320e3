import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { ApiRequest } from '../requests/body.ts'
import { headerOf } from '../requests/body.ts'
import { failures } from './failures.ts'
import { openLogFile } from './log-file.ts'
import { parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'
import { metadataOfAll } from './policy.ts'
import { RequestRecord } from './record.ts'
import { withoutCredentials } from './sensitive.ts'
import { sourceIps } from './source-ips.ts'

export interface AuditOptions {
  /** A Policy of `audit.k8s.io/v1`. Absent: metadata of everything. */
  policyFile?: string | undefined
  logPath: string
  clock: Clock
  log: Log
  /** Running time in milliseconds, for the microseconds that a clock does not tell. */
  elapsed?(): number
}

/** Writes down who did what, as far as a policy wants it. */
export interface Audit extends AsyncDisposable {
  /** The same request, with a record that goes along with it. */
  follow(request: ApiRequest, id: string, remoteAddress: string | undefined): ApiRequest
  /** When everything is written. */
  close(): Promise<void>
}

export async function openAudit(options: AuditOptions): Promise<Audit> {
  const { policyFile, logPath, clock, log, elapsed = () => performance.now() } = options
  const policy = policyFile === undefined ? metadataOfAll : await loadPolicy(policyFile, log)
  const file = await openLogFile(logPath, log)
  const deps = { policy, elapsed, write: (line: string) => file.write(line) }
  const close = () => file.close()
  return {
    follow(request, id, remoteAddress) {
      const asked = {
        id,
        uri: withoutCredentials(request.uri),
        sourceIps: sourceIps(request, remoteAddress),
        userAgent: headerOf(request, 'user-agent') ?? '',
      }
      const audit = new RequestRecord(deps, asked, clock.now())
      return { ...request, audit, readBody: async () => audit.read(await request.readBody()) }
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function loadPolicy(file: string, log: Log): Promise<Policy> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw failures.AUDIT_POLICY_UNREADABLE({ file, detail: error.message }, error)
  })
  return parsePolicy(bytes, file, (flaws) => log.warn({ file, flaws }, 'audit policy has parts that are passed over'))
}

/** The one that a client gave its request, so that it can be followed through several servers, else a new one. */
export function auditIdOf(request: Pick<ApiRequest, 'headers'>): string {
  const given = headerOf(request, 'audit-id') ?? ''
  return /^[\x20-\x7e]+$/.test(given) ? given : randomUUID()
}
