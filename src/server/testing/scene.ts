import { FakeClock } from '../../../test/support/fake-clock.ts'
import type { TestScope } from '../../../test/support/test-scope.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { createLog } from '../../core/log.ts'
import { createAuthority } from '../../pki/index.ts'
import type { ServeOptions } from '../serve.ts'
import { serve } from '../serve.ts'
import { issuedBy } from '../serving-certificate.ts'
import type { Question } from './ask.ts'
import { ask } from './ask.ts'

/** A server on loopback whose time stands still, beginning at the present: Node checks certificates by its own clock. */
export async function servingScene(t: TestScope, options: Partial<ServeOptions> = {}) {
  const clock = new FakeClock(new Date())
  const ca = await createAuthority({ commonName: 'test-ca', clock, lifetimeMs: 10 * 365 * 24 * 3_600_000 })
  const lines: string[] = []
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } })
  const server = serve({
    listen: { host: '127.0.0.1', port: 0 },
    certificate: issuedBy(ca, { names: { ipAddresses: ['127.0.0.1'] }, clock }),
    clock,
    log,
    ...options,
  })
  const stopping = new AbortController()
  const over = server.run(stopping.signal)
  over.catch(() => {})
  const stop = async () => {
    stopping.abort()
    await over
  }
  teardown(t, stop)
  const { url, port } = await server.listening
  const question = (path: string, asked?: Question) => ask(`${url}${path}`, ca.certPem, asked)
  const post = (path: string, body: unknown) =>
    question(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { clock, caPem: ca.certPem, url, port, lines, ask: question, post, stop }
}
