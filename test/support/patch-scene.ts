import assert from 'node:assert/strict'
import type { JSONSchemaProps } from 'kubernetes-types/apiextensions/v1.d.ts'
import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.d.ts'
import { KubeFailure } from '../../src/kube/failures.ts'
import { configMaps, customResourceDefinitions } from '../../src/kube/kinds.ts'
import type { Kube } from '../../src/kube/kube.ts'
import type { KubeObject, Resource } from '../../src/kube/objects.ts'
import { resource } from '../../src/kube/objects.ts'
import { uniqueName } from './builders.ts'
import { startControlPlane } from './control-plane.ts'
import { eventually } from './eventually.ts'
import { freshNamespace } from './fresh-namespace.ts'
import { kubeClient } from './kube-client.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
}

/** A namespace with a ConfigMap `note` in it, made by `maker`. */
export async function patchScene(t: TestScope, data: Record<string, string> = { a: '1', b: '2' }) {
  const plane = await startControlPlane(t)
  const admin = kubeClient(t, plane.connection())
  const namespace = await freshNamespace(t, admin)
  const maps = admin.of(configMaps, namespace)
  const note = await maps.create(
    { metadata: { name: 'note', labels: { kept: 'yes' } }, data },
    { fieldManager: 'maker' },
  )
  const path = `/api/v1/namespaces/${namespace}/configmaps/note`
  const send = (contentType: string, body: unknown, query: Record<string, string> = {}) =>
    admin.request<typeof note>({ method: 'PATCH', path, body, contentType, query })
  return { plane, admin, namespace, maps, note, path, send }
}

/** What a call that must fail was answered with. */
export async function refusal(call: Promise<unknown>) {
  try {
    await call
  } catch (error) {
    if (!(error instanceof KubeFailure)) throw error
    const { code, reason, message, details } = error
    return { code, reason, message, causes: details?.causes ?? [] }
  }
  return assert.fail('this should have been refused')
}

/** Who owns what: `manager operation subresource` and the fields, those of the named managers only. */
export const ownersOf = ({ metadata }: KubeObject, ...managers: string[]): [string, object | undefined][] =>
  (metadata?.managedFields ?? [])
    .filter(({ manager = '' }) => managers.length === 0 || managers.includes(manager))
    .map((entry) => [ownerName(entry), entry.fieldsV1])

const ownerName = ({ manager, operation, subresource }: ManagedFieldsEntry): string =>
  [manager, operation, subresource].filter(Boolean).join(' ')

export interface Shelf extends KubeObject {
  spec?: {
    title?: string
    tags?: string[]
    authors?: string[]
    books?: { name: string; shelf?: string; lent?: string }[]
    doors?: { port: number; protocol?: string }[]
    size?: { width?: string; height?: string }
    frame?: { wood?: string; color?: string }
    notes?: Record<string, string>
    extra?: unknown
  }
  status?: { full?: string }
}

const text = { type: 'string' as const }

const shelfSpec = {
  type: 'object',
  properties: {
    title: text,
    tags: { type: 'array', items: text },
    authors: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
    books: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, shelf: text, lent: text } },
    },
    doors: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { ...text, default: 'TCP' } },
      },
    },
    size: { type: 'object', properties: { width: text, height: text } },
    frame: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { wood: text, color: text } },
    notes: { type: 'object', additionalProperties: text },
    extra: { 'x-kubernetes-preserve-unknown-fields': true },
  },
} as JSONSchemaProps

/** A kind with every type of list and map, and a status subresource. Gone when the test is over. */
export async function shelves(t: TestScope, admin: Kube): Promise<Resource<Shelf>> {
  const group = `${uniqueName('patch')}.lanyard.test`
  await admin.of(customResourceDefinitions).create({
    metadata: { name: `shelves.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'shelves', singular: 'shelf', kind: 'Shelf', listKind: 'ShelfList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: shelfSpec, status: { type: 'object', properties: { full: text } } },
            },
          },
        },
      ],
    },
  })
  teardown(t, async () => void (await admin.of(customResourceDefinitions).delete(`shelves.${group}`)))
  const kind = resource<Shelf>(`${group}/v1`, 'Shelf', 'shelves')
  await eventually('shelves are served', () =>
    admin
      .of(kind)
      .list()
      .then(
        () => true,
        () => false,
      ),
  )
  return kind
}
