/** JSON with the keys of every object in one order and without what is undefined: the same value is the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (isPlain(part) ? sorted(part) : part)) ?? 'null'
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Without a prototype: `__proto__` is a key like any other. */
function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(object).sort()) copy[key] = object[key]
  return copy
}
