import type { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../fleet/names.ts'
import type { Stored } from '../kube/objects.ts'
import type { AccessSettings } from './settings.ts'

/** How clusters write the groups of an identity provider. */
export interface GroupPrefixes {
  /** Whether it is the only provider: then every configured prefix is of its groups. */
  readonly isOnly: boolean
  readonly own: readonly string[]
  /** Of several providers: those that its groups must not begin with. */
  readonly others: readonly string[]
}

/**
 * Prefixes are taken off groups before they are compared, so of several providers each has its own, by annotation, or
 * none: else `a:leads` of one and `b:leads` of the other would be the same group.
 */
export function groupPrefixesOf(
  provider: string | undefined,
  { oidcPrefixes }: Pick<AccessSettings, 'oidcPrefixes'>,
  providers: readonly Stored<IdentityProvider>[],
): GroupPrefixes {
  const inUse = providers.filter(({ metadata, spec }) => spec && !spec.disabled && !metadata.deletionTimestamp)
  if (inUse.length < 2) return { isOnly: true, own: oidcPrefixes, others: [] }
  const theirs = inUse.filter(({ metadata }) => metadata.name !== provider).flatMap(prefixOf)
  // One that begins like that of another provider could spell its groups, so it is nobody's.
  const own = prefixOf(inUse.find(({ metadata }) => metadata.name === provider)).filter(
    (prefix) => !theirs.some((other) => other.startsWith(prefix) || prefix.startsWith(other)),
  )
  const all = new Set([...oidcPrefixes, ...theirs])
  return { isOnly: false, own, others: [...all].filter((prefix) => !own.includes(prefix)) }
}

function prefixOf(provider: Stored<IdentityProvider> | undefined): string[] {
  const prefix = provider?.metadata.annotations?.[providerAnnotations.groupsPrefix]
  return prefix ? [prefix] : []
}
