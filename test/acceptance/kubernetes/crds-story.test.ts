/** The life of one custom kind, from its definition on: all that a definition can ask for, together. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { describe, test } from 'node:test'
import { customResourceDefinitions } from '../../../src/kube/kinds.ts'
import { needsControlPlane, startControlPlane } from '../../support/control-plane.ts'
import type { Custom, DefinitionInput } from '../../support/custom-resources.ts'
import { aDefinition, define, refusalOf, unlessUnready } from '../../support/custom-resources.ts'
import { eventually } from '../../support/eventually.ts'
import { freshNamespace } from '../../support/fresh-namespace.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import { kubeClient } from '../../support/kube-client.ts'

const string = { type: 'string', maxLength: 50 }
const integer = { type: 'integer' }
const object = (properties: Record<string, object>, more: object = {}) => ({ type: 'object', properties, ...more })
const names = { plural: 'ships', kind: 'Ship', shortNames: ['shp'], categories: ['fleet'] }

const hull = object(
  {
    name: string,
    size: { ...integer, minimum: 1 },
    flag: { ...string, default: 'none' },
    berth: { 'x-kubernetes-int-or-string': true },
    notes: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    crew: { type: 'array', maxItems: 5, items: string, 'x-kubernetes-list-type': 'set' },
    decks: {
      type: 'array',
      maxItems: 5,
      items: object({ level: integer, use: string }, { required: ['level'] }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['level'],
    },
  },
  {
    required: ['name'],
    'x-kubernetes-validations': [
      { rule: 'self.name == oldSelf.name', message: 'a ship keeps its name', fieldPath: '.name' },
      { rule: '!has(self.crew) || self.crew.size() <= self.size', message: 'too many for its size' },
    ],
  },
)

interface Review {
  request: { uid: string; desiredAPIVersion: string; objects: Custom[] }
}

/** In v2 a ship has a `title` in place of a name. */
function converted({ spec = {}, ...ship }: Custom, apiVersion: string): Custom {
  const { name, title, ...rest } = spec
  const said = name ?? title
  return { ...ship, apiVersion, spec: { ...rest, ...(apiVersion.endsWith('v2') ? { title: said } : { name: said }) } }
}

async function startConverter(t: TestContext): Promise<object> {
  const server = await startHttpsServer(t, ({ body }) => {
    const { uid, objects, desiredAPIVersion } = (body as Review).request
    const convertedObjects = objects.map((one) => converted(one, desiredAPIVersion))
    const response = { uid, result: { status: 'Success' }, convertedObjects }
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', response }
  })
  const clientConfig = { url: `${server.url}/convert`, caBundle: Buffer.from(server.caPem).toString('base64') }
  return { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } }
}

async function start(t: TestContext, input: DefinitionInput) {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  const namespace = await freshNamespace(t, admin)
  const ships = await define(t, admin, { names, ...input })
  const here = (version?: string) => admin.of(ships.of(version), namespace)
  const aShip = (spec: Record<string, unknown>, version = 'v1') => ({
    apiVersion: `${ships.group}/${version}`,
    kind: 'Ship',
    metadata: { name: 'a' },
    spec,
  })
  return { admin, namespace, ships, here, aShip }
}

interface Table {
  columnDefinitions: { name: string }[]
  rows: { cells: unknown[] }[]
}

interface ResourceList {
  resources: Record<string, unknown>[]
}

