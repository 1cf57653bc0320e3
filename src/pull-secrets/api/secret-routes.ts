import { isObject } from '../../core/schema/schema.ts'
import type { FieldError, RestRequest, RestRoute } from '../../fleet/rest.ts'
import { generateErrors } from '../issuing/index.ts'
import type { PullSecretApiDeps } from './deps.ts'
import { actorOf, checkOwner, ownerFor } from './deps.ts'
import { entityTag, matches } from './etag.ts'
import * as examples from './examples.ts'
import { base, secretPath } from './paths.ts'
import { permissions } from './permissions.ts'
import { isPending, presentDeletion, presentPullSecret, presentResumed, presentSuspension } from './present.ts'
import * as schemas from './schemas.ts'

interface ClusterParams {
  cluster_id: string
}

interface GenerateBody {
  cloud_provider: string
  region: string
  external_resource_id?: string
  owner?: string
  registries?: string[]
}

const path = `${base}/clusters/{cluster_id}/pull-secrets`
const common = { path, tag: 'Pull secrets', params: schemas.clusterParams, permissionFor: 'cluster_id' } as const
const conflict = { 409: 'The cluster is suspended or being deleted (CNF-003).' }
const upstream = {
  502: 'A registry refuses us (SVC-004).',
  504: 'A registry did not answer (SVC-003); what it did is found out, nothing is doubled.',
}

export const secretRoutes = (deps: PullSecretApiDeps): RestRoute[] => [
  generate(deps),
  read(deps),
  remove(deps),
  suspend(deps),
  resume(deps),
]

const generate = (deps: PullSecretApiDeps): RestRoute => ({
  ...common,
  method: 'POST',
  operationId: 'generatePullSecret',
  summary: 'Make what a cluster lacks, and get its pull secret',
  description:
    'All or nothing. Idempotent: what exists is used again, so that it may be repeated at any time. 201 when something was made, 200 when all was there.',
  permission: permissions.create,
  body: schemas.generateBody,
  answers: { 200: schemas.pullSecret, 201: schemas.pullSecret },
  problems: { ...conflict, ...upstream },
  example: {
    params: { cluster_id: examples.clusterId },
    body: examples.generateBody,
    answers: { 200: examples.pullSecret, 201: examples.pullSecret },
  },
  check: (body) => generateMistakes(deps, body),
  async handle({ params: { cluster_id }, body, caller, signal }: RestRequest<ClusterParams, unknown, GenerateBody>) {
    const { cloud_provider, region, external_resource_id, owner, registries } = body
    const theirs = ownerFor(deps, caller, cluster_id, owner)
    await checkOwner(deps, caller, cluster_id, signal, { mayBeNew: true })
    const { pullSecret, created } = await deps.service.issuing.generate(
      {
        cluster: {
          id: cluster_id,
          cloudProvider: cloud_provider,
          region,
          ...(external_resource_id && { externalResourceId: external_resource_id }),
          ...(theirs !== undefined && { owner: theirs }),
        },
        ...(registries && { registries }),
      },
      actorOf(caller),
    )
    // Two who made it at the same moment were both let in: whose it became is on record by now.
    await checkOwner(deps, caller, cluster_id, signal, { mayHaveNone: true })
    return {
      status: created ? 201 : 200,
      headers: {
        // Of a part of the document there is no tag: it would be taken for that of the whole.
        ...(!registries && { etag: entityTag(pullSecret.etag) }),
        ...(created && { location: secretPath(cluster_id) }),
      },
      body: presentPullSecret(pullSecret, { withCredentials: true }),
    }
  },
})

/** As far as the schema has nothing to say about a field; the id of the path was checked before. */
function generateMistakes({ settings, registries }: PullSecretApiDeps, body: unknown): FieldError[] {
  if (!isObject(body)) return []
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  const { registries: ids } = body
  const named = Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : undefined
  return generateErrors(
    {
      cluster: {
        id: examples.clusterId,
        cloudProvider: text(body['cloud_provider']),
        region: text(body['region']),
        externalResourceId: text(body['external_resource_id']),
      },
      ...(named && { registries: named }),
    },
    { settings, registries },
  )
}

