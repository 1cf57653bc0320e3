import type { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../fleet/names.ts'
import type { Stored } from '../kube/objects.ts'
import { withoutPrefix } from './sessions/matching.ts'
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
  return { isOnly: false, own, others: [...all].filter((prefix) => prefix !== '' && !own.includes(prefix)) }
}

/** The groups that a token of the provider names, as they are compared. */
export const groupsInToken = (groups: readonly string[], prefixes: GroupPrefixes): string[] =>
  prefixes.isOnly
    ? groups.map((group) => withoutPrefix(group, prefixes.own))
    : groups.flatMap((group) => nameOfItsOwn(group, prefixes) ?? [])

/** However often the prefix stands there, what is behind it may not be a group of another provider either. */
function nameOfItsOwn(group: string, prefixes: GroupPrefixes): string | undefined {
  if (isOfOther(group, prefixes)) return undefined
  const name = withoutPrefix(group, prefixes.own)
  return name === group ? name : nameOfItsOwn(name, prefixes)
}

/** What the provider may itself call a group of approvers: as it is written, else without the prefix that clusters see. */
export function groupsAtProvider(group: string, prefixes: GroupPrefixes): string[] {
  const bare = prefixes.own.filter((one) => one !== '' && group.startsWith(one)).map((one) => group.slice(one.length))
  return bare.length === 0 && isOfOther(group, prefixes) ? [] : [group, ...bare]
}

const isOfOther = (group: string, { others }: GroupPrefixes): boolean =>
  others.some((prefix) => group.startsWith(prefix))

function prefixOf(provider: Stored<IdentityProvider> | undefined): string[] {
  const prefix = provider?.metadata.annotations?.[providerAnnotations.groupsPrefix]
  return prefix ? [prefix] : []
}
