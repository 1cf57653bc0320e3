import { createHash } from 'node:crypto'
import type { Kind, KindVersion } from '../kinds/kind.ts'
import type { Registry } from '../kinds/registry.ts'
import type { WholeAnswer } from './answer.ts'
import { textAnswer } from './answer.ts'
import type { ApiRequest } from './body.ts'
import { headerOf } from './body.ts'
import { groupsOf, servedIn, subresourcesAt, versionsOf } from './discovery.ts'
import type { Form } from './negotiate.ts'
import { clausesOf, formFor } from './negotiate.ts'
import { perKinds } from './per-kinds.ts'

/** All groups with their versions and resources in one document, for clients that ask for it at `/api` and `/apis`. */

const parameters = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

interface Aggregated {
  readonly text: string
  readonly tag: string
}

const coreGroup = perKinds((registry) => aggregated(registry, ['']))
const namedGroups = perKinds((registry) => aggregated(registry, groupsOf(registry.all())))

/** Undefined for another path, and for a client that asks for the plain document only. */
export function answerAggregated(registry: Registry, request: ApiRequest): WholeAnswer | undefined {
  const documents = documentsAt(request.path)
  const form = documents && aggregatedForm(request)
  if (!documents || !form) return undefined
  const { text, tag } = documents(registry)
  const headers = { etag: tag, vary: 'Accept', 'cache-control': 'public' }
  if (headerOf(request, 'if-none-match') === tag) return { code: 304, body: '', contentType: '', headers }
  const answer = textAnswer(200, text, form)
  return { ...answer, contentType: `${answer.contentType};${parameters}`, headers }
}

function documentsAt(path: string): ((registry: Registry) => Aggregated) | undefined {
  if (path === '/api' || path === '/api/') return coreGroup
  return path === '/apis' ? namedGroups : undefined
}

/** Asked for anywhere, it is preferred to the plain document, as on the real server. */
function aggregatedForm(request: ApiRequest): Form | undefined {
  const userAgent = headerOf(request, 'user-agent') ?? ''
  for (const clause of clausesOf(headerOf(request, 'accept'))) {
    const { g, v, as } = clause.parameters
    if (g !== 'apidiscovery.k8s.io' || v !== 'v2' || as !== 'APIGroupDiscoveryList') continue
    const form = formFor(clause, 'object', request.query, userAgent)
    if (form) return form
  }
  return undefined
}

function aggregated(registry: Registry, groups: readonly string[]): Aggregated {
  const kinds = registry.all()
  const text = JSON.stringify({
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => groupIn(kinds, group)),
  })
  const hash = createHash('sha512').update(text).digest('hex').toUpperCase()
  return { text, tag: `"${hash}"` }
}

const groupIn = (kinds: readonly Kind[], group: string) => ({
  metadata: { ...(group !== '' && { name: group }) },
  versions: versionsOf(kinds, group).map(({ version }) => ({
    version,
    resources: servedIn(kinds, group, version).map(resourceOf),
    freshness: 'Current',
  })),
})

function resourceOf({ kind, version }: { kind: Kind; version: KindVersion }) {
  const { plural, singular, namespaced, verbs, shownVerbs, shortNames, categories } = kind
  // Of built-in kinds the real server names the kind alone.
  const own = { group: kind.custom ? kind.group : '', version: kind.custom ? version.name : '', kind: kind.kind }
  const subresources = subresourcesAt(kind, version).map(({ name, other, verbs }) => ({
    ...{ subresource: name, responseKind: other ?? own, verbs },
  }))
  return {
    resource: plural,
    responseKind: own,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: shownVerbs ?? verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && { subresources }),
  }
}
