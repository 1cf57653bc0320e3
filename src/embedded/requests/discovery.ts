import { createHash } from 'node:crypto'
import { factsOf } from '../kinds/facts/facts.ts'
import type { Kind, KindVersion } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import { subresourcesOf } from '../kinds/registry.ts'
import { apiVersionOf, splitApiVersion } from '../objects.ts'

/** The documents by which a client learns what is served, made from the kinds there are. */

interface GroupVersion {
  groupVersion: string
  version: string
}

/** Those that a client should see first, in the order of a real server. Others follow by name. */
const groupOrder = [
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'rbac.authorization.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'coordination.k8s.io',
]

const place = (group: string): number => {
  const index = groupOrder.indexOf(group)
  return index < 0 ? groupOrder.length : index
}

export function versionsOf(kinds: readonly Kind[], group: string): GroupVersion[] {
  const names = new Set(
    kinds.filter((kind) => kind.group === group).flatMap((kind) => kind.versions.map(({ name }) => name)),
  )
  return [...names].sort(byStability).map((version) => ({ groupVersion: apiVersionOf(group, version), version }))
}

/** `v2` before `v1` before `v1beta1` before `v1alpha1` before anything else. */
export function byStability(one: string, other: string): number {
  const [a, b] = [rankOf(one), rankOf(other)]
  if (!a || !b) return a ? -1 : b ? 1 : one < other ? -1 : 1
  return b.stage - a.stage || b.major - a.major || b.minor - a.minor
}

function rankOf(version: string): { stage: number; major: number; minor: number } | undefined {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version)
  if (!found) return undefined
  const stage = found[2] === undefined ? 2 : found[2] === 'beta' ? 1 : 0
  return { stage, major: Number(found[1]), minor: Number(found[3] ?? 0) }
}

const groupDocument = (kinds: readonly Kind[], group: string) => {
  const versions = versionsOf(kinds, group)
  return { name: group, versions, preferredVersion: versions[0] }
}

export function apiVersionsDocument(address: string) {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  }
}

export function groupsDocument(registry: Registry) {
  const kinds = registry.all()
  const groups = groupsOf(kinds, (group) => servicesOf(kinds, group)[0] ?? '').map((group) =>
    groupDocument(kinds, group),
  )
  return { kind: 'APIGroupList', apiVersion: 'v1', groups }
}

/** All but the core group: those of Kubernetes first, others by a name. */
export function groupsOf(kinds: readonly Kind[], nameOf = (group: string) => group): string[] {
  const groups = [...new Set(kinds.map(({ group }) => group))].filter((group) => group !== '')
  return groups.sort((a, b) => place(a) - place(b) || (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** The real server keeps versions as objects under these names, and goes by those where it tells all groups. */
const servicesOf = (kinds: readonly Kind[], group: string): string[] =>
  versionsOf(kinds, group)
    .map(({ version }) => `${version}.${group}`)
    .sort()

export function groupDocumentOf(registry: Registry, group: string) {
  const kinds = registry.all()
  if (group === '' || !kinds.some((kind) => kind.group === group)) return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(kinds, group) }
}

export function resourcesDocument(registry: Registry, group: string, version: string) {
  const resources = servedIn(registry.all(), group, version).flatMap(resourceEntries)
  if (resources.length === 0) return undefined
  return {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(group, version),
    resources,
  }
}

/** The kinds of a group that are served in a version, by their plurals. */
export const servedIn = (kinds: readonly Kind[], group: string, name: string) =>
  kinds
    .filter((kind) => kind.group === group)
    .flatMap((kind) => kind.versions.filter((version) => version.name === name).map((version) => ({ kind, version })))
    .sort((one, other) => (one.kind.plural < other.kind.plural ? -1 : 1))

/** Clients compare it to learn that the storage version has moved. */
function storageVersionHash({ storedAs, custom, group: ownGroup, plural }: Kind): string | undefined {
  // What a built-in kind was first stored as, the real server remembers.
  if (!custom) return factsOf(ownGroup, plural).storageVersionHash
  const { group, version } = splitApiVersion(storedAs.apiVersion)
  const digest = createHash('sha256').update(`${group}/${version}/${storedAs.kind}`).digest()
  return digest.subarray(0, 8).toString('base64')
}

function resourceEntries({ kind, version }: { kind: Kind; version: KindVersion }): object[] {
  const { plural, singular, namespaced, verbs, shortNames, categories } = kind
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: kind.shownVerbs ?? verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(!kind.answer && { storageVersionHash: storageVersionHash(kind) }),
  }
  const behind = subresourcesAt(kind, version).map(({ name, other, verbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(other && { group: other.group, version: other.version }),
    kind: other?.kind ?? kind.kind,
    verbs,
  }))
  return [main, ...behind]
}

export interface ShownSubresource {
  readonly name: string
  /** What it is asked and answered with, where that is not the kind itself. */
  readonly other?: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly string[]
}

/** What a version of a kind has, in the order of the real server. */
export function subresourcesAt(kind: Kind, version: KindVersion): ShownSubresource[] {
  const shown = Object.entries(subresourcesOf({ kind, version })).map(([name, sub]) => ({
    name,
    ...(sub.type !== 'part' && { other: { ...splitApiVersion(sub.apiVersion), kind: sub.kind } }),
    verbs: sub.type === 'action' ? ['create'] : sub.verbs,
  }))
  return kind.custom ? shown : shown.sort((one, other) => (one.name < other.name ? -1 : 1))
}
