import type { Readable } from 'node:stream'
import type { Clock } from '../../core/clock.ts'
import { issuerExtra } from '../names.ts'
import type { LongBodies, Turns } from './long-bodies.ts'
import { shortBytes } from './long-bodies.ts'
import type { ParsedReview } from './parse-review.ts'
import { parseReview } from './parse-review.ts'
import { ReviewFilter } from './review-filter.ts'

/** Twice the longest that an API server makes: selectors that fill 1 MiB of headers are 16 MiB of JSON. */
export const reviewLimitBytes = 32 * 1024 * 1024

/** Why a review could not be read. `cut`: its sender went away, or lost the connection. */
export const unreads = ['too-large', 'invalid', 'late', 'cut', 'too-many'] as const
export type Unread = (typeof unreads)[number]

export interface ReadDeps {
  cluster: string
  clock: Pick<Clock, 'countdown'>
  bodies: LongBodies
  withinMs: number
}

/**
 * Reads the body of a request as it comes. What is left of it when the answer is known is for the server to get rid of:
 * it stands still from then on.
 *
 * @param length by its own account
 */
export function readReview(
  body: Readable,
  length: number | undefined,
  { cluster, clock, bodies, withinMs }: ReadDeps,
): Promise<ParsedReview | Unread> {
  if (length !== undefined && length > reviewLimitBytes) return Promise.resolve('too-large')
  if (body.destroyed) return Promise.resolve('cut')
  return new Promise((resolve) => {
    const short: Buffer[] = []
    let filter: ReviewFilter | undefined
    let turns: Turns | undefined
    let size = 0
    const settle = (found: ParsedReview | Unread) => {
      late[Symbol.dispose]()
      body.off('data', take).off('end', finish).off('close', cut).pause()
      turns?.done()
      resolve(found)
    }
    /** Whether there is room for one more long body. */
    const isTaken = (): boolean => {
      turns ??= bodies.add(cluster, body)
      if (!turns) settle('too-many')
      return turns !== undefined
    }
    const take = (chunk: Buffer) => {
      size += chunk.length
      if (size > reviewLimitBytes) return settle('too-large')
      if (size <= shortBytes) return void short.push(chunk)
      filter ??= filterOf(short)
      filter.push(chunk)
      const { length } = chunk
      release(chunk)
      if (filter.fault !== undefined) return settle(filter.fault)
      if (isTaken()) turns?.took(length)
    }
    const finish = () => {
      const text = filter ? filter.end() : Buffer.concat(short).toString()
      settle((text !== undefined && parseReview(text)) || 'invalid')
    }
    const cut = () => settle('cut')
    const late = clock.countdown(withinMs, () => settle('late'))
    // Without it a connection that is lost would be an error that nobody takes.
    body.on('error', () => {})
    body.on('data', take).on('end', finish).on('close', cut)
    if (length !== undefined && length > shortBytes) isTaken()
  })
}

/**
 * Gives the memory of a chunk back at once. Left to the garbage collector, 62 MiB a second of them had it mark the whole
 * heap four times a second, which everybody else waited for.
 */
function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0)
}

function filterOf(begun: readonly Buffer[]): ReviewFilter {
  const filter = new ReviewFilter(issuerExtra)
  for (const chunk of begun) filter.push(chunk)
  return filter
}