const read = (deps: PullSecretApiDeps): RestRoute => ({
  ...common,
  method: 'GET',
  operationId: 'readPullSecret',
  summary: 'Get the pull secret of a cluster',
  description: 'Never makes anything. Each read of tokens is audited; one answered with 304 reads none.',
  permission: permissions.readTokens,
  query: schemas.includeMetadata,
  headers: { 'If-None-Match': 'The ETag of an answer before: 304 when nothing has changed.' },
  answers: { 200: schemas.pullSecret, 304: undefined },
  problems: { ...conflict, 404: 'There is none (NTF-001).' },
  example: {
    params: { cluster_id: examples.clusterId },
    query: { include_metadata: true },
    answers: { 200: examples.pullSecret },
  },
  async handle({
    params: { cluster_id },
    query,
    headers,
    caller,
    signal,
  }: RestRequest<ClusterParams, { include_metadata: boolean }>) {
    await checkOwner(deps, caller, cluster_id, signal)
    const { issuing } = deps.service
    if (headers['if-none-match'] !== undefined) {
      const etag = await issuing.etag(cluster_id)
      if (etag !== undefined && matches(headers['if-none-match'], etag))
        return { status: 304, headers: { etag: entityTag(etag) } }
    }
    const pullSecret = await issuing.read(cluster_id, actorOf(caller))
    return {
      status: 200,
      headers: { etag: entityTag(pullSecret.etag) },
      body: presentPullSecret(pullSecret, { withCredentials: query.include_metadata }),
    }
  },
})

const remove = (deps: PullSecretApiDeps): RestRoute => ({
  ...common,
  method: 'DELETE',
  operationId: 'deletePullSecret',
  summary: 'Remove the credentials of a cluster everywhere',
  description:
    'Idempotent. An open rotation is cancelled. What a registry cannot do now is pending: it is done in the background.',
  permission: permissions.delete,
  answers: { 202: schemas.deletion, 204: undefined },
  example: { params: { cluster_id: examples.clusterId }, answers: { 202: examples.deletion } },
  async handle({ params: { cluster_id }, caller, signal }: RestRequest<ClusterParams>) {
    await checkOwner(deps, caller, cluster_id, signal)
    const { registries } = await deps.service.ending.remove(cluster_id, actorOf(caller))
    return isPending(registries) ? { status: 202, body: presentDeletion(cluster_id, registries) } : { status: 204 }
  },
})

const suspend = (deps: PullSecretApiDeps): RestRoute => ({
  ...common,
  method: 'POST',
  path: `${path}/suspend`,
  operationId: 'suspendPullSecret',
  summary: 'Take a cluster its access to registries',
  description:
    'Its accounts are removed or disabled, and nothing makes new ones until it is resumed. Images that nodes have already stay: running pods are not stopped.',
  permission: permissions.operate,
  body: schemas.reasonBody,
  answers: { 200: schemas.suspension, 202: schemas.suspension },
  problems: { 404: 'The cluster is not known (NTF-002).' },
  example: {
    params: { cluster_id: examples.clusterId },
    body: { reason: 'payment is overdue' },
    answers: { 200: examples.suspension, 202: examples.suspending },
  },
  async handle({ params: { cluster_id }, body, caller }: RestRequest<ClusterParams, unknown, { reason: string }>) {
    const { registries } = await deps.service.ending.suspend(cluster_id, body.reason, actorOf(caller))
    return { status: isPending(registries) ? 202 : 200, body: presentSuspension(cluster_id, registries) }
  },
})

const resume = (deps: PullSecretApiDeps): RestRoute => ({
  ...common,
  method: 'POST',
  path: `${path}/resume`,
  operationId: 'resumePullSecret',
  summary: 'Give a suspended cluster its access back',
  description: 'With new tokens: whoever delivers the document has to do so again. The answer has none of them.',
  permission: permissions.operate,
  body: schemas.reasonBody,
  answers: { 200: schemas.resumed },
  problems: { 404: 'The cluster is not known (NTF-002).', 409: 'It is being deleted (CNF-003).', ...upstream },
  example: {
    params: { cluster_id: examples.clusterId },
    body: { reason: 'paid' },
    answers: { 200: examples.resumed },
  },
  async handle({ params: { cluster_id }, body, caller }: RestRequest<ClusterParams, unknown, { reason: string }>) {
    const pullSecret = await deps.service.ending.resume(cluster_id, body.reason, actorOf(caller))
    return { status: 200, body: presentResumed(pullSecret) }
  },
})
