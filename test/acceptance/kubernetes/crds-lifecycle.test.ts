/** How a custom kind comes, changes and goes. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { isNotFound, KubeFailure } from '../../../src/kube/failures.ts'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom, Defined, DefinitionInput } from '../../support/custom-resources.ts'
import {
  aDefinition,
  addressOf,
  define,
  redefine,
  undefineAfter,
  uniqueGroup,
  unlessUnready,
  untilServed,
} from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { kubeClient } from '../../support/kube-client.ts'

async function start(t: TestContext) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  return { admin, namespace: await freshNamespace(t, admin) }
}

const aWidget = (widgets: Defined, name = 'a', fields: Custom = {}): Custom => ({
  apiVersion: `${widgets.group}/v1`,
  kind: 'Widget',
  ...fields,
  metadata: { name, ...fields.metadata },
})

const conditionOf = async (kube: Kube, name: string, type: string) => {
  const { status } = await kube.of(customResourceDefinitions).get(name)
  const found = status?.conditions?.find((condition) => condition.type === type)
  return found && { status: found.status, reason: found.reason, message: found.message }
}

const accepted = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
const established = { status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }

interface ResourceList {
  resources: {
    name: string
    kind: string
    singularName: string
    shortNames?: string[]
    categories?: string[]
    verbs: string[]
  }[]
}

const resourcesOf = (kube: Kube, group: string, version = 'v1') =>
  unlessUnready(kube.request<ResourceList>({ path: `/apis/${group}/${version}` }))

describe('the life of a custom kind', needsControlPlane, () => {
  test('E14a: nothing is served before the definition, everything once it is established, nothing after it', async (t) => {
    const { admin, namespace } = await start(t)
    const definition = aDefinition()
    const widgets = addressOf(definition)
    const here = admin.of(widgets.of(), namespace)
    await assert.rejects(here.list(), isNotFound)
    const created = await admin.of(customResourceDefinitions).create(definition)
    undefineAfter(t, admin, widgets.name)
    assert.deepEqual(created.status, {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: ['v1'],
    })
    await eventually('it is established', async () => {
      assert.deepEqual(await conditionOf(admin, widgets.name, 'Established'), established)
      assert.deepEqual(await conditionOf(admin, widgets.name, 'NamesAccepted'), accepted)
      return true
    })
    await untilServed(admin, widgets.path())
    await here.create(aWidget(widgets))
    assert.equal((await here.get('a')).kind, 'Widget')
    await assert.rejects(here.get('b'), {
      code: 404,
      message: `widgets.${widgets.group} "b" not found`,
    })
    await admin.of(customResourceDefinitions).delete(widgets.name)
    await eventually('it is gone', () => here.list().then(() => false, isNotFound))
    await eventually(
      'so is the definition',
      async () => !(await admin.of(customResourceDefinitions).find(widgets.name)),
    )
  })

  test('E14a: what is left out of a definition is filled in, and its status is the server’s', async (t) => {
    const { admin } = await start(t)
    const definition = aDefinition()
    const status = { storedVersions: ['v9'], acceptedNames: { plural: 'x', kind: 'Y' }, conditions: [] }
    const {
      spec,
      status: made,
      metadata,
    } = await admin.of(customResourceDefinitions).create({ ...definition, status }, { dryRun: true })
    assert.deepEqual(spec.names, { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' })
    assert.deepEqual(spec.conversion, { strategy: 'None' })
    assert.deepEqual(made?.storedVersions, ['v1'])
    assert.equal(metadata.generation, 1)
  })

  test('E14a: short names and categories are in discovery, under the version that is served', async (t) => {
    const { admin } = await start(t)
    const names = { shortNames: ['wd'], categories: ['all', 'gadgets'] }
    const widgets = await define(t, admin, { names, versions: [{ subresources: { status: {} } }] })
    const found = await eventually('discovery knows it', async () =>
      (await resourcesOf(admin, widgets.group))?.resources.find(({ name }) => name === 'widgets'),
    )
    assert.deepEqual([found.shortNames, found.categories], [['wd'], ['all', 'gadgets']])
    assert.deepEqual([found.kind, found.singularName], ['Widget', 'widget'])
    assert.deepEqual([...found.verbs].sort(), [
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ])
  })

  test('E14a: names that another definition of the group has are not accepted, and nothing is served', async (t) => {
    const { admin, namespace } = await start(t)
    const group = uniqueGroup()
    await define(t, admin, { group, names: { plural: 'apples', kind: 'Apple', shortNames: ['ap'] } })
    const conflicting: [names: Record<string, unknown>, reason: string, message: string][] = [
      [{ plural: 'pears', kind: 'Apple' }, 'ListKindConflict', '"AppleList" is already in use'],
      [
        { plural: 'kinds', kind: 'Apple', listKind: 'KindList', singular: 'kind' },
        'KindConflict',
        '"Apple" is already in use',
      ],
      [{ plural: 'plums', kind: 'Plum', shortNames: ['ap'] }, 'ShortNamesConflict', '"ap" is already in use'],
      [{ plural: 'figs', kind: 'Fig', singular: 'apple' }, 'SingularConflict', '"apple" is already in use'],
      [{ plural: 'nuts', kind: 'Nut', listKind: 'Apple' }, 'ListKindConflict', '"Apple" is already in use'],
    ]
    for (const [names, reason, message] of conflicting) {
      const definition = aDefinition({ group, names } as DefinitionInput)
      await admin.of(customResourceDefinitions).create(definition)
      undefineAfter(t, admin, definition.metadata.name)
      await eventually(`${names['plural']} is not accepted`, async () => {
        assert.deepEqual(await conditionOf(admin, definition.metadata.name, 'NamesAccepted'), {
          status: 'False',
          reason,
          message,
        })
        assert.deepEqual(await conditionOf(admin, definition.metadata.name, 'Established'), {
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        })
        return true
      })
      await assert.rejects(admin.of(addressOf(definition).of(), namespace).list(), isNotFound)
    }
  })

  test('E14a: a definition that waits for a name gets it when the other one goes', async (t) => {
    const { admin } = await start(t)
    const group = uniqueGroup()
    const first = await define(t, admin, { group, names: { plural: 'apples', kind: 'Apple' } })
    const second = aDefinition({ group, names: { plural: 'pears', kind: 'Apple' } })
    await admin.of(customResourceDefinitions).create(second)
    undefineAfter(t, admin, second.metadata.name)
    await eventually(
      'it waits',
      async () => (await conditionOf(admin, second.metadata.name, 'NamesAccepted'))?.status === 'False',
    )
    await admin.of(customResourceDefinitions).delete(first.name)
    await eventually(
      'it is established',
      async () => (await conditionOf(admin, second.metadata.name, 'Established'))?.status === 'True',
    )
  })

  test('E14a: an established kind stays served when a new short name of it is taken', async (t) => {
    const { admin, namespace } = await start(t)
    const group = uniqueGroup()
    await define(t, admin, { group, names: { plural: 'apples', kind: 'Apple', shortNames: ['ap'] } })
    const pears = await define(t, admin, { group, names: { plural: 'pears', kind: 'Pear' } })
    await redefine(admin, pears.name, ({ names }) => Object.assign(names, { shortNames: ['ap'] }))
    await eventually(
      'the name is refused',
      async () => (await conditionOf(admin, pears.name, 'NamesAccepted'))?.reason === 'ShortNamesConflict',
    )
    assert.deepEqual(await conditionOf(admin, pears.name, 'Established'), established)
    await eventually('it is served', () => unlessUnready(admin.of(pears.of(), namespace).list()))
    const { status } = await admin.of(customResourceDefinitions).get(pears.name)
    assert.deepEqual(status?.acceptedNames, { plural: 'pears', singular: 'pear', kind: 'Pear', listKind: 'PearList' })
  })

  test('E14a: the objects go with the definition, and one with a finalizer holds both back', async (t) => {
    const { admin, namespace } = await start(t)
    const widgets = await define(t, admin)
    const here = admin.of(widgets.of(), namespace)
    await here.create(aWidget(widgets, 'free'))
    await here.create(aWidget(widgets, 'held', { metadata: { finalizers: ['example.com/hold'] } }))
    const crds = admin.of(customResourceDefinitions)
    await crds.delete(widgets.name)
    const deleting = await crds.get(widgets.name)
    assert.deepEqual(deleting.metadata.finalizers, ['customresourcecleanup.apiextensions.k8s.io'])
    assert.equal(deleting.metadata.generation, 1)
    await eventually('the free one is gone', async () => !(await here.find('free')))
    await eventually('deletion is under way', async () => {
      assert.deepEqual(await conditionOf(admin, widgets.name, 'Terminating'), {
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      })
      return true
    })
    await eventually('the held one is being deleted', async () => (await here.get('held')).metadata.deletionTimestamp)
    await assert.rejects(here.create(aWidget(widgets, 'late')), {
      code: 403,
      reason: 'Forbidden',
      message: `widgets.${widgets.group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
    })
    await here.patch('held', { type: 'merge', body: { metadata: { finalizers: null } } })
    await eventually('both are gone', async () => !(await crds.find(widgets.name)))
    await eventually('and nothing is served', () => here.list().then(() => false, isNotFound))
  })

  test('E14a: a definition that comes again finds nothing of before', async (t) => {
    const { admin, namespace } = await start(t)
    const group = uniqueGroup()
    const widgets = await define(t, admin, { group })
    await admin.of(widgets.of(), namespace).create(aWidget(widgets))
    await admin.of(customResourceDefinitions).delete(widgets.name)
    await eventually('it is gone', async () => !(await admin.of(customResourceDefinitions).find(widgets.name)))
    const again = await define(t, admin, { group })
    assert.deepEqual((await admin.of(again.of(), namespace).list()).items, [])
  })

  test('E14a: a version that is added is served, and one that is no longer served is not', async (t) => {
    const { admin, namespace } = await start(t)
    const widgets = await define(t, admin)
    const versions = ['v1', 'v2'] as const
    const list = (version: (typeof versions)[number]) => admin.of(widgets.of(version), namespace).list()
    await admin.of(widgets.of(), namespace).create(aWidget(widgets))
    await assert.rejects(list('v2'), isNotFound)
    await redefine(admin, widgets.name, (spec) => {
      const [first] = spec.versions
      if (first) spec.versions.push({ ...first, name: 'v2', storage: false })
    })
    const { items } = await eventually('v2 is served', () => unlessUnready(list('v2')))
    assert.deepEqual(
      items.map(({ apiVersion }) => apiVersion),
      [`${widgets.group}/v2`],
    )
    await redefine(admin, widgets.name, ({ versions: [first] }) => void Object.assign(first ?? {}, { served: false }))
    await eventually('v1 is not served', () =>
      list('v1').then(
        () => false,
        (error) => error instanceof KubeFailure && error.code === 404,
      ),
    )
    await eventually('v2 is', () => unlessUnready(list('v2')))
  })

  test('E14a: versions that were stored are remembered', async (t) => {
    const { admin } = await start(t)
    const widgets = await define(t, admin, { versions: [{}, {}] })
    const { status, metadata } = await redefine(admin, widgets.name, ({ versions: [first, second] }) => {
      Object.assign(first ?? {}, { storage: false })
      Object.assign(second ?? {}, { storage: true })
    })
    assert.deepEqual(status?.storedVersions, ['v1', 'v2'])
    assert.equal(metadata.generation, 2)
  })
})
