/** How far into an answer the metadata of a list is looked for. */
const lookedAt = 2_048

const beginOfList = /^\{"kind":"[^"]*","apiVersion":"[^"]*","metadata":\{[^{}]*?"continue":"([^"\\]+)"/

/**
 * Where the page after this one starts, from the first bytes of it. Undefined where they do not tell: on the last page, and
 * in lists of custom kinds, which end with their metadata.
 */
export const nextPageIn = (begin: Buffer): string | undefined =>
  beginOfList.exec(begin.toString('latin1', 0, lookedAt))?.[1]
