import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import type { Registries, RegistryEntry } from '../registries/entry.ts'
import { defaultPullSettings } from '../settings.ts'
import { checkClusterId, checkedRequest, checkReason, clusterIdErrors, generateErrors } from './input.ts'

const entry = (id: string, more: Partial<RegistryEntry> = {}): RegistryEntry => ({
  id,
  name: id,
  type: 'Quay',
  host: `${id}.example`,
  required: true,
  ...more,
})
const entries = [entry('quay'), entry('alias', { credentialSource: 'quay' }), entry('redhat')]
const registries: Registries = {
  entries,
  sources: entries.filter(({ credentialSource }) => !credentialSource),
  find: (id) => entries.find((one) => one.id === id || (id === 'rhit' && one.id === 'redhat')),
  driver: () => assert.fail('not asked'),
}
const deps = { settings: { ...defaultPullSettings, extraProviders: ['ibm cloud'] }, registries }
const cluster = { id: 'c', cloudProvider: 'gcp', region: 'us-east1' }
const fieldsOf = (request: Parameters<typeof generateErrors>[0]) =>
  generateErrors(request, deps).map(({ field, constraint }) => `${field} ${constraint}`)

test('ids of clusters fit a path', () => {
  for (const id of ['a', 'cls-abc-123', 'A.b_c-9', 'x'.repeat(253)]) assert.deepEqual(clusterIdErrors(id), [], id)
  for (const id of ['', '.', '..', 'a/b', '../x', 'a%2fb', '-a', 'a-', 'a b', 'a\n', 'ü', 'x'.repeat(254)])
    assert.throws(
      () => checkClusterId(id),
      (error) => isFailure(error, 'PULL_INPUT'),
      JSON.stringify(id),
    )
})

test('all that is wrong is told at once', () => {
  assert.deepEqual(fieldsOf({ cluster }), [])
  assert.deepEqual(fieldsOf({ cluster: { ...cluster, cloudProvider: 'foo', region: '' } }), [
    'cloud_provider enum',
    'region required',
  ])
  assert.deepEqual(fieldsOf({ cluster: { ...cluster, id: '..', region: 'a\u0000' }, registries: ['nobody', 'quay'] }), [
    'cluster_id pattern',
    'region length',
    'registries enum',
  ])
  assert.deepEqual(fieldsOf({ cluster, registries: [] }), ['registries required'])
})

test('providers are the three, and those of the configuration, in any case', () => {
  for (const cloudProvider of ['aws', 'AZURE', 'Gcp', 'IBM Cloud'])
    assert.deepEqual(fieldsOf({ cluster: { ...cluster, cloudProvider } }), [])
})

test('a value is told in part when it is long', () => {
  const [error] = generateErrors({ cluster: { ...cluster, region: 'x'.repeat(10_000) } }, deps)
  assert.ok((error?.value?.length ?? 0) < 200)
})

test('an alias stands for its source, an old name for the new one, and the order is that of the configuration', () => {
  const sourcesOf = (ids?: string[]) =>
    checkedRequest({ cluster, ...(ids && { registries: ids }) }, deps).sources.map(({ id }) => id)
  assert.deepEqual(sourcesOf(), ['quay', 'redhat'])
  assert.deepEqual(sourcesOf(['alias']), ['quay'])
  assert.deepEqual(sourcesOf(['rhit', 'alias', 'quay']), ['quay', 'redhat'])
})

test('an empty external id is none', () => {
  const checked = checkedRequest({ cluster: { ...cluster, externalResourceId: '' } }, deps)
  assert.deepEqual(checked.cluster, cluster)
})

test('a reason has 1 to 1024 characters', () => {
  checkReason('x'.repeat(1024))
  for (const reason of ['', 'x'.repeat(1025)])
    assert.throws(
      () => checkReason(reason),
      (error) => isFailure(error, 'PULL_INPUT'),
    )
})
