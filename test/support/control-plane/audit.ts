import { readFile } from 'node:fs/promises'

/** What tests ask of an audit event. */
export interface AuditEvent {
  level: string
  auditID: string
  stage: string
  verb: string
  requestURI: string
  user: { username?: string; groups?: string[]; extra?: Record<string, string[]> }
  impersonatedUser?: { username: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> }
  authenticationMetadata?: { impersonationConstraint?: string }
  sourceIPs?: string[]
  userAgent?: string
  objectRef?: {
    resource?: string
    namespace?: string
    name?: string
    uid?: string
    apiGroup?: string
    apiVersion?: string
    resourceVersion?: string
    subresource?: string
  }
  responseStatus?: { code?: number; reason?: string; status?: string; message?: string; details?: object }
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent, for assertions to look into
  requestObject?: any
  // biome-ignore lint/suspicious/noExplicitAny: whatever was answered, for assertions to look into
  responseObject?: any
  requestReceivedTimestamp: string
  stageTimestamp: string
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
