/** Asks a control plane about everything it serves: what somebody may do, by access reviews and by real calls. */
import { isForbidden, KubeFailure } from '../../src/kube/failures.ts'
import { subjectAccessReviews } from '../../src/kube/kinds.ts'
import type { Kube, KubeRequest } from '../../src/kube/kube.ts'

/** A resource or subresource of one group and version. */
export interface Served {
  group: string
  version: string
  /** `pods/log` for a subresource. */
  resource: string
  namespaced: boolean
  verbs: readonly string[]
}

export interface Who {
  user: string
  groups: readonly string[]
}

export interface Question {
  verb: string
  group: string
  resource: string
  namespace?: string
  name?: string
}

const commonVerbs = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection']

/** What only access reviews know of, and where Kubernetes or the field gives it a meaning. */
const specialVerbs: readonly (readonly [resources: RegExp, verbs: readonly string[]])[] = [
  [/^(certificatesigningrequests.*|signers)\.certificates/, ['approve', 'sign', 'attest']],
  [/^(cluster)?roles\.rbac/, ['escalate', 'bind']],
  [/^(users|groups|serviceaccounts|uids|userextras.*)\./, ['impersonate']],
  [/^serviceaccounts\/token\./, ['subscribe']],
  [/\/(proxy|exec|attach|portforward|log)\./, ['proxy', 'connect', 'use']],
  [/^managedcluster/, ['renew', 'accept', 'approve', 'join', 'bind', 'use']],
]

const verbsOf = (group: string, resource: string): string[] => [
  ...commonVerbs,
  ...specialVerbs.flatMap(([resources, verbs]) => (resources.test(`${resource}.${group}`) ? verbs : [])),
]

/** What roles may speak of though no server lists it. */
export const virtualResources: readonly Pick<Served, 'group' | 'resource' | 'namespaced'>[] = [
  { group: 'register.open-cluster-management.io', resource: 'managedclusters/accept', namespaced: false },
  { group: 'register.open-cluster-management.io', resource: 'managedclusters/clientcertificates', namespaced: false },
  { group: 'cluster.open-cluster-management.io', resource: 'managedclustersets/join', namespaced: false },
  { group: 'cluster.open-cluster-management.io', resource: 'managedclustersets/bind', namespaced: false },
  { group: 'certificates.k8s.io', resource: 'signers', namespaced: false },
  { group: '', resource: 'users', namespaced: false },
  { group: '', resource: 'groups', namespaced: false },
  { group: 'authentication.k8s.io', resource: 'uids', namespaced: false },
  { group: 'authentication.k8s.io', resource: 'userextras/scopes', namespaced: false },
]

export const allPaths: readonly string[] = [
  ...['/', '/api', '/apis', '/openapi/v2', '/openapi/v3', '/version', '/healthz', '/livez', '/readyz', '/metrics'],
  ...['/metrics/slis', '/logs', '/logs/kube-apiserver.log', '/debug/pprof/profile', '/debug/flags/v', '/configz'],
  ...['/flagz', '/statusz', '/.well-known/openid-configuration', '/openid/v1/jwks'],
]

export async function discover(kube: Kube): Promise<Served[]> {
  interface Groups {
    groups: { name: string; versions: { version: string }[] }[]
  }
  const { groups } = await kube.request<Groups>({ path: '/apis' })
  const named = groups.flatMap(({ name, versions }) => versions.map(({ version }) => ({ group: name, version })))
  const lists = [{ group: '', version: 'v1' }, ...named].map(async ({ group, version }) => {
    const path = baseOf({ group, version })
    const { resources } = await kube.request<{ resources: { name: string; namespaced: boolean; verbs: string[] }[] }>({
      path,
    })
    return resources.map(({ name, ...rest }) => ({ group, version, resource: name, ...rest }))
  })
  return (await Promise.all(lists)).flat()
}

/** Every verb of every resource. Roles do not know of versions, so each resource is asked for once. */
export function questions(
  served: readonly Pick<Served, 'group' | 'resource' | 'namespaced'>[],
  at: (resource: string, namespaced: boolean) => { namespace?: string; name?: string },
): Question[] {
  const known = new Map([...served, ...virtualResources].map((one) => [`${one.group}/${one.resource}`, one]))
  return [...known.values()].flatMap(({ group, resource, namespaced }) =>
    verbsOf(group, resource).map((verb) => ({ verb, group, resource, ...at(resource, namespaced) })),
  )
}

