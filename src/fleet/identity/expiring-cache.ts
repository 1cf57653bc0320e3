import { createHash } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import type { Secret } from '../../core/secret.ts'

export interface ExpiringCache<T> {
  get(key: string): T | undefined
  set(key: string, value: T, until: Date): void
}

/** Forgets by time, and the oldest when there are too many. */
export function expiringCache<T>(clock: Pick<Clock, 'now'>, limit = 10_000): ExpiringCache<T> {
  const entries = new Map<string, { value: T; until: Date }>()
  return {
    get(key) {
      const found = entries.get(key)
      if (!found) return undefined
      if (found.until > clock.now()) return found.value
      entries.delete(key)
      return undefined
    },
    set(key, value, until) {
      entries.delete(key)
      entries.set(key, { value, until })
      const [oldest] = entries.keys()
      if (entries.size > limit && oldest !== undefined) entries.delete(oldest)
    },
  }
}

/** What stands for a token in memory, so that no list of tokens is kept. */
export const fingerprint = (token: Secret): string => createHash('sha256').update(token.reveal()).digest('base64url')
