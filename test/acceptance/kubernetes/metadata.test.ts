/** What every object has: a name, who it is, when it came to be, and what its generation counts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ConfigMap } from 'kubernetes-types/core/v1.d.ts'
import { isNotFound } from '../../../src/kube/failures.ts'
import {
  configMaps,
  deployments,
  namespaces,
  pods,
  roles,
  validatingWebhookConfigurations,
} from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { aConfigMap, aRole, uniqueName } from '../../support/builders.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { aDeployment, aPod, aValidatingConfiguration, aWebhook } from '../../support/kind-samples.ts'
import { clusterWide, kindScene, podScene, refusal, whyInvalid } from '../../support/kind-scene.ts'

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const qualified =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

const withMetadata = (kube: Kube, namespace: string, metadata: ConfigMap['metadata']) =>
  kube.of(configMaps, namespace).create({ metadata: { name: 'sample', ...metadata } }, { dryRun: true })

describe('the metadata of every object', needsControlPlane, () => {
  test('E11: generation is 1 at first, moves with the spec and stays with labels and the status', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const collection = kube.of(deployments, namespace)
    const created = await collection.create(aDeployment('web'))
    assert.equal(created.metadata.generation, 1)
    const generationAfter = async (body: object, subresource?: string) =>
      (await collection.patch('web', { type: 'merge', body }, subresource ? { subresource } : {})).metadata.generation
    assert.equal(await generationAfter({ metadata: { labels: { a: 'b' } } }), 1)
    assert.equal(await generationAfter({ status: { replicas: 0 } }, 'status'), 1)
    assert.equal(await generationAfter({ spec: { minReadySeconds: 3 } }), 2)
    assert.equal(await generationAfter({ spec: { minReadySeconds: 3 } }), 2)
    assert.equal(await generationAfter({ metadata: { generation: 9 } }), 2)
  })

  test('E11: generation of a deployment moves with its annotations, which replica sets inherit', async (t) => {
    const { kube, namespace } = await kindScene(t)
    await kube.of(deployments, namespace).create(aDeployment('web'))
    const patch = { type: 'merge', body: { metadata: { annotations: { 'example.com/a': 'b' } } } } as const
    assert.equal((await kube.of(deployments, namespace).patch('web', patch)).metadata.generation, 2)
  })

  test('E11: generation of a webhook configuration moves with its webhooks', async (t) => {
    const { kube } = await kindScene(t)
    const collection = kube.of(validatingWebhookConfigurations)
    const created = await clusterWide(t, collection, aValidatingConfiguration(uniqueName('generation'), aWebhook))
    assert.equal(created.metadata.generation, 1)
    const relabelled = await collection.update({ ...created, metadata: { ...created.metadata, labels: { a: 'b' } } })
    assert.equal(relabelled.metadata.generation, 1)
    assert.equal((await collection.update({ ...relabelled, webhooks: [] })).metadata.generation, 2)
  })

  test('E11: a kind without spec counts no generation', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const created = await kube.of(configMaps, namespace).create({ metadata: { name: 'plain', generation: 7 } })
    const changed = await kube.of(configMaps, namespace).update({ ...created, data: { a: 'b' } })
    assert.deepEqual([created.metadata.generation, changed.metadata.generation], [7, 7])
  })

  test('E11: the main resource cannot touch the status, nor the status subresource the spec', async (t) => {
    const { kube, namespace } = await podScene(t)
    const collection = kube.of(pods, namespace)
    const created = await collection.create({ ...aPod('web'), status: { phase: 'Running', message: 'mine' } })
    assert.deepEqual(created.status, { phase: 'Pending', qosClass: 'BestEffort' })
    const unmoved = await collection.patch('web', { type: 'merge', body: { status: { phase: 'Failed' } } })
    assert.equal(unmoved.status?.phase, 'Pending')
    const reported = await collection.update(
      { ...created, spec: { ...created.spec, containers: [] }, status: { ...created.status, phase: 'Running' } },
      { subresource: 'status' },
    )
    assert.deepEqual([reported.spec, reported.status?.phase], [created.spec, 'Running'])
  })

  test('E11: uid, creationTimestamp and deletionTimestamp of a new object are the server’s', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const long = '2001-01-01T00:00:00Z'
    const { metadata } = await kube.of(configMaps, namespace).create({
      metadata: {
        name: 'mine',
        uid: 'mine',
        creationTimestamp: long,
        deletionTimestamp: long,
        deletionGracePeriodSeconds: 5,
      },
    })
    assert.match(metadata.uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.match(metadata.creationTimestamp ?? '', /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.notEqual(metadata.creationTimestamp, long)
    assert.deepEqual([metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds], [undefined, undefined])
  })

  test('E11: an update keeps creationTimestamp and cannot give another uid or a deletionTimestamp', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const maps = kube.of(configMaps, namespace)
    const created = await maps.create(aConfigMap('mine'))
    const patch = (metadata: object) => maps.patch('mine', { type: 'merge', body: { metadata } })
    const kept = await patch({ creationTimestamp: '2001-01-01T00:00:00Z', labels: { a: 'b' } })
    assert.equal(kept.metadata.creationTimestamp, created.metadata.creationTimestamp)
    assert.equal(await whyInvalid(patch({ uid: 'mine' })), 'metadata.uid: Invalid value: "mine": field is immutable')
    assert.equal(
      await whyInvalid(patch({ deletionTimestamp: '2001-01-01T00:00:00Z' })),
      'metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
    )
    assert.equal(
      await whyInvalid(patch({ deletionGracePeriodSeconds: 5 })),
      'metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable',
    )
    assert.equal((await refusal(maps.update({ metadata: { name: 'mine', uid: 'mine' } }))).code, 409)
  })

  test('E11: an object that is being deleted keeps its deletionTimestamp and takes no new finalizers', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const maps = kube.of(configMaps, namespace)
    await maps.create({ metadata: { name: 'held', finalizers: ['example.com/hold'] } })
    await maps.delete('held')
    const { metadata } = await maps.get('held')
    assert.match(metadata.deletionTimestamp ?? '', /^20\d\d-/)
    assert.equal(metadata.deletionGracePeriodSeconds, 0)
    const patch = (change: object) => maps.patch('held', { type: 'merge', body: { metadata: change } })
    assert.equal((await patch({ deletionTimestamp: null })).metadata.deletionTimestamp, metadata.deletionTimestamp)
    assert.equal(
      await whyInvalid(patch({ finalizers: ['example.com/hold', 'example.com/more'] })),
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
    )
    await patch({ finalizers: null })
    await assert.rejects(maps.get('held'), isNotFound)
  })

  test('E11: the name is that of the path, and so is the namespace', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const maps = kube.of(configMaps, namespace)
    await maps.create(aConfigMap('mine'))
    const put = (metadata: object) =>
      refusal(
        kube.request({
          method: 'PUT',
          path: `/api/v1/namespaces/${namespace}/configmaps/mine`,
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
        }),
      )
    const [byName, byNamespace] = [await put({ name: 'other' }), await put({ name: 'mine', namespace: 'other' })]
    assert.deepEqual(
      [byName.code, byName.message],
      [400, 'the name of the object (other) does not match the name on the URL (mine)'],
    )
    assert.deepEqual(
      [byNamespace.code, byNamespace.message],
      [400, 'the namespace of the provided object does not match the namespace sent on the request'],
    )
  })

  test('E11: names are DNS subdomains, of namespaces DNS labels, of roles anything that fits into a path', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const named = (name: string) => whyInvalid(withMetadata(kube, namespace, { name }))
    assert.equal(await named('A_b'), `metadata.name: Invalid value: "A_b": ${subdomain}`)
    const long = 'x'.repeat(254)
    assert.equal(await named(long), `metadata.name: Invalid value: "${long}": must be no more than 253 characters`)
    assert.equal(await named(''), 'metadata.name: Required value: name or generateName is required')
    assert.equal(
      await whyInvalid(kube.of(namespaces).create({ metadata: { name: 'a.b' } }, { dryRun: true })),
      'metadata.name: Invalid value: "a.b": must not contain dots',
    )
    const role = (name: string) => kube.of(roles, namespace).create(aRole(name), { dryRun: true })
    assert.equal((await role('System:Any_thing')).metadata.name, 'System:Any_thing')
    assert.equal(await whyInvalid(role('a%b')), `metadata.name: Invalid value: "a%b": may not contain '%'`)
    assert.equal(await whyInvalid(role('..')), `metadata.name: Invalid value: "..": may not be '..'`)
  })

  test('E11: labels have qualified names and short values', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const labelled = (key: string, value: string) =>
      whyInvalid(withMetadata(kube, namespace, { labels: { [key]: value } }))
    assert.equal(await labelled('-a', ''), `metadata.labels: Invalid value: "-a": name part ${qualified}`)
    assert.equal(await labelled('/a', ''), 'metadata.labels: Invalid value: "/a": prefix part must be non-empty')
    assert.equal(
      await labelled('a/b/c', ''),
      `metadata.labels: Invalid value: "a/b/c": a valid label key ${qualified} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    )
    assert.equal(await labelled('A_/b', ''), `metadata.labels: Invalid value: "A_/b": prefix part ${subdomain}`)
    const long = 'x'.repeat(64)
    assert.equal(
      await labelled(long, ''),
      `metadata.labels: Invalid value: "${long}": name part must be no more than 63 bytes`,
    )
    assert.equal(await labelled('a', long), `metadata.labels: Invalid value: "${long}": must be no more than 63 bytes`)
    assert.equal(await labelled('a', 'b c'), `metadata.labels: Invalid value: "b c": ${labelValue}`)
  })

  test('E11: annotations have qualified names and are 256 KiB together', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const annotated = (annotations: Record<string, string>) => withMetadata(kube, namespace, { annotations })
    assert.equal(
      await whyInvalid(annotated({ 'a b': '' })),
      `metadata.annotations: Invalid value: "a b": name part ${qualified}`,
    )
    const most = 256 * 1024
    assert.ok(await annotated({ a: 'x'.repeat(most - 1) }))
    assert.equal(
      await whyInvalid(annotated({ a: 'x'.repeat(most) })),
      'metadata.annotations: Too long: may not be more than 262144 bytes',
    )
  })

  test('E11: owner references are whole, of no event, and one of them controls at most', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const owned = (...ownerReferences: object[]) =>
      whyInvalid(withMetadata(kube, namespace, { ownerReferences } as ConfigMap['metadata']))
    const path = 'metadata.ownerReferences'
    assert.equal(
      await owned({}),
      `[${path}.apiVersion: Invalid value: "": version must not be empty, ${path}.kind: Invalid value: "": must not be empty, ${path}.name: Invalid value: "": must not be empty, ${path}.uid: Invalid value: "": must not be empty]`,
    )
    const event = { apiVersion: 'v1', kind: 'Event', name: 'x', uid: 'u' }
    assert.equal(
      await owned(event),
      `${path}: Invalid value: ${JSON.stringify(event)}: /v1, Kind=Event is disallowed from being an owner`,
    )
    const [one, other] = ['x', 'y'].map((name) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name,
      uid: name,
      controller: true,
    }))
    assert.equal(
      await owned(one ?? {}, other ?? {}),
      `${path}: Invalid value: ${JSON.stringify([one, other])}: Only one reference can have Controller set to true. Found "true" in references for Pod/x and Pod/y`,
    )
  })

  test('E11: finalizers are qualified, and at most one of the two that decide about dependents', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const held = (...finalizers: string[]) => whyInvalid(withMetadata(kube, namespace, { finalizers }))
    assert.equal(
      await held('mine'),
      'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    )
    assert.equal(await held('a b/c'), `metadata.finalizers: Invalid value: "a b/c": prefix part ${subdomain}`)
    assert.equal(
      await held('orphan', 'foregroundDeletion'),
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    )
  })

  test('E10: generateName is completed with five characters, and stays in the object', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { metadata } = await kube.of(configMaps, namespace).create({ metadata: { generateName: 'made-' } })
    assert.match(metadata.name, /^made-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    assert.equal(metadata.generateName, 'made-')
  })

  test('E10: generateName gives way to a name', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const { metadata } = await kube
      .of(configMaps, namespace)
      .create({ metadata: { generateName: 'made-', name: 'given' } })
    assert.deepEqual([metadata.name, metadata.generateName], ['given', 'made-'])
  })

  test('E10: generateName never ends in AlreadyExists', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const maps = kube.of(configMaps, namespace)
    const made = await Promise.all(
      Array.from({ length: 50 }, () => maps.create({ metadata: { generateName: 'made-' } })),
    )
    assert.equal(new Set(made.map(({ metadata }) => metadata.name)).size, 50)
  })

  test('E10: generateName is cut to leave room, and refused when it cannot begin a name', async (t) => {
    const { kube, namespace } = await kindScene(t)
    const generated = (generateName: string) =>
      kube.of(configMaps, namespace).create({ metadata: { generateName } }, { dryRun: true })
    const { metadata } = await generated('x'.repeat(100))
    assert.match(metadata.name, /^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    const refused = await refusal(generated('A_'))
    assert.equal(refused.code, 422)
    const named = /"(A_\w{5})"/.exec(refused.message)?.[1]
    assert.equal(
      refused.message,
      `ConfigMap "${named}" is invalid: [metadata.generateName: Invalid value: "A_": ${subdomain}, metadata.name: Invalid value: "${named}": ${subdomain}]`,
    )
  })
})
