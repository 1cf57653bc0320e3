import type { Readable } from 'node:stream'
import type { TSchema } from 'typebox'
import type { Failure } from '../core/failure.ts'

/** Who calls, as far as it was proven. */
export interface Caller {
  /** For the audit log: the identity claim of a JWT, the name of a service account. */
  name: string
  /** By which kind of proof. `local`: the token that the service wrote beside its data. */
  kind: 'jwt' | 'serviceaccount' | 'local'
  claims: Readonly<Record<string, unknown>>
  /** As the API server knows them; of a service account only. */
  user?: { username: string; uid?: string; groups?: readonly string[]; extra?: Readonly<Record<string, string[]>> }
  /** The name of the IdentityProvider that vouches for them, where one does. */
  provider?: string
  /** A mail address that is theirs by the word of that IdentityProvider. */
  email?: string
  traceId: string
  traceparent: string
}

/** One thing that is wrong with what was sent. */
export interface FieldError {
  /** `registries[1]` */
  field: string
  /** As it was sent. Left out where it may be a secret, or is too long to tell. */
  value?: unknown
  /** `required`, `min`, `max`, `min_length`, `max_length`, `pattern`, `enum`, `format`, `unique`, `type` or `unknown`. */
  constraint: string
  message: string
}

/** How a failure goes over the wire (RFC 9457), besides its status and its sentence. */
export interface ProblemFacts {
  /** Without the prefix: `CNF-003`. */
  code: string
  slug: ProblemSlug
  retryAfterSeconds?: number
  errors?: readonly FieldError[]
  headers?: Readonly<Record<string, string>>
  /** Further members, e.g. the id of what is in the way. Never a secret. */
  more?: Readonly<Record<string, unknown>>
}

export type ProblemSlug =
  | 'validation-error'
  | 'invalid-request'
  | 'authentication-required'
  | 'invalid-credentials'
  | 'permission-denied'
  | 'resource-not-found'
  | 'resource-conflict'
  | 'version-conflict'
  | 'rate-limit-exceeded'
  | 'internal-error'
  | 'service-unavailable'
  | 'upstream-error'

/** Undefined for what a job does not know: the server answers an internal error then. */
export type ProblemOf = (failure: Failure) => ProblemFacts | undefined

export interface RestRequest<Params = unknown, Query = unknown, Body = unknown> {
  params: Params
  query: Query
  body: Body
  headers: Readonly<Record<string, string | undefined>>
  caller: Caller
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
}

export interface RestAnswer {
  status: number
  body?: unknown
  /** In place of a body: server-sent events, until it ends or nobody listens any more. */
  events?: AsyncIterable<ServerSentEvent>
  headers?: Readonly<Record<string, string>>
}

export interface ServerSentEvent {
  /** Resumed by: the `Last-Event-ID` of who comes back. */
  id?: string
  event?: string
  /** JSON. Undefined: nothing happened, but whoever comes back may resume from `id`. */
  data?: unknown
}

/**
 * A path that settles everything by itself: who calls, what a body must be and how long, and how a failure is told. For programs with
 * a protocol of their own, and for what everybody may read. Neither limited nor logged one by one.
 */
export interface RawRoute {
  method: 'GET' | 'POST'
  path: string
  summary: string
  operationId: string
  description?: string
  tag: string
  /** Sentences by status, for the page. */
  answers: Readonly<Record<number, string>>
  handle(request: RawRequest): RawAnswer | Promise<RawAnswer>
}

export interface RawRequest {
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string | string[] | undefined>>
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** As it comes. Nothing of it is read before, and what is left when the answer is sent is never read. */
  body: Readable
  /** Of the peer, or as a proxy that is trusted tells it. */
  address: string
  /** The connection is the caller's from now on, who has shown who they are. False: they have too many. */
  claim(caller: string): boolean
  traceId: string
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
}

export interface RawAnswer {
  status: number
  contentType?: string
  body: string
  headers?: Readonly<Record<string, string>>
}

export interface RestExample {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, string | number | boolean>>
  body?: unknown
  /** By status. */
  answers: Readonly<Record<number, unknown>>
}

/**
 * A path that a job serves, declared once: `server/rest` checks input by its schemas, asks whether the caller may, limits,
 * answers failures as problems (RFC 9457) and writes the OpenAPI page from the same declaration.
 */
export interface RestRoute {
  method: 'GET' | 'POST' | 'DELETE'
  /** With `{name}` for parameters. */
  path: string
  /** For the page: one line, and the name of the operation. */
  summary: string
  operationId: string
  /** For the page, below the line. */
  description?: string
  /** The chapter of the page. */
  tag: string
  /** What the caller needs: a permission of the job's. Absent: whoever proves who they are may ask. */
  permission?: string
  /** The parameter that names what the permission is for, where it is granted one by one. */
  permissionFor?: string
  /** It is about all clusters: who reaches their own only is refused. */
  ofFleet?: boolean
  /** A limit besides that of every call. */
  limit?: string
  params?: TSchema
  query?: TSchema
  body?: TSchema
  /**
   * The route reads the body itself, as the text that came: where those who may not act must not learn what is wrong with
   * what they sent. Its schema is for the page alone.
   */
  readsBody?: boolean
  /** The answer is a stream of events; the schema of its status is that of their data. */
  isStream?: boolean
  /** Request headers that mean something here: a sentence by name. */
  headers?: Readonly<Record<string, string>>
  /** Schema by status; undefined: no body. */
  answers: Readonly<Record<number, TSchema | undefined>>
  /** Problems by status, besides those that every route has: a sentence each. */
  problems?: Readonly<Record<number, string>>
  example: RestExample
  /** What no schema can say of a body; told together with what the schema says. */
  check?(body: unknown): readonly FieldError[]
  // biome-ignore lint/suspicious/noExplicitAny: each route knows its own shapes, given by its schemas
  handle(request: RestRequest<any, any, any>): Promise<RestAnswer>
}

/** How often somebody may call. */
export interface Rate {
  readonly perMinute: number
  /** At once after a pause. */
  readonly burst: number
}

/** How a job tells its problems, where it has a tradition of its own. */
export interface ProblemStyle {
  /** Before the slug, in `type`. */
  readonly types: string
  /** In place of the code that a failure has. */
  codeOf(status: number): string
  /** For the page: what answers that any operation may give mean, by status. */
  readonly everywhere: Readonly<Record<string, string>>
  /** For the page: whose tokens are taken. */
  readonly bearer: string
}

/** What a job serves. */
export interface RestApi {
  title: string
  version: string
  description: string
  routes: readonly RestRoute[]
  raw?: readonly RawRoute[]
  problemOf: ProblemOf
  problemStyle?: ProblemStyle
  /** Read at each call, so that a change counts at once: of every call, and by the name that a route gives. */
  rates?: { every(): Rate; named: Readonly<Record<string, () => Rate>> }
  /** Looks at the path as it came, before anything is decoded, for every verb. */
  checkPath?(rawPath: string): Failure | undefined
  /** Of schemas that several routes use: shown once, by name. */
  schemas?: Readonly<Record<string, TSchema>>
}
