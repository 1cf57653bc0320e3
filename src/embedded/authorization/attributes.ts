import type { User } from '../authentication/user.ts'

/** One question to the authorizers. */
export type Attributes = ResourceAttributes | PathAttributes

export interface ResourceAttributes {
  readonly user: User
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** Empty when the request names none. */
  readonly namespace: string
  readonly name: string
  readonly path?: undefined
  /** As the request gave them, for webhooks. */
  readonly labelSelector?: string | undefined
  readonly fieldSelector?: string | undefined
}

export interface PathAttributes {
  readonly user: User
  readonly verb: string
  readonly path: string
}

export type Decision =
  | { verdict: 'allow'; reason: string }
  | { verdict: 'deny'; reason: string; error?: string }
  | { verdict: 'no opinion'; reason: string; error?: string }

export interface Authorizer {
  /** Once `signal` is aborted nobody further is asked, and there is no decision: it rejects. */
  authorize(attributes: Attributes, signal?: AbortSignal): Promise<Decision>
}

export const isAboutPath = (attributes: Attributes): attributes is PathAttributes => attributes.path !== undefined
