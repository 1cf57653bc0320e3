/** Server-side apply, as every control plane answers it. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { apiVersionOf } from '../../../src/kube/objects.ts'
import { aConfigMap } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import type { Shelf } from '../../support/patch-scene.ts'
import { ownersOf, patchScene, patchTypes, refusal, shelves } from '../../support/patch-scene.ts'

/** A scene in which managers apply data to the ConfigMap `note`, which exists only when it was made. */
async function applyScene(t: TestContext) {
  const scene = await patchScene(t)
  const apply = (
    fieldManager: string,
    data: Record<string, string> | undefined,
    { name = 'note', force = false } = {},
  ) => scene.maps.apply({ metadata: { name }, ...(data && { data }) }, { fieldManager, force })
  return { ...scene, apply }
}

async function shelfScene(t: TestContext) {
  const scene = await patchScene(t)
  const kind = await shelves(t, scene.admin)
  const all = scene.admin.of(kind, scene.namespace)
  const apply = (fieldManager: string, spec: Shelf['spec'] | undefined, { force = false } = {}) =>
    all.apply({ metadata: { name: 'one' }, ...(spec && { spec }) }, { fieldManager, force })
  return { ...scene, kind, all, apply }
}

const conflictWith = (owner: string, field: string) => ({
  reason: 'FieldManagerConflict',
  message: `conflict with ${owner}`,
  field,
})

