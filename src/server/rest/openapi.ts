import type { TSchema } from 'typebox'
import { isObject } from '../../core/schema/schema.ts'
import type { RawRoute, RestApi, RestRoute } from '../../fleet/rest.ts'
import { paramsOf } from './path.ts'

type Json = Record<string, unknown>

export interface OpenApi {
  openapi: string
  info: { title: string; version: string; description: string }
  tags: { name: string }[]
  security: Json[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; securitySchemes: Json; responses: Record<string, Json> }
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: Json[]
  requestBody?: Json
  responses: Record<string, Json>
  security?: Json[]
  'x-lanyard-permission'?: string
}

/** OpenAPI 3.1, whole: schemas, problems, security and examples, from nothing but what the routes declare. */
export function openapiOf(api: RestApi): OpenApi {
  const named = new Map(Object.entries(api.schemas ?? {}).map(([name, schema]) => [schema as unknown, name]))
  const told = api.problemStyle?.everywhere ?? everywhere
  const paths: OpenApi['paths'] = {}
  for (const route of api.routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route, named, told) }
  for (const route of api.raw ?? [])
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: rawOperationOf(route) }
  const schemas = Object.entries(api.schemas ?? {}).map(([name, schema]) => [name, spelled(schema, named, true)])
  return {
    openapi: '3.1.0',
    info: { title: api.title, version: api.version, description: api.description },
    tags: [...new Set([...api.routes, ...(api.raw ?? [])].map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: { ...Object.fromEntries(schemas), Problem: problemSchemaOf(api) },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            api.problemStyle?.bearer ??
            'A JWT of a configured issuer, the token of a Kubernetes ServiceAccount, or the local token.',
        },
      },
      responses: Object.fromEntries(Object.entries(told).map(([status, why]) => [status, problemAnswer(why)])),
    },
  }
}

/** Answers that any operation may give. */
const everywhere: Readonly<Record<string, string>> = {
  '400': 'What was sent is not right; `errors` says which fields (VAL-…).',
  '401': 'No token, a wrong one or one that has expired (AUT-…).',
  '403': 'The caller may not do this, or not to this cluster (AUZ-…).',
  '413': 'The body is too large.',
  '415': 'The body is not JSON.',
  '429': 'Too many calls (LMT-001); `Retry-After` says when to try again.',
  '500': 'A mistake on this side (INT-001).',
  '503': 'The database, a registry or whoever knows about tokens cannot be used at present (SVC-…).',
}
const withBody = ['413', '415']

function operationOf(
  route: RestRoute,
  named: ReadonlyMap<unknown, string>,
  told: Readonly<Record<string, string>>,
): Operation {
  const common = Object.keys(told).filter((status) => route.body || !withBody.includes(status))
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, route.permission && `Needs the permission \`${route.permission}\`.`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [route.tag],
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(route.body && {
      requestBody: {
        required: requiredOf(route.body).length > 0,
        content: {
          'application/json': {
            schema: spelled(route.body, named),
            ...(route.example.body !== undefined && { example: route.example.body }),
          },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, schema]) => [status, answerOf(route, status, schema, named)]),
      ),
      ...Object.fromEntries(common.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
      ...Object.fromEntries(Object.entries(route.problems ?? {}).map(([status, why]) => [status, problemAnswer(why)])),
    },
    ...(route.permission !== undefined && { 'x-lanyard-permission': route.permission }),
  }
}

/** It says itself what it answers; whether it wants a token is said in its description. */
const rawOperationOf = (route: RawRoute): Operation => ({
  operationId: route.operationId,
  summary: route.summary,
  description: route.description ?? '',
  tags: [route.tag],
  parameters: paramsOf(route.path).map((name) => parameter('path', name, { type: 'string' }, true, undefined)),
  responses: Object.fromEntries(
    Object.entries(route.answers).map(([status, description]) => [status, { description }]),
  ),
  security: [],
})

