import { setTimeout as delay } from 'node:timers/promises'
import type { Plane } from './plane.ts'
import type { Request } from './request.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const everywhere = `/apis/${apiGroup}/v1`
const inDefault = `${everywhere}/namespaces/default`

/** Whatever decides by the roles of somebody. */
export const needsRoles = ({ path, headers = {} }: Request): boolean =>
  path.includes('accessreviews') || 'impersonate-user' in headers

const writesRoles = ({ method, path }: Request): boolean =>
  method !== 'GET' && /\/(cluster)?role(binding)?s\b/.test(path)

const patienceMs = 10_000

/**
 * The real server decides by what it has read of roles and bindings, a moment after they were written. It reads each
 * kind in order: once it decides by a mark, it decides by all that was written before.
 */
export class RoleBarrier {
  readonly #plane: Plane
  #round = 0
  #isBehind = false

  constructor(plane: Plane) {
    this.#plane = plane
  }

  saw(request: Request): void {
    this.#isBehind ||= writesRoles(request)
  }

  /** Resolves once it decides by all that was seen. */
  async pass(): Promise<void> {
    if (!this.#isBehind) return
    this.#isBehind = false
    const mark = `mark-${++this.#round}`
    await this.#write(mark, `${everywhere}/clusterroles`, `${everywhere}/clusterrolebindings`, 'ClusterRole')
    await this.#untilAllowed(mark, '')
    await this.#write(`${mark}-in`, `${inDefault}/roles`, `${inDefault}/rolebindings`, 'Role')
    await this.#untilAllowed(`${mark}-in`, 'default')
  }

  /** A role and a binding that nothing else reads: without labels, and in no namespace of the others. */
  async #write(mark: string, roles: string, bindings: string, kind: string): Promise<void> {
    const metadata = { name: mark }
    const rules = [{ verbs: [mark], apiGroups: [''], resources: ['configmaps'] }]
    const subjects = [{ apiGroup, kind: 'User', name: mark }]
    await this.#post(roles, { metadata, rules })
    await this.#post(bindings, { metadata, subjects, roleRef: { apiGroup, kind, name: mark } })
  }

  async #untilAllowed(mark: string, namespace: string): Promise<void> {
    const spec = { user: mark, resourceAttributes: { namespace, verb: mark, resource: 'configmaps' } }
    const until = performance.now() + patienceMs
    while (performance.now() < until) {
      const { status } = await this.#post('/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec })
      if (status?.allowed) return
      await delay(2)
    }
    throw new Error(`the real server has not read ${mark} in time`)
  }

  async #post(path: string, body: object): Promise<{ status?: { allowed?: boolean } }> {
    const { code, body: answer } = await this.#plane.ask({ id: 0, about: path, method: 'POST', path, body })
    if (code !== 201) throw new Error(`${path}: ${code} ${JSON.stringify(answer)}`)
    return answer as { status?: { allowed?: boolean } }
  }
}
