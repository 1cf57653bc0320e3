/** FNV-1a of the UTF-8 bytes as PostgreSQL's `int4`: how HyperFleet makes the two numbers of an advisory lock. */
export function fnv1a32(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash | 0
}
