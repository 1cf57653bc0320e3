import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../core/clock.ts'
import type { Failure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import type { Verdict } from '../../fleet/identity/index.ts'
import type { Caller, RestApi, RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import type { RestAppOptions } from './app.ts'
import type { Allowance } from './limiter.ts'
import { limitHeaders, rateLimiter } from './limiter.ts'
import type { Trace } from './trace.ts'

/** Who calls, whether they may, and whether not too often: settled before a body is read. */
export interface Gate {
  authenticate(request: FastifyRequest, reply: FastifyReply, trace: Trace): Promise<Caller>
  authorize(caller: Caller, request: FastifyRequest, reply: FastifyReply, route: RestRoute): Promise<void>
  claim(caller: Caller, request: FastifyRequest): void
  /** The headers that tell what is left. */
  limit(caller: Caller, route: RestRoute): Record<string, string>
}

const retryAfterSeconds = 5

export function gateOf({ access, api, clock, claim, limits = ratesOf(api, clock) }: RestAppOptions): Gate {
  return {
    async authenticate({ headers }, reply, trace) {
      const verdict = await access.authenticate(bearerOf(headers.authorization), waitedFor(reply))
      if (!('identity' in verdict)) throw refusals[verdict.refused]()
      return { ...verdict.identity, ...trace }
    },
    async authorize(caller, { params }, reply, { permission, permissionFor, ofFleet }) {
      if (permission === undefined) return
      const subject = permissionFor === undefined ? undefined : (params as Record<string, string>)[permissionFor]
      const ruling = await access.may(caller, permission, subject, waitedFor(reply))
      if (ruling === 'unavailable') throw failures.REST_IDENTITY_AWAY({ retryAfterSeconds })
      if (ruling === 'no') throw failures.REST_NOT_ALLOWED({ permission })
      if (ofFleet && !access.reachesAll?.(caller)) throw failures.REST_NOT_ALLOWED({ permission: 'clusters:all' })
    },
    claim(caller, { raw }) {
      if (!claim || claim(raw.socket, whoIs(caller))) return
      throw failures.REST_TOO_MANY({ limit: 'connections at once', retryAfterSeconds })
    },
    limit(caller, { limit }) {
      if (!limits) return {}
      const who = whoIs(caller)
      const every = checked(limits.every(who), 'of all kinds')
      const named = limit === undefined ? undefined : limits.named[limit]
      return limitHeaders(named ? checked(named(who), `of the kind ${limit}`) : every)
    },
  }
}

/**
 * Nobody uses up what is another's: names are their provider's business, and two providers may give the same one. The
 * kind comes first: some are not limited.
 */
const whoIs = ({ kind, name, claims, provider = '' }: Caller): string => {
  const { iss, sub } = claims
  const who = kind === 'jwt' && typeof sub === 'string' && sub !== '' ? [provider, iss, sub] : [provider, name]
  return `${kind} ${JSON.stringify(who)}`
}

const ratesOf = ({ rates }: RestApi, clock: Clock): RestAppOptions['limits'] =>
  rates && {
    every: rateLimiter(clock, rates.every),
    named: Object.fromEntries(Object.entries(rates.named).map(([name, rate]) => [name, rateLimiter(clock, rate)])),
  }

/** Aborts when nobody waits for the answer any more. Not the request's own end: that is when its body was read. */
export function waitedFor(reply: FastifyReply): AbortSignal {
  const over = new AbortController()
  reply.raw.once('close', () => over.abort(new Error('nobody waits for the answer any more')))
  return over.signal
}

function checked(allowance: Allowance, kind: string): Allowance {
  if (allowance.isAllowed) return allowance
  const { retryAfterSeconds: seconds, limit } = allowance
  const params = { limit: `${limit} ${kind}`, retryAfterSeconds: seconds, headers: limitHeaders(allowance) }
  throw failures.REST_TOO_MANY(params)
}

const refusals: Readonly<Record<Extract<Verdict, { refused: string }>['refused'], () => Failure>> = {
  none: () => failures.REST_NO_TOKEN(),
  wrong: () => failures.REST_WRONG_TOKEN(),
  expired: () => failures.REST_TOKEN_EXPIRED(),
  unavailable: () => failures.REST_IDENTITY_AWAY({ retryAfterSeconds }),
}

/** Another scheme is no token at all; a Bearer without one is a wrong token. */
function bearerOf(header: string | undefined): Secret | undefined {
  const [, token] = /^Bearer(?: +(.*))?$/i.exec(header?.trim() ?? '') ?? []
  return header === undefined || token === undefined ? undefined : Secret.of(token)
}