/** The questions that are answered with yes, as people say them: `list leases.coordination.k8s.io`. Sorted. */
export async function allowed(admin: Kube, who: Who, asked: readonly Question[]): Promise<string[]> {
  const answers = await inParallel(asked, async ({ verb, group, resource, namespace, name }) => {
    const [main, subresource] = resource.split('/')
    const resourceAttributes = {
      ...{ verb, group, resource: main ?? '' },
      ...(subresource && { subresource }),
      ...(namespace && { namespace }),
      ...(name && { name }),
    }
    const { status } = await admin
      .of(subjectAccessReviews)
      .create({ spec: { user: who.user, groups: [...who.groups], resourceAttributes } })
    return status?.allowed ? [said(verb, group, resource)] : []
  })
  return [...new Set(answers.flat())].sort()
}

export async function allowedPaths(admin: Kube, who: Who): Promise<string[]> {
  const asked = allPaths.flatMap((path) => ['get', 'post', 'put', 'delete'].map((verb) => ({ verb, path })))
  const answers = await inParallel(asked, async ({ verb, path }) => {
    const spec = { user: who.user, groups: [...who.groups], nonResourceAttributes: { verb, path } }
    const { status } = await admin.of(subjectAccessReviews).create({ spec })
    return status?.allowed ? [`${verb} ${path}`] : []
  })
  return answers.flat()
}

export const said = (verb: string, group: string, resource: string): string =>
  `${verb} ${resource}${group && `.${group}`}`

export interface Call {
  what: string
  request: KubeRequest
}

/** Every served verb of every version, as a request for objects of this name; lists also across all namespaces. */
export function calls(served: readonly Served[], nameOf: (resource: string) => string, namespace: string): Call[] {
  return served.flatMap((one) =>
    one.verbs.flatMap((verb) => {
      const what = said(verb, one.group, one.resource)
      const [main = '', subresource] = one.resource.split('/')
      const base = baseOf(one)
      const collection = one.namespaced ? `${base}/namespaces/${namespace}/${main}` : `${base}/${main}`
      const object = [collection, nameOf(main), ...(subresource ? [subresource] : [])].join('/')
      const shape = requestOf(verb)
      if (!shape) return []
      const isOfMany = ['list', 'watch', 'create', 'deletecollection'].includes(verb) && !subresource
      const request = { ...shape, path: isOfMany ? collection : object }
      const isAcross = one.namespaced && (verb === 'list' || verb === 'watch')
      const across = { what: `${what} everywhere`, request: { ...shape, path: `${base}/${main}` } }
      return [{ what, request }, ...(isAcross ? [across] : [])]
    }),
  )
}

/** Every call that is not answered with "forbidden", and how it was. */
export async function notForbidden(kube: Kube, asked: readonly Call[]): Promise<string[]> {
  const answers = await inParallel(asked, ({ what, request }) =>
    kube.request(request).then(
      () => [`${what}: done`],
      (error: unknown) => {
        if (isForbidden(error)) return []
        if (error instanceof KubeFailure) return [`${what}: ${error.code}`]
        throw error
      },
    ),
  )
  return answers.flat()
}

const baseOf = ({ group, version }: { group: string; version: string }) =>
  group === '' ? `/api/${version}` : `/apis/${group}/${version}`

/** An empty object: who may not is told so before anybody looks at it. */
function requestOf(verb: string): Omit<KubeRequest, 'path'> | undefined {
  switch (verb) {
    case 'get':
    case 'list':
      return {}
    case 'watch':
      return { query: { watch: true, timeoutSeconds: 1 } }
    case 'create':
      return { method: 'POST', body: {}, contentType: 'application/json' }
    case 'update':
      return { method: 'PUT', body: {}, contentType: 'application/json' }
    case 'patch':
      return { method: 'PATCH', body: {}, contentType: 'application/merge-patch+json' }
    case 'delete':
    case 'deletecollection':
      return { method: 'DELETE' }
    default:
      return undefined
  }
}

/** A few at a time: a queue of thousands would run into the deadlines of clients. */
async function inParallel<T, R>(all: readonly T[], work: (one: T) => Promise<R>, width = 32): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    while (next < all.length) {
      const index = next++
      results[index] = await work(all[index] as T)
    }
  }
  await Promise.all(Array.from({ length: width }, worker))
  return results
}
