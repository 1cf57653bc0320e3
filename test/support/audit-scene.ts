import type { CertifiedKey } from '../../src/pki/index.ts'
import type { AuditEvent, ControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import type { RawAnswer, RawRequest } from './raw-request.ts'
import { rawRequest } from './raw-request.ts'

export interface Asking extends Omit<RawRequest, 'certificate' | 'body'> {
  /** A name, and the groups behind it if others than system:masters; null is a stranger. Default: admin. */
  as?: string | readonly [name: string, ...groups: string[]] | null
  /** Sent as JSON. */
  body?: unknown
}

/** A control plane with an audit policy that tells users apart by their names, so that one is enough for many tests. */
export class AuditScene {
  readonly plane: ControlPlane
  readonly #certificates = new Map<string, Promise<CertifiedKey>>()

  constructor(plane: ControlPlane) {
    this.plane = plane
  }

  async ask({ as = ['admin', 'system:masters'], body, ...request }: Asking): Promise<RawAnswer> {
    const [name = '', ...groups] = typeof as === 'string' ? [as, 'system:masters'] : (as ?? [])
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
      certificate: as === null ? null : await this.#certificate(name, groups),
    })
  }

  /** What was written down of a request, once its last stage is there. */
  async eventsOf(answer: RawAnswer, last = 'ResponseComplete'): Promise<AuditEvent[]> {
    return await eventually(`${last} is written down`, () => this.#eventsOf(answer), {
      until: (events) => events.some(({ stage }) => stage === last),
    })
  }

  /** What was written down of a request by the time that a later one is. */
  async eventsSoFar(answer: RawAnswer, witness: Asking): Promise<AuditEvent[]> {
    await this.eventsOf(await this.ask(witness))
    return this.#eventsOf(answer)
  }

  async #eventsOf({ headers }: RawAnswer): Promise<AuditEvent[]> {
    return (await this.plane.auditEvents()).filter(({ auditID }) => auditID === headers['audit-id'])
  }

  #certificate(commonName: string, organizations: readonly string[]): Promise<CertifiedKey> {
    const key = [commonName, ...organizations].join()
    const known = this.#certificates.get(key) ?? this.plane.issueClientCertificate({ commonName, organizations })
    this.#certificates.set(key, known)
    return known
  }
}
