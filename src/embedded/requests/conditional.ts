/** Questions that a client asks only if what it has is out of date. */

/** `If-None-Match`: one of several tags, weak or not, or any. */
export const matchesTag = (header: string, tag: string): boolean =>
  header
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => one === tag || one === '*')

/** `If-Modified-Since`, which knows whole seconds. What cannot be read asks nothing. */
export function isModifiedSince(header: string | undefined, changed: Date): boolean {
  const since = Date.parse(header ?? '')
  return Number.isNaN(since) || Math.floor(changed.getTime() / 1000) > Math.floor(since / 1000)
}
