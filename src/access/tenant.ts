import type { ClusterConfig } from '../apis/breakglass/cluster-config.ts'
import type { Stored } from '../kube/objects.ts'
import type { AccessSettings } from './settings.ts'

type Named = Pick<Stored<ClusterConfig>, 'metadata' | 'spec'>

/** What others know the cluster by. */
export const clusterIdOf = ({ metadata, spec }: Named): string => spec.clusterID || metadata.name

/** Whom a cluster belongs to; empty: nobody. Where it does not say, the configured pattern reads it from the whole id. */
export function tenantOf(config: Named, { tenantPattern }: Pick<AccessSettings, 'tenantPattern'>): string {
  if (config.spec.tenant) return config.spec.tenant
  if (!tenantPattern) return ''
  return patternOf(tenantPattern)?.exec(clusterIdOf(config))?.groups?.tenant ?? ''
}

/** Of an installation there is one at a time. */
let last: { readonly text: string; readonly pattern: RegExp | undefined } | undefined

function patternOf(text: string): RegExp | undefined {
  if (last?.text !== text) last = { text, pattern: compiled(text) }
  return last.pattern
}

/** What is no pattern, or has no group `tenant`, names no tenant. The settings are checked where they are read. */
function compiled(text: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${text})$`, 'u')
  } catch {
    return undefined
  }
}
