import { randomUUID } from 'node:crypto'

/** RFC 9562: sorts by the time it was made. */
export function uuidV7(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  // Node draws many of version 4 at once, which is much faster than to ask for bytes each time.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
