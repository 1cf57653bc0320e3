import type { Registry } from '../kinds/registry.ts'

/** Makes something from the kinds there are, once for each state of them. */
export function perKinds<T>(make: (registry: Registry) => T): (registry: Registry) => T {
  const made = new WeakMap<Registry, { revision: number; value: T }>()
  return (registry) => {
    const { revision } = registry
    const before = made.get(registry)
    if (before?.revision === revision) return before.value
    const value = make(registry)
    made.set(registry, { revision, value })
    return value
  }
}
