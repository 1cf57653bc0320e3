import { readFile } from 'node:fs/promises'

/** What tests ask of an audit event. */
export interface AuditEvent {
  auditID: string
  stage: string
  verb: string
  requestURI: string
  user: { username: string; groups?: string[] }
  impersonatedUser?: { username: string; groups?: string[] }
  objectRef?: { apiGroup?: string; resource?: string; subresource?: string; namespace?: string; name?: string }
  responseStatus?: { code?: number; reason?: string }
  userAgent?: string
  annotations?: Record<string, string>
}

/** The events of a log that is still being written: a last line without an end is not one yet. */
export async function readAuditLog(path: string): Promise<AuditEvent[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEvent)
}
