import type { KindVersion } from '../kinds/kind.ts'

/** `v2` before `v1` before `v1beta1` before `v1alpha1`, and whatever is named otherwise last, by the alphabet. */
export function byPriority(
  { name: one }: Pick<KindVersion, 'name'>,
  { name: other }: Pick<KindVersion, 'name'>,
): number {
  const [a, b] = [rankOf(one), rankOf(other)]
  if (!a || !b) return a ? -1 : b ? 1 : one < other ? -1 : 1
  return b[0] - a[0] || b[1] - a[1] || b[2] - a[2]
}

function rankOf(version: string): [stage: number, major: number, minor: number] | undefined {
  const found = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version)
  if (!found) return undefined
  const stage = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0
  return [stage, Number(found[1]), Number(found[3] ?? 0)]
}
