import assert from 'node:assert/strict'
import type { ControlPlane } from './control-plane.ts'
import { rawRequest } from './raw-request.ts'

/** What tests read of OpenAPI documents. */

export interface Schema {
  description?: string
  properties?: Record<string, Schema>
  [keyword: string]: unknown
}

export interface Operation {
  operationId: string
  description: string
  tags: string[]
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, unknown> }
  responses: Record<string, { content?: Record<string, unknown> }>
  'x-kubernetes-action'?: string
  'x-kubernetes-group-version-kind'?: Kind
}

export interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, unknown>>
  components: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, unknown> }
}

interface Kind {
  group: string
  version: string
  kind: string
}

export const schemaPrefix = '#/components/schemas/'

/** By its path in the index: `apis/apps/v1`. */
export async function documentOf(plane: ControlPlane, path: string): Promise<Document> {
  const found = await findDocument(plane, path)
  assert.ok(found, `${path} is not published`)
  return found
}

export async function findDocument(plane: ControlPlane, path: string): Promise<Document | undefined> {
  const { code, json } = await rawRequest(plane, { path: `/openapi/v3/${path}` })
  return code === 200 ? json : undefined
}

export const operationsOf = (paths: Document['paths']): { path: string; method: string; operation: Operation }[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  )

export function referencesIn(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set()
  return new Set(
    Object.entries(value).flatMap(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' ? [inner] : [...referencesIn(inner)],
    ),
  )
}

export const schemaWithKind = (schemas: Record<string, Schema>, { group, version, kind }: Kind): Schema | undefined =>
  Object.values(schemas).find((schema) =>
    (schema['x-kubernetes-group-version-kind'] as Kind[] | undefined)?.some(
      (told) => told.group === group && told.version === version && told.kind === kind,
    ),
  )
