import type { Asked } from './contract.ts'

/** Longer questions are not remembered: nobody asks such a thing twice, and memory is for those who do. */
export const longestKey = 2_048

const part = (text: string): string => `${text.length}:${text}`

/** The same for the same question only, whatever is written in it: each part says how long it is. */
export function reviewKey(groups: readonly string[], { verb, resource, path }: Asked): string {
  let key = `${groups.length}`
  for (const group of groups) key += part(group)
  if (!resource) return `${key}p${part(verb)}${path ?? ''}`
  const { group, version, resource: kind, subresource, namespace, name } = resource
  return `${key}r${part(verb)}${part(group)}${part(version)}${part(kind)}${part(subresource)}${part(namespace)}${name}`
}
