/** Who owns which field of an object, as every control plane keeps it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ManagedFieldsEntry } from 'kubernetes-types/meta/v1.d.ts'
import {
  certificateSigningRequests,
  configMaps,
  deployments,
  namespaces,
  pods,
  roles,
} from '../../../src/kube/kinds.ts'
import { apiVersionOf } from '../../../src/kube/objects.ts'
import { createRequest, generateKey } from '../../../src/pki/index.ts'
import { uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { untilPodsCanBeMade } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { ownersOf, patchScene, patchTypes, shelves } from '../../support/patch-scene.ts'
import { teardown } from '../../support/test-scope.ts'

const labelled = { 'f:metadata': { 'f:labels': { '.': {}, 'f:kept': {} } } }
const merge = (body: unknown) => ({ type: 'merge', body }) as const

const aDeployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
}

describe('managed fields', needsControlPlane, () => {
  test('E11: managedFields say who created an object, how, when, in which version and with which fields', async (t) => {
    const begin = `${new Date().toISOString().slice(0, 19)}Z`
    const { note } = await patchScene(t)
    const { managedFields = [], creationTimestamp = '' } = note.metadata
    assert.deepEqual(managedFields, [
      {
        manager: 'maker',
        operation: 'Update',
        apiVersion: 'v1',
        time: managedFields[0]?.time,
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, ...labelled },
      },
    ])
    // The server looks at its clock twice: for this first, for the object after it.
    const time = managedFields[0]?.time ?? ''
    assert.ok(begin <= time && time <= creationTimestamp, `${begin}, ${time}, ${creationTimestamp}`)
  })

  test('E11: managedFields of an update name who changed what; what was changed is taken from others', async (t) => {
    const { maps, note } = await patchScene(t)
    const updated = await maps.update({ ...note, data: { a: 'new', c: '3' } }, { fieldManager: 'other' })
    assert.deepEqual(ownersOf(updated), [
      ['maker Update', { 'f:data': {}, ...labelled }],
      ['other Update', { 'f:data': { 'f:a': {}, 'f:c': {} } }],
    ])
  })

  test('E11: managedFields of a patch name who changed what', async (t) => {
    const { maps } = await patchScene(t)
    await maps.patch('note', merge({ data: { c: '3' } }), { fieldManager: 'other' })
    const operations = [{ op: 'replace', path: '/data/b', value: 'new' }]
    const patched = await maps.patch('note', { type: 'json', operations }, { fieldManager: 'third' })
    assert.deepEqual(ownersOf(patched), [
      ['maker Update', { 'f:data': { '.': {}, 'f:a': {} }, ...labelled }],
      ['other Update', { 'f:data': { 'f:c': {} } }],
      ['third Update', { 'f:data': { 'f:b': {} } }],
    ])
  })

  test('E11: managedFields forget what was removed, and managers who own nothing any more', async (t) => {
    const { maps } = await patchScene(t)
    await maps.patch('note', merge({ data: { c: '3' } }), { fieldManager: 'other' })
    const patched = await maps.patch('note', merge({ data: { b: null, c: null } }), { fieldManager: 'third' })
    assert.deepEqual(ownersOf(patched), [['maker Update', { 'f:data': { '.': {}, 'f:a': {} }, ...labelled }]])
  })

  test('E11: managedFields of one manager are one entry for each operation', async (t) => {
    const { maps } = await patchScene(t)
    await maps.patch('note', merge({ data: { c: '3' } }), { fieldManager: 'maker' })
    const applied = await maps.apply({ metadata: { name: 'note' }, data: { d: '4' } }, { fieldManager: 'maker' })
    assert.deepEqual(ownersOf(applied), [
      ['maker Apply', { 'f:data': { 'f:d': {} } }],
      ['maker Update', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {}, 'f:c': {} }, ...labelled }],
    ])
  })

  test('E11: managedFields of who names no manager have the name of the program, else none', async (t) => {
    const { plane, namespace } = await patchScene(t)
    const managerFor = async (userAgent: string) => {
      const program = kubeClient(t, plane.connection(), { userAgent })
      const { metadata } = await program.of(configMaps, namespace).create({
        metadata: { generateName: 'x-' },
        data: { a: '1' },
      })
      return metadata.managedFields?.map(({ manager }) => manager)
    }
    assert.deepEqual(await managerFor('shelf-keeper/v1.2 (linux) other/3'), ['shelf-keeper'])
    assert.deepEqual(await managerFor('x'.repeat(200)), ['x'.repeat(128)])
    assert.deepEqual(await managerFor('/1.0'), ['unknown'])
  })

  test('E11: managedFields hold nothing that is the server’s own', async (t) => {
    const { maps } = await patchScene(t)
    const created = await maps.create(
      { metadata: { generateName: 'x-', annotations: { a: 'b' } }, data: {} },
      { fieldManager: 'maker' },
    )
    assert.deepEqual(ownersOf(created), [
      ['maker Update', { 'f:metadata': { 'f:annotations': { '.': {}, 'f:a': {} }, 'f:generateName': {} } }],
    ])
  })

  test('E11: managedFields of a built-in kind count its defaults, not its structure', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const created = await admin.of(deployments, namespace).create(aDeployment, { fieldManager: 'maker' })
    assert.deepEqual(ownersOf(created), [
      [
        'maker Update',
        {
          'f:spec': {
            'f:progressDeadlineSeconds': {},
            'f:replicas': {},
            'f:revisionHistoryLimit': {},
            'f:selector': {},
            'f:strategy': { 'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} }, 'f:type': {} },
            'f:template': {
              'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"web"}': {
                    '.': {},
                    'f:image': {},
                    'f:imagePullPolicy': {},
                    'f:name': {},
                    'f:resources': {},
                    'f:terminationMessagePath': {},
                    'f:terminationMessagePolicy': {},
                  },
                },
                'f:dnsPolicy': {},
                'f:restartPolicy': {},
                'f:schedulerName': {},
                'f:securityContext': {},
                'f:terminationGracePeriodSeconds': {},
              },
            },
          },
        },
      ],
    ])
  })

  test('E11: managedFields of a role count that it has no rules, if somebody said so', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const held = admin.of(roles, namespace)
    const said = await held.create({ metadata: { name: 'said' }, rules: [] }, { fieldManager: 'maker' })
    const unsaid = await held.create({ metadata: { name: 'unsaid' }, rules: null as never }, { fieldManager: 'maker' })
    assert.deepEqual([ownersOf(said), ownersOf(unsaid)], [[['maker Update', { 'f:rules': {} }]], []])
    assert.deepEqual([said.rules, unsaid.rules], [null, null])
  })

  test('E11: managedFields leave out what admission adds', async (t) => {
    const { admin, namespace } = await patchScene(t)
    await untilPodsCanBeMade(admin, namespace)
    const spec = { containers: [{ name: 'web', image: 'web:1' }] }
    const pod = await admin.of(pods, namespace).create({ metadata: { name: 'web' }, spec }, { fieldManager: 'maker' })
    assert.equal(pod.spec?.serviceAccountName, 'default')
    const [[, fields] = []] = ownersOf(pod, 'maker')
    const owned = Object.keys((fields as { 'f:spec'?: object } | undefined)?.['f:spec'] ?? {})
    assert.ok(owned.includes('f:containers') && owned.includes('f:dnsPolicy'))
    assert.ok(!owned.includes('f:serviceAccountName') && !owned.includes('f:volumes'))
  })

  test('E11: managedFields of a custom kind follow its schema', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const kind = await shelves(t, admin)
    const spec = {
      tags: ['x'],
      authors: ['b', 'a'],
      books: [{ name: 'x', lent: 'no' }],
      doors: [{ port: 80 }],
      size: { width: '1' },
      frame: { wood: 'oak' },
      notes: {},
      extra: { deep: { list: [1] } },
    }
    const created = await admin
      .of(kind, namespace)
      .create({ metadata: { name: 'one' }, spec, status: { full: 'no' } }, { fieldManager: 'maker' })
    assert.equal(created.metadata.managedFields?.[0]?.apiVersion, apiVersionOf(kind))
    assert.deepEqual(ownersOf(created), [
      [
        'maker Update',
        {
          'f:spec': {
            '.': {},
            'f:authors': { '.': {}, 'v:"a"': {}, 'v:"b"': {} },
            'f:books': { '.': {}, 'k:{"name":"x"}': { '.': {}, 'f:lent': {}, 'f:name': {} } },
            'f:doors': {
              '.': {},
              'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:protocol': {} },
            },
            'f:extra': { '.': {}, 'f:deep': { '.': {}, 'f:list': {} } },
            'f:frame': {},
            'f:notes': {},
            'f:size': { '.': {}, 'f:width': {} },
            'f:tags': {},
          },
        },
      ],
    ])
  })

  test('E11: managedFields of a write to the status name the subresource, and hold what it could change', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(await shelves(t, admin), namespace)
    await all.create({ metadata: { name: 'one' }, spec: { title: 'x' } }, { fieldManager: 'maker' })
    const body = { spec: { title: 'y' }, status: { full: 'yes' }, metadata: { labels: { a: 'b' } } }
    const patched = await all.patch('one', merge(body), { fieldManager: 'minder', subresource: 'status' })
    // By second, then by name: who comes later is later in the alphabet, too.
    assert.deepEqual(ownersOf(patched), [
      ['maker Update', { 'f:spec': { '.': {}, 'f:title': {} } }],
      ['minder Update status', { 'f:status': { '.': {}, 'f:full': {} } }],
    ])
  })

  test('E11: managedFields of the status of a deployment hold annotations, but neither labels nor the spec', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(deployments, namespace)
    await all.create(aDeployment, { fieldManager: 'maker' })
    const body = {
      metadata: { labels: { a: 'b' }, annotations: { 'example.com/a': 'b' } },
      spec: { paused: true },
      status: { collisionCount: 7 },
    }
    const patched = await all.patch('web', merge(body), { fieldManager: 'keeper', subresource: 'status' })
    const [[name, fields] = []] = ownersOf(patched, 'keeper')
    const { 'f:metadata': metadata, ...rest } = fields as { 'f:metadata': { 'f:annotations': object } }
    assert.deepEqual([name, rest], ['keeper Update status', { 'f:status': { 'f:collisionCount': {} } }])
    assert.deepEqual(Object.keys(metadata), ['f:annotations'])
    assert.ok('f:example.com/a' in metadata['f:annotations'])
  })

  test('E11: managedFields of a certificate signing request begin with its first change', async (t) => {
    const { admin } = await patchScene(t)
    const { keyPem } = generateKey()
    const request = await createRequest({ keyPem, subject: { commonName: 'agent' } })
    const all = admin.of(certificateSigningRequests)
    const { metadata } = await all.create({
      metadata: { name: uniqueName('agent') },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'example.com/signer',
        usages: ['client auth'],
      },
    })
    teardown(t, async () => void (await all.delete(metadata.name)))
    assert.equal(metadata.managedFields, undefined)
  })

  test('E11: managedFields of a scale write hold the replicas', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const all = admin.of(deployments, namespace)
    await all.create(aDeployment, { fieldManager: 'maker' })
    await all.patch('web', merge({ spec: { replicas: 1 } }), { fieldManager: 'scaler', subresource: 'scale' })
    const scaled = await all.get('web')
    assert.deepEqual(ownersOf(scaled, 'scaler'), [['scaler Update scale', { 'f:spec': { 'f:replicas': {} } }]])
    const [[, fields] = []] = ownersOf(scaled, 'maker')
    assert.ok(!('f:replicas' in (fields as { 'f:spec': object })['f:spec']))
  })

  test('E11: managedFields are cleared by who sends them empty, and then nobody is written down', async (t) => {
    for (const empty of [[], [{}]]) {
      const { maps, note } = await patchScene(t)
      const metadata = { ...note.metadata, managedFields: empty }
      const cleared = await maps.update({ ...note, metadata }, { fieldManager: 'other' })
      assert.equal(cleared.metadata.managedFields, undefined)
      assert.notEqual(cleared.metadata.resourceVersion, note.metadata.resourceVersion)
      const patched = await maps.patch('note', merge({ data: { c: '3' } }), { fieldManager: 'other' })
      assert.equal(patched.metadata.managedFields, undefined)
    }
  })

  test('E11: managedFields stay when a client leaves them out, or sends what cannot be read', async (t) => {
    const { maps, note } = await patchScene(t)
    const { managedFields, ...metadata } = note.metadata
    const entry: ManagedFieldsEntry = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }
    const sent: (ManagedFieldsEntry[] | undefined)[] = [
      undefined,
      [{}, {}],
      [{ ...entry, operation: 'Guess', fieldsV1: {} }],
      [{ ...entry, fieldsType: 'FieldsV9', fieldsV1: {} }],
      [{ ...entry, apiVersion: '', fieldsV1: {} }],
      [{ ...entry, fieldsV1: { nonsense: {} } }],
      [{ ...entry, fieldsV1: { 'k:{': {} } }],
    ]
    for (const fields of sent) {
      const updated = await maps.update({
        ...note,
        metadata: { ...metadata, ...(fields && { managedFields: fields }) },
      })
      assert.deepEqual(updated.metadata.managedFields, managedFields)
    }
  })

  test('E11: managedFields may be edited by a client', async (t) => {
    const { maps } = await patchScene(t)
    const time = '2020-01-01T00:00:00Z'
    const entry = { manager: 'x', operation: 'Apply', apiVersion: 'v1', time, fieldsType: 'FieldsV1' }
    const managedFields = [{ ...entry, fieldsV1: { 'f:data': { 'f:b': {}, 'f:a': {}, 'z:later': {} } } }]
    const { metadata } = await maps.patch('note', merge({ metadata: { managedFields } }), { fieldManager: 'other' })
    assert.deepEqual(metadata.managedFields, [{ ...entry, fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } } }])
  })

  test('E11: managedFields and the version stay when an update changes nothing', async (t) => {
    const { maps, note } = await patchScene(t)
    assert.deepEqual(await maps.update(note, { fieldManager: 'other' }), note)
  })

  test('E11: managedFields keep ten who updated, and put older ones together', async (t) => {
    const { maps } = await patchScene(t)
    for (let i = 0; i < 11; i++)
      await maps.patch('note', merge({ data: { [`k${i}`]: '1' } }), { fieldManager: `manager-${i}` })
    const { metadata } = await maps.get('note')
    const managers = metadata.managedFields?.map(({ manager }) => manager) ?? []
    assert.equal(managers.length, 10)
    assert.ok(managers.includes('ancient-changes'))
  })

  test('E11: managedFields are part of the metadata that is shown alone', async (t) => {
    const { maps, note } = await patchScene(t)
    const { metadata } = await maps.metadata.get('note')
    assert.deepEqual(metadata.managedFields, note.metadata.managedFields)
  })

  test('E11: managedFields are kept of objects without a namespace too', async (t) => {
    const { admin, namespace } = await patchScene(t)
    const body = { metadata: { labels: { team: 'a' } } }
    const patched = await admin.of(namespaces).patch(namespace, merge(body), { fieldManager: 'other' })
    assert.deepEqual(ownersOf(patched, 'other'), [['other Update', { 'f:metadata': { 'f:labels': { 'f:team': {} } } }]])
  })

  test('E11: managedFields change hands by an apply that is forced, and come back by an update', async (t) => {
    const { maps, send } = await patchScene(t)
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note' }, data: { a: 'x' } }
    await send(patchTypes.apply, body, { fieldManager: 'applier', force: 'true' })
    const updated = await maps.patch('note', merge({ data: { a: 'y' } }), { fieldManager: 'maker' })
    assert.deepEqual(ownersOf(updated), [
      ['maker Update', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} }, ...labelled }],
    ])
  })
})