/** Names, schema, rules, columns, and a webhook between its versions. */
async function lifeOfShips(t: TestContext): Promise<void> {
  const columns = [
    { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
    { name: 'Flag', type: 'string', jsonPath: '.spec.flag', priority: 1 },
  ]
  const { admin, namespace, ships, here, aShip } = await start(t, {
    conversion: await startConverter(t),
    versions: [
      { spec: hull, additionalPrinterColumns: columns },
      { spec: object({ title: string }, { 'x-kubernetes-preserve-unknown-fields': true }) },
    ],
  })

  const { status } = await admin.of(customResourceDefinitions).get(ships.name)
  const conditions = new Map(status?.conditions?.map(({ type, status: is, reason }) => [type, [is, reason]]))
  assert.deepEqual(conditions.get('NamesAccepted'), ['True', 'NoConflicts'])
  assert.deepEqual(conditions.get('Established'), ['True', 'InitialNamesAccepted'])
  assert.deepEqual(status?.acceptedNames?.shortNames, ['shp'])
  const path = `/apis/${ships.group}/v1`
  const listed = await eventually('discovery knows it', async () =>
    (await unlessUnready(admin.request<ResourceList>({ path })))?.resources.find(({ name }) => name === 'ships'),
  )
  assert.deepEqual([listed['shortNames'], listed['categories'], listed['singularName']], [['shp'], ['fleet'], 'ship'])

  const refusal = (spec: Record<string, unknown>) => refusalOf(here().create(aShip(spec), { dryRun: true }))
  const skipped =
    '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation'
  assert.deepEqual(await refusal({ size: 0, berth: true }), [
    skipped,
    'spec.berth: Invalid value: "boolean": spec.berth in body must be of type integer,string: "boolean"',
    'spec.name: Required value',
    'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ])
  assert.deepEqual(await refusal({ name: 'Argo', size: 5, crew: ['j', 'j'], decks: [{ level: 1 }, { level: 1 }] }), [
    'spec.crew[1]: Duplicate value: "j"',
    'spec.decks[1]: Duplicate value: {"level":1}',
  ])
  assert.deepEqual(await refusal({ name: 'Argo', size: 1, crew: ['j', 'k'] }), [
    'spec: Invalid value: too many for its size',
  ])

  const made = await here().create(aShip({ name: 'Argo', size: 50, berth: '7b', notes: { any: [1] }, sails: 3 }))
  assert.deepEqual(made.spec, { name: 'Argo', size: 50, berth: '7b', notes: { any: [1] }, flag: 'none' })
  assert.deepEqual(await refusalOf(here().update({ ...made, spec: { ...made.spec, name: 'Kon-Tiki' } })), [
    'spec.name: Invalid value: a ship keeps its name',
  ])
  const moved = await here().update({ ...made, spec: { ...made.spec, berth: 8 } })
  assert.deepEqual([moved.spec?.['berth'], moved.metadata.generation], [8, 2])

  const table = await admin.request<Table>({
    path: ships.path({ namespace }),
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  })
  assert.deepEqual(
    table.columnDefinitions.map(({ name }) => name),
    ['Name', 'Size', 'Flag'],
  )
  assert.deepEqual(table.rows[0]?.cells, ['a', 50, 'none'])

  const other = await here('v2').get('a')
  assert.deepEqual(
    [other.apiVersion, other.spec?.['title'], other.spec?.['name']],
    [`${ships.group}/v2`, 'Argo', undefined],
  )
  const renamed = here('v2').update({ ...other, spec: { ...other.spec, title: 'Kon-Tiki' } })
  await renamed
  assert.equal((await here().get('a')).spec?.['name'], 'Kon-Tiki')
}

/** Versions without a webhook. */
async function versionsOfOneShape(t: TestContext): Promise<void> {
  const { ships, here, aShip } = await start(t, {
    versions: [{ spec: object({ name: string }) }, { spec: object({ name: string, size: integer }) }],
  })
  await here('v2').create(aShip({ name: 'Argo', size: 1 }, 'v2'))
  const read = await here().get('a')
  assert.deepEqual([read.apiVersion, read.spec], [`${ships.group}/v1`, { name: 'Argo' }])
}

/** No rule is ignored: one that cannot be understood keeps the kind from being defined. */
async function unknownFunction(t: TestContext): Promise<void> {
  const admin = kubeClient(t, (await startControlPlane(t)).connection())
  const collection = admin.of(customResourceDefinitions)
  const unknown = aDefinition({
    names,
    versions: [{ spec: object({ name: { ...string, 'x-kubernetes-validations': [{ rule: 'self.isSeaworthy()' }] } }) }],
  })
  const [why = ''] = await refusalOf(collection.create(unknown))
  assert.match(why, /1:17: undeclared reference to 'isSeaworthy' \(in container ''\)/)
  assert.equal(await collection.find(unknown.metadata.name), undefined)
}

describe('custom kinds', needsControlPlane, () => {
  test('E14: a kind is established under its names, checks, defaults and prunes its objects, holds them to its rules, and shows them in its columns and versions', async (t) => {
    await lifeOfShips(t)
    await versionsOfOneShape(t)
    await unknownFunction(t)
  })
})