describe('server-side apply', needsControlPlane, () => {
  test('E7a: creates what is not there', async (t) => {
    const { apply, maps } = await applyScene(t)
    const created = await apply('one', { x: '1' }, { name: 'fresh' })
    assert.deepEqual(created.data, { x: '1' })
    assert.deepEqual(ownersOf(created), [['one Apply', { 'f:data': { 'f:x': {} } }]])
    assert.deepEqual(await maps.get('fresh'), created)
  })

  test('E7a: updates what it applies and leaves alone what it does not', async (t) => {
    const { apply } = await applyScene(t)
    await apply('one', { x: '1' })
    const { data, metadata } = await apply('one', { x: '2', y: '1' })
    assert.deepEqual(data, { a: '1', b: '2', x: '2', y: '1' })
    assert.deepEqual(metadata.labels, { kept: 'yes' })
  })

  test('E7a: removes what its manager applied before and does not any more', async (t) => {
    const { apply } = await applyScene(t)
    await apply('one', { x: '1', y: '1' })
    const { data } = await apply('one', { y: '1' })
    assert.deepEqual(data, { a: '1', b: '2', y: '1' })
    const bare = await apply('one', undefined)
    assert.deepEqual(bare.data, { a: '1', b: '2' })
    assert.deepEqual(ownersOf(bare, 'one'), [])
  })

  test('E7a: removes a whole part with the last of it', async (t) => {
    const { apply } = await applyScene(t)
    await apply('one', { x: '1' }, { name: 'fresh' })
    const emptied = await apply('one', undefined, { name: 'fresh' })
    assert.deepEqual([emptied.data, emptied.metadata.managedFields], [undefined, undefined])
  })

  test('E7a: conflicts with who owns a field that it would change, and names them', async (t) => {
    const { apply, maps, note } = await applyScene(t)
    assert.deepEqual(await refusal(apply('one', { a: 'mine' })), {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "maker" using v1: .data.a',
      causes: [conflictWith('"maker" using v1', '.data.a')],
    })
    assert.deepEqual(await maps.get('note'), note)
  })

  test('E7a: lists all conflicts, owner by owner', async (t) => {
    const { apply } = await applyScene(t)
    await apply('two', { x: '1' })
    const { message, causes } = await refusal(apply('one', { a: 'mine', b: 'mine', x: 'mine' }))
    assert.equal(
      message,
      'Apply failed with 3 conflicts: conflicts with "maker" using v1:\n- .data.a\n- .data.b\nconflicts with "two":\n- .data.x',
    )
    assert.deepEqual(
      causes.toSorted((a, b) => (a.field ?? '').localeCompare(b.field ?? '')),
      [
        conflictWith('"maker" using v1', '.data.a'),
        conflictWith('"maker" using v1', '.data.b'),
        conflictWith('"two"', '.data.x'),
      ],
    )
  })

  test('E7a: takes over by force, and the owner before owns it no longer', async (t) => {
    const { apply } = await applyScene(t)
    const forced = await apply('one', { a: 'mine' }, { force: true })
    assert.deepEqual(forced.data, { a: 'mine', b: '2' })
    assert.deepEqual(ownersOf(forced), [
      ['one Apply', { 'f:data': { 'f:a': {} } }],
      ['maker Update', { 'f:data': { '.': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:kept': {} } } }],
    ])
    const { message } = await refusal(apply('two', { a: 'yours' }))
    assert.equal(message, 'Apply failed with 1 conflict: conflict with "one": .data.a')
  })

  test('E7a: of the same value shares a field; it goes when the last owner drops it', async (t) => {
    const { apply } = await applyScene(t)
    await apply('one', { x: '1', y: '1' })
    await apply('two', { x: '1' })
    assert.deepEqual((await apply('one', { y: '1' })).data, { a: '1', b: '2', x: '1', y: '1' })
    assert.deepEqual((await apply('two', undefined)).data, { a: '1', b: '2', y: '1' })
  })

  test('E7a: of a shared field conflicts with the other owner when it is changed', async (t) => {
    const { apply } = await applyScene(t)
    await apply('one', { x: '1' })
    await apply('two', { x: '1' })
    const { causes } = await refusal(apply('one', { x: '2' }))
    assert.deepEqual(causes, [conflictWith('"two"', '.data.x')])
  })

  test('E7a: of what is there already makes no new version', async (t) => {
    const { apply } = await applyScene(t)
    const applied = await apply('one', { x: '1' })
    assert.deepEqual(await apply('one', { x: '1' }), applied)
  })

  test('E7a: may name the version that it is meant for', async (t) => {
    const { maps, note } = await applyScene(t)
    const at = (resourceVersion: string) =>
      maps.apply({ metadata: { name: 'note', resourceVersion }, data: { x: resourceVersion } }, { fieldManager: 'one' })
    assert.equal((await at(note.metadata.resourceVersion)).data?.['x'], note.metadata.resourceVersion)
    const { code, reason, message } = await refusal(at(note.metadata.resourceVersion))
    assert.deepEqual(
      [code, reason, message],
      [
        409,
        'Conflict',
        'Operation cannot be fulfilled on configmaps "note": the object has been modified; please apply your changes to the latest version and try again',
      ],
    )
  })

  test('E7a: needs a field manager', async (t) => {
    const { send } = await applyScene(t)
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note' } }
    const why = 'Required value: is required for apply patch'
    assert.deepEqual(await refusal(send(patchTypes.apply, body)), {
      code: 422,
      reason: 'Invalid',
      message: `PatchOptions.meta.k8s.io "" is invalid: fieldManager: ${why}`,
      causes: [{ reason: 'FieldValueRequired', message: why, field: 'fieldManager' }],
    })
  })

  test('E7a: reads YAML', async (t) => {
    const { send } = await applyScene(t)
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: note\ndata:\n  x: "1"\n'
    assert.equal((await send(patchTypes.apply, yaml, { fieldManager: 'one' })).data?.['x'], '1')
  })

  test('E7a: refuses what is of another kind, version, name or namespace', async (t) => {
    const { send } = await applyScene(t)
    const good = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note' } }
    const bad: [object, string][] = [
      [{ ...good, kind: 'Secret' }, 'invalid object type: /v1, Kind=Secret'],
      [{ ...good, apiVersion: 'apps/v1' }, 'invalid object type: apps/v1, Kind=ConfigMap'],
      [{ ...good, kind: undefined }, 'invalid object type: /v1, Kind='],
      [
        { ...good, metadata: { name: 'other' } },
        'the name of the object (other) does not match the name on the URL (note)',
      ],
      [
        { ...good, metadata: { name: 'note', namespace: 'other' } },
        'the namespace of the provided object does not match the namespace sent on the request',
      ],
      [{ ...good, metadata: { name: 'note', managedFields: [] } }, 'metadata.managedFields must be nil'],
    ]
    for (const [body, why] of bad) {
      const { code, reason, message } = await refusal(send(patchTypes.apply, body, { fieldManager: 'one' }))
      assert.deepEqual([code, reason, message], [400, 'BadRequest', why])
    }
  })

  test('E7a: refuses what does not fit the schema, because it cannot tell whose it would be', async (t) => {
    const { send } = await applyScene(t)
    const good = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note' } }
    const bad: [object, string][] = [
      [{ foo: 1 }, '.foo: field not declared in schema'],
      [{ data: { a: 1 } }, '.data.a: expected string, got &value.valueUnstructured{Value:1}'],
      [{ data: 5 }, '.data: expected map, got &{5}'],
      [
        { metadata: { ...good.metadata, finalizers: ['x.y/z', 'x.y/z'] } },
        '.metadata.finalizers: duplicate entries for key [="x.y/z"]',
      ],
    ]
    for (const [part, why] of bad) {
      const { code, message } = await refusal(send(patchTypes.apply, { ...good, ...part }, { fieldManager: 'one' }))
      assert.equal(code, 500)
      assert.equal(message, `failed to create typed patch object (/note; /v1, Kind=ConfigMap): ${why}`)
    }
  })

  test('E7a: as a dry run is answered with its result and not kept', async (t) => {
    const { maps, note } = await applyScene(t)
    const { data } = await maps.apply(
      { metadata: { name: 'note' }, data: { x: '1' } },
      { fieldManager: 'one', dryRun: true },
    )
    assert.equal(data?.['x'], '1')
    assert.deepEqual(await maps.get('note'), note)
  })

  test('E7a: leaves what was there before anybody was written down to nobody in particular', async (t) => {
    const { apply, send } = await applyScene(t)
    await send(patchTypes.merge, { metadata: { managedFields: [{}] } })
    const applied = await apply('one', { a: '1', x: '1' })
    assert.deepEqual(ownersOf(applied), [
      ['one Apply', { 'f:data': { 'f:a': {}, 'f:x': {} } }],
      [
        'before-first-apply Update',
        { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:kept': {} } } },
      ],
    ])
  })

  test('E7a: by kubectl goes over to what kubectl applied on its own side, and keeps its memory up to date', async (t) => {
    const { maps } = await applyScene(t)
    const annotation = 'kubectl.kubernetes.io/last-applied-configuration'
    const applied = (x: string) => aConfigMap('fresh', { x })
    const annotations = { [annotation]: `${JSON.stringify(applied('1'))}\n` }
    await maps.create(
      { ...applied('1'), metadata: { name: 'fresh', annotations } },
      { fieldManager: 'kubectl-client-side-apply' },
    )
    const other = await refusal(maps.apply(applied('2'), { fieldManager: 'other' }))
    assert.equal(
      other.message,
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.x',
    )
    const taken = await maps.apply(applied('2'), { fieldManager: 'kubectl' })
    assert.equal(taken.data?.['x'], '2')
    assert.deepEqual(JSON.parse(taken.metadata.annotations?.[annotation] ?? ''), applied('2'))
    const sent = { ...applied('3'), metadata: { name: 'fresh', annotations: { [annotation]: 'mine' } } }
    const again = await maps.apply(sent, { fieldManager: 'kubectl', force: true })
    const remembered = { ...applied('3'), metadata: { name: 'fresh', annotations: {} } }
    assert.deepEqual(JSON.parse(again.metadata.annotations?.[annotation] ?? ''), remembered)
  })
})

describe('server-side apply of lists and maps', needsControlPlane, () => {
  test('E7a: merges a list by its keys, each item and each field of it owned apart', async (t) => {
    const { apply } = await shelfScene(t)
    await apply('one', { books: [{ name: 'x', shelf: '1' }, { name: 'y' }] })
    const merged = await apply('two', { books: [{ name: 'z' }, { name: 'x', lent: 'yes' }] })
    assert.deepEqual(merged.spec?.books, [{ name: 'z' }, { name: 'x', shelf: '1', lent: 'yes' }, { name: 'y' }])
    assert.deepEqual(ownersOf(merged, 'two'), [
      [
        'two Apply',
        {
          'f:spec': {
            'f:books': {
              'k:{"name":"x"}': { '.': {}, 'f:lent': {}, 'f:name': {} },
              'k:{"name":"z"}': { '.': {}, 'f:name': {} },
            },
          },
        },
      ],
    ])
    const { message } = await refusal(apply('two', { books: [{ name: 'x', shelf: '2' }] }))
    assert.equal(message, 'Apply failed with 1 conflict: conflict with "one": .spec.books[name="x"].shelf')
    const dropped = await apply('one', { books: [{ name: 'y' }] })
    assert.deepEqual(dropped.spec?.books, [{ name: 'z' }, { name: 'x', lent: 'yes' }, { name: 'y' }])
  })

  test('E7a: keeps the order of what is applied among what is there', async (t) => {
    const { apply } = await shelfScene(t)
    const named = (names: string) => [...names].map((name) => ({ name }))
    const order = async (manager: string, names: string) =>
      (await apply(manager, { books: named(names) })).spec?.books?.map(({ name }) => name).join('')
    assert.equal(await order('one', 'bzc'), 'bzc')
    assert.equal(await order('two', 'cbd'), 'zcbd')
    assert.equal(await order('three', 'eba'), 'zcebda')
  })

  test('E7a: completes a key by its default', async (t) => {
    const { apply } = await shelfScene(t)
    const created = await apply('one', { doors: [{ port: 80 }, { port: 80, protocol: 'UDP' }] })
    assert.deepEqual(created.spec?.doors, [
      { port: 80, protocol: 'TCP' },
      { port: 80, protocol: 'UDP' },
    ])
    assert.deepEqual(ownersOf(created), [
      [
        'one Apply',
        {
          'f:spec': {
            'f:doors': {
              'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} },
              'k:{"port":80,"protocol":"UDP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
            },
          },
        },
      ],
    ])
  })

  test('E7a: merges a set by its values', async (t) => {
    const { apply } = await shelfScene(t)
    await apply('one', { authors: ['a', 'b'] })
    const merged = await apply('two', { authors: ['c', 'b'] })
    assert.deepEqual(merged.spec?.authors, ['a', 'c', 'b'])
    assert.deepEqual(ownersOf(merged, 'two'), [
      ['two Apply', { 'f:spec': { 'f:authors': { 'v:"b"': {}, 'v:"c"': {} } } }],
    ])
    assert.deepEqual((await apply('one', { authors: [] })).spec?.authors, ['c', 'b'])
  })

  test('E7a: replaces an atomic list and an atomic object as one', async (t) => {
    const { apply } = await shelfScene(t)
    await apply('one', { tags: ['a'], frame: { wood: 'oak' } })
    const { causes } = await refusal(apply('two', { tags: ['b'], frame: { color: 'red' } }))
    assert.deepEqual(causes, [conflictWith('"one"', '.spec.frame'), conflictWith('"one"', '.spec.tags')])
    const forced = await apply('two', { tags: ['b'], frame: { color: 'red' } }, { force: true })
    assert.deepEqual(forced.spec, { tags: ['b'], frame: { color: 'red' } })
    assert.deepEqual(ownersOf(forced), [['two Apply', { 'f:spec': { 'f:frame': {}, 'f:tags': {} } }]])
  })

  test('E7a: merges objects, maps and what has no schema field by field', async (t) => {
    const { apply } = await shelfScene(t)
    await apply('one', { size: { width: '1' }, notes: { a: '1' }, extra: { deep: { a: 1, list: [1] } } })
    const merged = await apply('two', { size: { height: '2' }, notes: { b: '2' }, extra: { deep: { b: 2 } } })
    assert.deepEqual(merged.spec, {
      size: { width: '1', height: '2' },
      notes: { a: '1', b: '2' },
      extra: { deep: { a: 1, b: 2, list: [1] } },
    })
    assert.deepEqual(ownersOf(merged, 'one'), [
      [
        'one Apply',
        {
          'f:spec': {
            'f:extra': { 'f:deep': { '.': {}, 'f:a': {}, 'f:list': {} } },
            'f:notes': { 'f:a': {} },
            'f:size': { 'f:width': {} },
          },
        },
      ],
    ])
  })

  test('E7a: refuses an item that has no key, and one that is there twice', async (t) => {
    const { apply, kind } = await shelfScene(t)
    const of = `failed to create typed patch object (/one; ${apiVersionOf(kind)}, Kind=Shelf): `
    const unkeyed = await refusal(apply('one', { books: [{ lent: 'yes' } as never] }))
    assert.deepEqual(
      [unkeyed.code, unkeyed.message],
      [
        500,
        `${of}.spec.books: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn't have default values for any key fields)`,
      ],
    )
    const twice = await refusal(apply('one', { doors: [{ port: 1 }, { port: 1, protocol: 'TCP' }] }))
    assert.equal(twice.message, `${of}.spec.doors: duplicate entries for key [port=1,protocol="TCP"]`)
    const nothing = await refusal(apply('one', { books: [null as never] }))
    assert.equal(nothing.message, `${of}.spec.books: element 0: associative list with keys may not have a null element`)
    const valueless = await refusal(apply('one', { authors: [null as never] }))
    assert.equal(
      valueless.message,
      `${of}.spec.authors: element 0: associative list without keys has an element that's an explicit null`,
    )
  })

  test('E7a: of null is not of nothing: a custom object is invalid by it', async (t) => {
    const { apply } = await shelfScene(t)
    const { code, causes } = await refusal(apply('one', { title: null as never, extra: null }))
    assert.deepEqual(
      [code, causes],
      [
        422,
        [
          {
            reason: 'FieldValueTypeInvalid',
            message: 'Invalid value: "null": spec.title in body must be of type string: "null"',
            field: 'spec.title',
          },
        ],
      ],
    )
  })

  test('E7a: that takes out all of a map but keeps the map leaves null, which is refused as well', async (t) => {
    const { apply, all } = await shelfScene(t)
    await apply('one', { title: 'x', notes: { a: '1' } })
    const { code, message } = await refusal(apply('one', { title: 'x', notes: {} }))
    assert.equal(code, 422)
    assert.match(message, /spec\.notes: Invalid value: "null": spec\.notes in body must be of type object: "null"$/)
    assert.deepEqual((await all.get('one')).spec, { title: 'x', notes: { a: '1' } })
    assert.deepEqual((await apply('one', { title: 'x' })).spec, { title: 'x' })
  })

  test('E7a: through the status subresource owns the status alone', async (t) => {
    const { apply, all } = await shelfScene(t)
    await apply('one', { title: 'x' })
    const applied = await all.apply(
      { metadata: { name: 'one' }, spec: { title: 'y' }, status: { full: 'yes' } },
      { fieldManager: 'one', subresource: 'status' },
    )
    assert.deepEqual([applied.spec, applied.status], [{ title: 'x' }, { full: 'yes' }])
    assert.deepEqual(ownersOf(applied), [
      ['one Apply', { 'f:spec': { 'f:title': {} } }],
      ['one Apply status', { 'f:status': { 'f:full': {} } }],
    ])
    const other = all.apply(
      { metadata: { name: 'one' }, status: { full: 'no' } },
      { fieldManager: 'two', subresource: 'status' },
    )
    assert.equal(
      (await refusal(other)).message,
      'Apply failed with 1 conflict: conflict with "one" with subresource "status": .status.full',
    )
  })

  test('E7a: merges containers by name and their ports by number and protocol', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(deployments, namespace)
    const deployment = (containers: object[], replicas?: number): Deployment & { metadata: { name: string } } => ({
      metadata: { name: 'web' },
      spec: {
        ...(replicas !== undefined && { replicas }),
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers: containers as { name: string }[] } },
      },
    })
    const ports = [{ containerPort: 80 }]
    await all.apply(deployment([{ name: 'web', image: 'web:1', ports }], 0), { fieldManager: 'one' })
    const merged = await all.apply(
      deployment([
        { name: 'web', image: 'web:1', ports: [{ containerPort: 80, protocol: 'UDP' }] },
        { name: 'proxy', image: 'proxy:1' },
      ]),
      { fieldManager: 'two' },
    )
    const [web, proxy] = merged.spec?.template.spec?.containers ?? []
    assert.deepEqual(
      [web?.name, web?.ports, proxy?.name],
      [
        'web',
        [
          { containerPort: 80, protocol: 'TCP' },
          { containerPort: 80, protocol: 'UDP' },
        ],
        'proxy',
      ],
    )
    assert.deepEqual(ownersOf(merged, 'one'), [
      [
        'one Apply',
        {
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': { 'f:app': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:image': {},
                    'f:name': {},
                    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                },
              },
            },
          },
        },
      ],
    ])
    const { causes } = await refusal(all.apply(deployment([{ name: 'web', image: 'web:2' }]), { fieldManager: 'two' }))
    assert.deepEqual(causes, [conflictWith('"one"', '.spec.template.spec.containers[name="web"].image')])
  })
})
