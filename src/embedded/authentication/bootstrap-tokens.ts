import type { Clock } from '../../core/clock.ts'
import { Secret } from '../../core/secret.ts'
import type { ApiObject } from '../objects.ts'
import { parsed } from '../storage/reading.ts'
import type { Store } from '../storage/store.ts'
import type { BearerToken } from './bearer-token.ts'
import type { User } from './user.ts'
import type { TokenAuthenticator, Verdict } from './verdict.ts'
import { forThisApi } from './verdict.ts'

export interface BootstrapTokensDeps {
  store: Pick<Store, 'get'>
  clock: Pick<Clock, 'now'>
  /** For what this API's own tokens are good. */
  audiences: readonly string[]
}

type BootstrapSecret = ApiObject & { type?: string; data?: Record<string, string> }

const form = /^([a-z0-9]{6})\.([a-z0-9]{16})$/
const extraGroup = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Tokens that are Secrets of kube-system. Looked up each time: one that is deleted or changed counts so at once. */
export class BootstrapTokens implements TokenAuthenticator {
  readonly #deps: BootstrapTokensDeps

  constructor(deps: BootstrapTokensDeps) {
    this.#deps = deps
  }

  authenticate(token: BearerToken, asked: readonly string[]): Verdict | undefined {
    const { store, clock, audiences } = this.#deps
    const [, id, secret] = form.exec(token.reveal()) ?? []
    if (id === undefined || secret === undefined) return undefined
    const good = forThisApi(audiences, asked)
    if (good.length === 0) return undefined
    const entry = store.get('secrets', 'kube-system', `bootstrap-token-${id}`)
    const user = entry && bootstrapperOf(parsed<BootstrapSecret>(entry), id, Secret.of(secret), clock.now())
    return user && { user, audiences: good }
  }
}

/** Undefined for a Secret that does not let this token in. */
function bootstrapperOf(stored: BootstrapSecret, id: string, secret: Secret, now: Date): User | undefined {
  const { metadata, type, data = {} } = stored
  const read = (key: string): string => Buffer.from(data[key] ?? '', 'base64').toString()
  if (metadata.deletionTimestamp !== undefined || type !== 'bootstrap.kubernetes.io/token') return undefined
  if (!Secret.of(read('token-secret')).equals(secret) || read('token-id') !== id) return undefined
  if (hasEnded(read('expiration'), now) || read('usage-bootstrap-authentication') !== 'true') return undefined
  const listed = read('auth-extra-groups')
  const extra = listed === '' ? [] : listed.split(',')
  if (!extra.every((group) => extraGroup.test(group))) return undefined
  return { name: `system:bootstrap:${id}`, groups: [...new Set(['system:bootstrappers', ...extra])].sort() }
}

/** An end that cannot be read is over: nobody would notice a token that lives for ever. */
const hasEnded = (expiration: string, now: Date): boolean =>
  expiration !== '' && !(rfc3339.test(expiration) && Date.parse(expiration) > now.getTime())
