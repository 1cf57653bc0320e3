import type { Clock } from '../../core/clock.ts'
import { systemClock } from '../../core/clock.ts'
import type { RestRequest, RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import type { PullSecretApiDeps } from './deps.ts'
import { actorOf } from './deps.ts'
import * as examples from './examples.ts'
import type { ListQuery } from './listing.ts'
import { listPage, listTurns } from './listing.ts'
import { clusterListing, credentialListing } from './listings.ts'
import { base } from './paths.ts'
import { permissions } from './permissions.ts'
import { presentPool, presentRegistries } from './present.ts'
import * as schemas from './schemas.ts'

const whole = (kind: string, items: readonly unknown[]) => ({
  status: 200,
  body: { kind, page: 1, size: items.length, total: items.length, items },
})

/** What there is, without any token. */
export function operatorRoutes(deps: PullSecretApiDeps, clock: Pick<Clock, 'countdown'> = systemClock): RestRoute[] {
  const inTurn = listTurns(clock)
  return [
    {
      method: 'GET',
      path: clusterListing.path,
      tag: 'What there is',
      operationId: 'listClusters',
      summary: 'List the clusters that have, or had, a pull secret',
      permission: permissions.readMetadata,
      ofFleet: true,
      query: schemas.listQuery(Object.keys(clusterListing.orders), Object.keys(clusterListing.searched)),
      answers: { 200: schemas.listOf(clusterListing.kind, schemas.cluster) },
      example: {
        query: { search: "cloud_provider = 'gcp' and region = 'us-east1'" },
        answers: { 200: examples.listOf(clusterListing.kind, examples.cluster) },
      },
      handle: ({ query, caller }: RestRequest<unknown, ListQuery>) =>
        inTurn(caller, () => listPage(deps.database.db, clusterListing, query)),
    },
    {
      method: 'GET',
      path: credentialListing.path,
      tag: 'What there is',
      operationId: 'listCredentials',
      summary: 'List credentials, without their tokens',
      permission: permissions.readMetadata,
      ofFleet: true,
      query: schemas.listQuery(Object.keys(credentialListing.orders), Object.keys(credentialListing.searched)),
      answers: { 200: schemas.listOf(credentialListing.kind, schemas.credential) },
      example: {
        query: { search: `cluster_id = '${examples.clusterId}' and state in ('active', 'superseded')` },
        answers: { 200: examples.listOf(credentialListing.kind, examples.credential) },
      },
      handle: ({ query, caller }: RestRequest<unknown, ListQuery>) =>
        inTurn(caller, () => listPage(deps.database.db, credentialListing, query)),
    },
    {
      method: 'GET',
      path: `${base}/registries`,
      tag: 'What there is',
      operationId: 'listRegistries',
      summary: 'List the registries of the configuration',
      permission: permissions.readMetadata,
      answers: { 200: schemas.listOf('RegistryList', schemas.registry) },
      example: { answers: { 200: examples.listOf('RegistryList', examples.registry) } },
      handle: async () => whole('RegistryList', presentRegistries(deps.registries)),
    },
    {
      method: 'GET',
      path: `${base}/pools`,
      tag: 'What there is',
      operationId: 'listPools',
      summary: 'List the pools of credentials made ahead',
      permission: permissions.readMetadata,
      answers: { 200: schemas.listOf('PoolList', schemas.pool) },
      example: { answers: { 200: examples.listOf('PoolList', examples.pool) } },
      handle: async () => whole('PoolList', (await deps.service.pooling.list()).map(presentPool)),
    },
    {
      method: 'POST',
      path: `${base}/pools/{registry}/fill`,
      tag: 'What there is',
      operationId: 'fillPool',
      summary: 'Fill a pool by one batch, now',
      permission: permissions.operate,
      params: schemas.registryParams,
      answers: { 200: schemas.pool },
      problems: {
        404: 'There is no such registry, or it has no pool (NTF-001).',
        502: 'The registry refuses us (SVC-004).',
      },
      example: { params: { registry: 'quay' }, answers: { 200: examples.pool } },
      async handle({ params: { registry }, caller }: RestRequest<{ registry: string }>) {
        const entry = deps.registries.find(registry)
        if (!entry || entry.credentialSource !== undefined) throw failures.PULL_NO_REGISTRY({ registry })
        return { status: 200, body: presentPool(await deps.service.pooling.fill(entry.id, actorOf(caller))) }
      },
    },
  ]
}