function answerOf(
  route: RestRoute,
  status: string,
  schema: TSchema | undefined,
  named: ReadonlyMap<unknown, string>,
): Json {
  const description = statusWords[status] ?? 'Done'
  if (!schema) return { description }
  const example = route.example.answers[Number(status)]
  const content = { schema: spelled(schema, named), ...(example !== undefined && { example }) }
  const type = route.isStream ? 'text/event-stream' : 'application/json'
  return { description, headers: traceHeaders, content: { [type]: content } }
}

const statusWords: Readonly<Record<string, string>> = {
  '200': 'Done',
  '201': 'Made',
  '202': 'Begun; what is pending goes on in the background',
  '204': 'Done, nothing to say',
  '304': 'Nothing has changed since `If-None-Match`',
}

const traceHeaders = {
  traceparent: { description: 'W3C Trace Context of this answer', schema: { type: 'string' } },
}

const problemAnswer = (description: string): Json => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
})

const requiredOf = (schema: TSchema): string[] =>
  ((schema as unknown as Json)['required'] as string[] | undefined) ?? []

const propertiesOf = (schema: TSchema | undefined): [string, Json][] =>
  Object.entries(((schema as unknown as Json | undefined)?.['properties'] ?? {}) as Record<string, Json>)

function pathParameters({ path, params, example }: RestRoute): Json[] {
  const declared = new Map(propertiesOf(params))
  return paramsOf(path).map((name) =>
    parameter('path', name, declared.get(name) ?? { type: 'string' }, true, example.params?.[name]),
  )
}

const queryParameters = ({ query, example }: RestRoute): Json[] =>
  propertiesOf(query).map(([name, schema]) =>
    parameter(
      'query',
      name,
      schema,
      query !== undefined && requiredOf(query).includes(name) && schema['default'] === undefined,
      example.query?.[name],
    ),
  )

const headerParameters = ({ headers = {} }: RestRoute): Json[] =>
  Object.entries(headers).map(([name, description]) =>
    parameter('header', name, { type: 'string', description }, false, undefined),
  )

function parameter(place: string, name: string, declared: Json, required: boolean, example: unknown): Json {
  const { description, ...schema } = spelled(declared, new Map()) as Json
  return {
    name,
    in: place,
    required,
    ...(description !== undefined && { description }),
    schema,
    ...(example !== undefined && { example }),
  }
}

/** Plain JSON, with a reference in place of each schema that has a name. */
function spelled(schema: unknown, named: ReadonlyMap<unknown, string>, isTop = false): unknown {
  if (Array.isArray(schema)) return schema.map((part) => spelled(part, named))
  if (!isObject(schema)) return schema
  const name = isTop ? undefined : named.get(schema)
  if (name !== undefined) return { $ref: `#/components/schemas/${name}` }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, spelled(value, named)]))
}

const text = (description: string, more: Json = {}) => ({ type: 'string', description, ...more })

const problemSchemaOf = ({ problemStyle }: RestApi): Json => ({
  type: 'object',
  description: 'RFC 9457, as `application/problem+json`.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'timestamp', 'trace_id'],
  properties: {
    type: text('Names the kind of problem.', { format: 'uri' }),
    title: text('The kind in words.'),
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: text('What is wrong here, and what to do about it.'),
    instance: text('The path that was asked for.'),
    code: text('Stable: what programs look at.', {
      pattern: problemStyle ? '^[A-Z_]+$' : '^HYPERFLEET-[A-Z]{3}-[0-9]{3}$',
    }),
    timestamp: text('When.', { format: 'date-time' }),
    trace_id: text('To find it in logs.'),
    errors: {
      type: 'array',
      description: 'The fields that are wrong.',
      items: {
        type: 'object',
        required: ['field', 'constraint', 'message'],
        properties: {
          field: text('Which.'),
          value: { description: 'What was sent, where it may be told.' },
          constraint: text('The rule that it breaks.'),
          message: text('In words.'),
        },
      },
    },
  },
})
