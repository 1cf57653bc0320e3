/** What API servers ask, as bytes on the wire. */

export const workloads = ['constant', 'no session', 'cached', 'round trip', 'policy'] as const
export type Workload = (typeof workloads)[number]

export const constantPath = '/bench/constant'
export const usagePath = '/bench/usage'

export const clusterName = (number: number): string => `cluster${number}`
export const groupName = (number: number): string => `group${number}`
export const userOf = (session: number): string => `user${session}@example.com`
export const tokenOf = (cluster: number): string => `bench-token-${cluster}`
/** Sessions go round the clusters, so that each has as many. */
export const clusterOf = (session: number, clusters: number): number => session % clusters
/** The only one that a policy of the bench forbids something in. */
export const protectedNamespace = 'protected'

export interface Question {
  readonly text: string
  /** What an answer to it must hold: one that went wrong must not count as a fast one. */
  readonly expected: string
}

export interface World {
  clusters: number
  sessions: number
}

/** How many people ask at the same time, at most: as many as have what the cache keeps warm. */
export const people = 500

/** Whose turn it is. */
export const sessionOf = (number: number, { sessions }: World): number => number % Math.min(people, sessions)

/** Another number for each, all of them of the first session. */
export const ofFirst = (number: number, { sessions }: World): number => number * Math.min(people, sessions)

/** The question of this number. */
export function questionOf(workload: Workload, number: number, world: World): Question {
  const { clusters } = world
  const session = sessionOf(number, world)
  const own = clusterOf(session, clusters)
  switch (workload) {
    case 'constant':
      return {
        text: posted(constantPath, own, attributes(userOf(session), 'list', 'configmaps')),
        expected: '"allowed":false',
      }
    case 'no session':
      return asked(
        number % clusters,
        attributes(`nobody${number % people}@example.com`, 'get', 'pods'),
        '"allowed":false',
      )
    case 'cached':
      return asked(own, attributes(userOf(session), 'list', 'configmaps'), '"allowed":true')
    case 'round trip':
      return asked(own, attributes(userOf(session), 'get', 'secrets', `name${number}`), '"allowed":true')
    case 'policy':
      return asked(
        number % clusters,
        attributes(`nobody${number % people}@example.com`, 'delete', 'secrets', 'one', protectedNamespace),
        '"denied":true',
      )
  }
}

/** What a policy forbids, as an API server asks before it asks RBAC. */
export const forbidden = (number: number, cluster: number): Question => ({
  text: posted(
    `/api/breakglass/webhook/authorize/${clusterName(cluster)}/policies?timeout=3s`,
    cluster,
    attributes(`nobody${number % people}@example.com`, 'delete', 'secrets', 'one', protectedNamespace),
  ),
  expected: '"denied":true',
})

const asked = (cluster: number, spec: object, expected: string): Question => ({
  text: posted(`/api/breakglass/webhook/authorize/${clusterName(cluster)}?timeout=3s`, cluster, spec),
  expected,
})

function attributes(user: string, verb: string, resource: string, name?: string, namespace = 'default') {
  const resourceAttributes = { namespace, verb, version: 'v1', resource, ...(name !== undefined && { name }) }
  return { user, groups: ['system:authenticated'], resourceAttributes }
}

function posted(path: string, cluster: number, spec: object): string {
  const review = {
    kind: 'SubjectAccessReview',
    apiVersion: 'authorization.k8s.io/v1',
    metadata: {},
    spec,
    status: { allowed: false },
  }
  const body = JSON.stringify(review)
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${tokenOf(cluster)}`,
    'content-type: application/json',
    'accept: application/json, */*',
    'user-agent: kube-apiserver',
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n')
}
