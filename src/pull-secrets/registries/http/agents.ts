import { readFile } from 'node:fs/promises'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { createSecureContext } from 'node:tls'
import type { Log } from '../../../core/log.ts'
import { fileVersion } from './file-version.ts'
import type { OwnAuth } from './own-credentials.ts'

const idleMs = 30_000

/**
 * The connections to one registry, kept open. New ones are made with the certificates that the files hold now; while
 * these cannot be used (a key that does not fit yet, halfway through a replacement) the old ones stay in use.
 * Verification cannot be switched off: there is no setting for it, and the environment's is overruled.
 */
export function agents(protocol: string, auth: OwnAuth, log: Log): () => Promise<HttpAgent> {
  if (protocol === 'http:') {
    const agent = new HttpAgent({ keepAlive: true, timeout: idleMs })
    return async () => agent
  }
  const { certFile, keyFile, caFile } = auth
  const files = [certFile, keyFile, caFile].filter((file) => file !== undefined)
  let known: { version: string; agent: HttpsAgent } | undefined
  const load = async (): Promise<HttpsAgent> => {
    const version = await fileVersion(files)
    if (known?.version === version) return known.agent
    const [cert, key, ca] = await Promise.all([certFile, keyFile, caFile].map((file) => file && readFile(file)))
    const material = { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) }
    createSecureContext(material)
    const agent = new HttpsAgent({ ...material, keepAlive: true, timeout: idleMs, rejectUnauthorized: true })
    const old = known?.agent
    known = { version, agent }
    // Calls that are under way end as they are; destroying the agent would cut them.
    for (const socket of Object.values(old?.freeSockets ?? {}).flat()) socket?.destroy()
    return agent
  }
  return async () => {
    try {
      return await load()
    } catch (error) {
      if (!known) throw error
      log.warn({ err: error }, 'new certificates cannot be used yet')
      return known.agent
    }
  }
}
