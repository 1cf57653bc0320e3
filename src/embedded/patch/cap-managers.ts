import { union } from './fields.ts'
import type { Managed } from './managed.ts'
import { inOrder, isSameManager, withFields } from './managed.ts'

const mostUpdateManagers = 10

/** Those who updated longest ago are put together, version by version, until few enough are left. */
export function capManagers(all: readonly Managed[]): readonly Managed[] {
  const updaters = all.filter(({ operation }) => operation === 'Update')
  if (updaters.length <= mostUpdateManagers) return all
  updaters.sort((a, b) => inOrder(a.time ?? '', b.time ?? '') || inOrder(identity(a), identity(b)))
  let kept = [...all]
  let surplus = updaters.length - mostUpdateManagers
  const firsts = new Map<string, Managed>()
  for (const updater of updaters) {
    if (surplus === 0) break
    const first = firsts.get(updater.apiVersion)
    if (first) {
      const bucket = bucketFor(kept, first)
      const merged = { ...withFields(bucket, union(updater.fields, bucket.fields)), time: updater.time }
      kept = [...kept.filter((other) => other !== updater && other !== first && !isSameManager(other, bucket)), merged]
      surplus--
    } else firsts.set(updater.apiVersion, updater)
  }
  return kept
}

/** The one entry for all that is old, or what becomes of the oldest. */
function bucketFor(all: readonly Managed[], first: Managed): Managed {
  const bucket: Managed = { ...first, manager: 'ancient-changes', subresource: '' }
  return all.find((managed) => isSameManager(managed, bucket)) ?? bucket
}

const identity = ({ manager, apiVersion, subresource }: Managed): string =>
  JSON.stringify({ manager, operation: 'Update', apiVersion, ...(subresource && { subresource }) })
