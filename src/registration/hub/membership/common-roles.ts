import { differs } from '../../../fleet/wanted/drift.ts'
import { ensure } from '../../../fleet/wanted/ensure.ts'
import { clusterRoles } from '../../../kube/kinds.ts'
import type { HubDeps } from '../deps.ts'
import { commonRoles as wantedRoles } from './rbac.ts'

export interface CommonRoles {
  ensure(signal: AbortSignal): Promise<void>
  /** Once no cluster is left. */
  remove(signal: AbortSignal): Promise<void>
}

/**
 * The two roles that all clusters share. A hundred clusters accepted at once write them once: who comes while a write is
 * under way, or before the informer has seen it, shares it.
 */
export function commonRoles({ kube, view, settings }: HubDeps): CommonRoles {
  const wanted = wantedRoles(settings.labels)
  const collection = kube.of(clusterRoles)
  let written: Promise<void> | undefined

  view.clusterRoles.on(({ object }) => {
    if (wanted.some(({ metadata }) => metadata.name === object.metadata.name)) written = undefined
  })

  const write = async (signal: AbortSignal) => {
    for (const role of wanted) await ensure(collection, role, view.clusterRoles.get(role.metadata.name), signal)
  }

  return {
    async ensure(signal) {
      const isSo = wanted.every((role) => {
        const existing = view.clusterRoles.get(role.metadata.name)
        return existing && !differs(role, existing)
      })
      if (isSo) return
      written ??= write(signal)
      const mine = written
      try {
        await mine
      } catch (error) {
        if (written === mine) written = undefined
        throw error
      }
    },
    async remove(signal) {
      written = undefined
      const names = wanted.map(({ metadata }) => metadata.name).filter((name) => view.clusterRoles.get(name))
      await Promise.all(names.map((name) => collection.delete(name, { signal })))
    },
  }
}
