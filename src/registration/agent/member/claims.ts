import type { ManagedCluster } from '../../../apis/cluster/managed-cluster.ts'
import type { KubeObject, Stored } from '../../../kube/objects.ts'
import type { MemberSettings } from '../deps.ts'

/** A ClusterClaim or a ClusterProperty. */
export type StatedFact = KubeObject & { spec?: { value?: string } }

export type MirroredClaims = NonNullable<NonNullable<ManagedCluster['status']>['clusterClaims']>

export interface Claims {
  /** As the hub shows them. */
  mirrored: MirroredClaims
  /** The names of those that are not copied, because there are too many or because they are too long for the hub. */
  cut: readonly string[]
  tooLong: readonly string[]
}

/** Names that people count on across a fleet: they come first and are never cut. */
const reservedNames: readonly string[] = [
  'id.k8s.io',
  'kubeversion.open-cluster-management.io',
  'platform.open-cluster-management.io',
  'product.open-cluster-management.io',
]
/** Of a value on the hub. A ClusterProperty may have more, and one that is too long would make the hub refuse the whole status. */
const longestValue = 1024

export type ClaimLimits = Pick<MemberSettings, 'maxCustomClusterClaims' | 'reservedClusterClaimSuffixes'>

export function mirroredClaims(
  claims: readonly StatedFact[],
  properties: readonly StatedFact[],
  { maxCustomClusterClaims, reservedClusterClaimSuffixes }: ClaimLimits,
): Claims {
  // A property wins over a claim of the same name, because it is set later.
  const values = new Map([...claims, ...properties].map(({ metadata, spec }) => [metadata?.name ?? '', spec?.value]))
  const stated = [...values]
    .map(([name, value]) => ({ name, value: value ?? '' }))
    .filter(({ name, value }) => name !== '' && value !== '')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const fits = ({ value }: { value: string }) => value.length <= longestValue
  const isReserved = ({ name }: { name: string }) =>
    reservedNames.includes(name) || reservedClusterClaimSuffixes.some((suffix) => name.endsWith(suffix))
  const fitting = stated.filter(fits)
  const custom = fitting.filter((claim) => !isReserved(claim))
  const most = Math.max(0, maxCustomClusterClaims)
  return {
    mirrored: [...fitting.filter(isReserved), ...custom.slice(0, most)],
    cut: custom.slice(most).map(({ name }) => name),
    tooLong: stated.filter((claim) => !fits(claim)).map(({ name }) => name),
  }
}

/** What people are told of claims that are missing on the hub; undefined while none is. */
export function aboutMissingClaims({ cut, tooLong }: Claims, most: number): string | undefined {
  const sentences = [
    cut.length > 0 &&
      `${cut.length} claims are not on the hub, because it takes ${most} besides the reserved ones: ${listed(cut)}; remove some or raise --max-custom-cluster-claims of the agent`,
    tooLong.length > 0 &&
      `${tooLong.length} claims are not on the hub, because their values have more than ${longestValue} characters: ${listed(tooLong)}; shorten them`,
  ].filter((sentence) => sentence !== false)
  return sentences.length > 0 ? sentences.join('. ') : undefined
}

const shownNames = 5
const listed = (names: readonly string[]): string =>
  names.slice(0, shownNames).join(', ') + (names.length > shownNames ? ', …' : '')

/** For an informer's `transform`. */
export const onlyFact = <T extends StatedFact>({ metadata, spec }: Stored<T>): Stored<T> => {
  const { name, uid, resourceVersion } = metadata
  return { metadata: { name, uid, resourceVersion }, ...(spec && { spec: { value: spec.value } }) } as Stored<T>
}
