import { isObject } from '../../core/schema/schema.ts'
import type { FieldError, RestRequest, RestRoute } from '../../fleet/rest.ts'
import { failures } from '../failures.ts'
import type { RotationReason } from '../store/tables.ts'
import type { PullSecretApiDeps } from './deps.ts'
import { actorOf, checkOwner } from './deps.ts'
import * as examples from './examples.ts'
import type { ListQuery } from './listing.ts'
import { pickerOf } from './listing.ts'
import { base, rotationPath } from './paths.ts'
import { permissions } from './permissions.ts'
import { presentRotation } from './present.ts'
import * as schemas from './schemas.ts'

interface RotationParams {
  cluster_id: string
  rotation_id: string
}

interface RotateBody {
  reason: RotationReason
  force_immediate?: boolean
  revoke_first?: boolean
}

const path = `${base}/clusters/{cluster_id}/pull-secrets/rotations`
const common = { tag: 'Rotations', permissionFor: 'cluster_id' } as const
const one = { path: `${path}/{rotation_id}`, params: schemas.rotationParams } as const
const missing = { 404: 'The cluster has no such rotation (NTF-001), or is not known (NTF-002).' }
const oneExample = {
  params: { cluster_id: examples.clusterId, rotation_id: examples.rotationId },
  answers: { 200: examples.rotation },
}

export const rotationRoutes = (deps: PullSecretApiDeps): RestRoute[] => [
  {
    ...common,
    method: 'POST',
    path,
    operationId: 'createRotation',
    summary: 'Replace the credentials of a cluster',
    description:
      'For its owner. New credentials are made at every registry, then both work until the new ones are confirmed or the grace is over, then the old ones are removed. One rotation at a time.',
    permission: permissions.rotate,
    limit: 'rotations',
    params: schemas.clusterParams,
    body: schemas.rotateBody,
    headers: { 'Idempotency-Key': 'The same key gives the same rotation, for 24 hours.' },
    answers: { 200: schemas.rotation, 201: schemas.rotation },
    problems: {
      404: 'The cluster is not known (NTF-002), or has no pull secret (NTF-001).',
      409: 'It is suspended, or has an open rotation: `rotation_id` (CNF-003).',
    },
    example: {
      params: { cluster_id: examples.clusterId },
      body: { reason: 'manual', force_immediate: false },
      answers: { 200: examples.rotation, 201: examples.rotation },
    },
    check: rotateMistakes,
    async handle({ params, body, headers, caller, signal }: RestRequest<RotationParams, unknown, RotateBody>) {
      const { cluster_id } = params
      const idempotencyKey = keyFrom(headers['idempotency-key'])
      await checkOwner(deps, caller, cluster_id, signal)
      const { rotation, isNew } = await deps.service.rotating.request(
        {
          clusterId: cluster_id,
          reason: body.reason,
          ...(body.force_immediate !== undefined && { forceImmediate: body.force_immediate }),
          ...(body.revoke_first !== undefined && { revokeFirst: body.revoke_first }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
        actorOf(caller),
      )
      const headersOut = { location: rotationPath(cluster_id, rotation.id) }
      return { status: isNew ? 201 : 200, headers: headersOut, body: presentRotation(rotation) }
    },
  },
  {
    ...common,
    method: 'GET',
    path,
    operationId: 'listRotations',
    summary: 'List the rotations of a cluster',
    description: 'Newest first, of the last 90 days unless configured otherwise.',
    permission: permissions.readRotations,
    params: schemas.clusterParams,
    query: schemas.listQuery([], []),
    answers: { 200: schemas.listOf('PullSecretRotationList', schemas.rotation) },
    problems: missing,
    example: {
      params: { cluster_id: examples.clusterId },
      query: { page: 1, size: 20 },
      answers: { 200: examples.listOf('PullSecretRotationList', examples.rotation) },
    },
    async handle({ params: { cluster_id }, query, caller, signal }: RestRequest<RotationParams, ListQuery>) {
      await checkOwner(deps, caller, cluster_id, signal)
      const shown = pickerOf(Object.keys(schemas.rotation.properties), query.fields)
      const { items, page, total } = await deps.service.rotating.list(cluster_id, {
        page: query.page,
        size: query.size,
      })
      const found = items.map((item) => shown(presentRotation(item)))
      return { status: 200, body: { kind: 'PullSecretRotationList', page, size: found.length, total, items: found } }
    },
  },
  {
    ...common,
    ...one,
    method: 'GET',
    operationId: 'getRotation',
    summary: 'Get a rotation',
    permission: permissions.readRotations,
    answers: { 200: schemas.rotation },
    problems: missing,
    example: oneExample,
    async handle({ params: { cluster_id, rotation_id }, caller, signal }: RestRequest<RotationParams>) {
      await checkOwner(deps, caller, cluster_id, signal)
      return { status: 200, body: presentRotation(await deps.service.rotating.get(cluster_id, rotation_id)) }
    },
  },
  {
    ...common,
    ...one,
    path: `${one.path}/confirm`,
    method: 'POST',
    operationId: 'confirmRotation',
    summary: 'Say that the new credentials are in use',
    description: 'The old ones are removed then.',
    permission: permissions.confirmRotation,
    answers: { 200: schemas.rotation },
    problems: { ...missing, 409: 'There is nothing to confirm yet, or any more (CNF-003).' },
    example: oneExample,
    async handle({ params: { cluster_id, rotation_id }, caller, signal }: RestRequest<RotationParams>) {
      await checkOwner(deps, caller, cluster_id, signal)
      const rotation = await deps.service.rotating.confirm(cluster_id, rotation_id, actorOf(caller))
      return { status: 200, body: presentRotation(rotation) }
    },
  },
  {
    ...common,
    ...one,
    path: `${one.path}/cancel`,
    method: 'POST',
    operationId: 'cancelRotation',
    summary: 'Cancel a rotation before the new credentials are served',
    permission: permissions.operate,
    answers: { 200: schemas.rotation },
    problems: { ...missing, 409: 'The new credentials are served already (CNF-003).' },
    example: oneExample,
    async handle({ params: { cluster_id, rotation_id }, caller }: RestRequest<RotationParams>) {
      const rotation = await deps.service.rotating.cancel(cluster_id, rotation_id, actorOf(caller))
      return { status: 200, body: presentRotation(rotation) }
    },
  },
]

function rotateMistakes(body: unknown): FieldError[] {
  if (!isObject(body) || body['revoke_first'] !== true) return []
  if (body['force_immediate'] === true || body['reason'] === 'compromise') return []
  const message = 'needs force_immediate or the reason compromise'
  return [{ field: 'revoke_first', value: true, constraint: 'enum', message }]
}

function keyFrom(header: string | undefined): string | undefined {
  if (header === undefined || /^[\x21-\x7e]{1,255}$/.test(header)) return header
  const message = 'must have 1 to 255 printable characters without spaces'
  const params = {
    count: 1,
    fields: `Idempotency-Key ${message}`,
    errors: [{ field: 'Idempotency-Key', constraint: 'pattern', message }],
  }
  throw failures.PULL_INPUT(params)
}
