import type { CertifiedKey } from '../../src/pki/index.ts'
import type { AuditEvent, ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { RawAnswer, RawRequest } from './raw-request.ts'
import { rawRequest } from './raw-request.ts'
import type { RawWatch } from './raw-watch.ts'
import { rawWatch } from './raw-watch.ts'
import type { TestScope } from './test-scope.ts'

export interface Asking extends Omit<RawRequest, 'certificate' | 'body'> {
  /** A name, and the groups behind it if others than system:masters; null is a stranger. Default: admin. */
  as?: string | readonly [name: string, ...groups: string[]] | null
  /** Sent as JSON. */
  body?: unknown
}

/** By its headers a request is found in the log. */
type Answered = Pick<RawAnswer, 'headers'>

/** A control plane with an audit policy that tells users apart by their names, so that one is enough for many tests. */
export class AuditScene {
  readonly plane: ControlPlane
  readonly #certificates = new Map<string, Promise<CertifiedKey>>()

  constructor(plane: ControlPlane) {
    this.plane = plane
  }

  async ask({ as, body, ...request }: Asking): Promise<RawAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return await rawRequest(this.plane, {
      ...request,
      headers: {
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(text)),
        }),
        ...request.headers,
      },
      ...(text !== undefined && { body: text }),
      certificate: await this.#certificateOf(as),
    })
  }

  /** A watch that has begun. */
  async watch(t: TestScope, { as, path }: Pick<Asking, 'as' | 'path'>): Promise<Answered & Pick<RawWatch, 'hangUp'>> {
    const seen = rawWatch(t, this.plane, { path, certificate: await this.#certificateOf(as) })
    const headers = await eventually('it has begun', () => seen.headers)
    return { headers, hangUp: seen.hangUp }
  }

  /** What was written down of a request, once its last stage is there. */
  async eventsOf(answer: Answered, last = 'ResponseComplete'): Promise<AuditEvent[]> {
    return await eventually(`${last} is written down`, () => this.#eventsOf(answer), {
      until: (events) => events.some(({ stage }) => stage === last),
    })
  }

  /** What was written down of a request by the time that a later one is. */
  async eventsSoFar(answer: Answered, witness: Asking): Promise<AuditEvent[]> {
    await this.eventsOf(await this.ask(witness))
    return this.#eventsOf(answer)
  }

  async #eventsOf({ headers }: Answered): Promise<AuditEvent[]> {
    return (await this.plane.auditEvents()).filter(({ auditID }) => auditID === headers['audit-id'])
  }

  async #certificateOf(as: Asking['as'] = ['admin', 'system:masters']): Promise<CertifiedKey | null> {
    if (as === null) return null
    const [name = '', ...groups] = typeof as === 'string' ? [as, 'system:masters'] : as
    return await this.#certificate(name, groups)
  }

  #certificate(commonName: string, organizations: readonly string[]): Promise<CertifiedKey> {
    const key = [commonName, ...organizations].join()
    const known = this.#certificates.get(key) ?? this.plane.issueClientCertificate({ commonName, organizations })
    this.#certificates.set(key, known)
    return known
  }
}
