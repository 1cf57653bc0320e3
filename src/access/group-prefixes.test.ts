import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdentityProvider } from '../apis/breakglass/identity-provider.ts'
import { providerAnnotations } from '../fleet/names.ts'
import type { Stored } from '../kube/objects.ts'
import { groupPrefixesOf, groupsAtProvider } from './group-prefixes.ts'

const settings = { oidcPrefixes: ['oidc:', 'corp:'] }
const provider = (name: string, prefix?: string, more: Partial<NonNullable<IdentityProvider['spec']>> = {}) =>
  ({
    metadata: {
      ...{ name, uid: name, resourceVersion: '1' },
      ...(prefix !== undefined && { annotations: { [providerAnnotations.groupsPrefix]: prefix } }),
    },
    spec: { oidc: { authority: `https://${name}`, clientID: 'c' }, ...more },
  }) satisfies Stored<IdentityProvider>

test('F9g: all configured prefixes are those of the only provider, whatever it says of itself', () => {
  const alone = { isOnly: true, own: settings.oidcPrefixes, others: [] }
  assert.deepEqual(groupPrefixesOf('a', settings, []), alone)
  assert.deepEqual(groupPrefixesOf('a', settings, [provider('a', 'a:')]), alone)
  assert.deepEqual(groupPrefixesOf('a', settings, [provider('a'), provider('b', 'b:', { disabled: true })]), alone)
})

test('F9h: of several providers each has the prefix that it names, and none otherwise', () => {
  const both = [provider('a', 'corp:'), provider('b', 'b:'), provider('c')]
  const prefixes = (name?: string) => groupPrefixesOf(name, settings, both)
  assert.deepEqual(prefixes('a'), { isOnly: false, own: ['corp:'], others: ['oidc:', 'b:'] })
  assert.deepEqual(prefixes('b'), { isOnly: false, own: ['b:'], others: ['oidc:', 'corp:'] })
  const alike = [provider('a', 'corp'), provider('b', 'corp:')]
  for (const name of ['a', 'b'])
    assert.deepEqual(groupPrefixesOf(name, settings, alike).own, [], 'one begins as the other')
  for (const name of ['c', undefined])
    assert.deepEqual(prefixes(name), { isOnly: false, own: [], others: ['oidc:', 'corp:', 'b:'] })
})

test('F9k: a group of approvers with the prefix of another provider is not asked for, whatever a provider calls its own', () => {
  const both = [provider('a', 'a:'), provider('b', 'b:')]
  const names = (group: string, name: string) => groupsAtProvider(group, groupPrefixesOf(name, settings, both))
  assert.deepEqual(names('leads', 'a'), ['leads'])
  assert.deepEqual(names('a:leads', 'a'), ['a:leads', 'leads'])
  for (const group of ['b:leads', 'corp:leads', 'oidc:leads']) assert.deepEqual(names(group, 'a'), [], group)
  const alone = groupPrefixesOf('a', settings, [provider('a', 'a:')])
  assert.deepEqual(groupsAtProvider('corp:leads', alone), ['corp:leads', 'leads'])
})

test('an empty prefix in the settings is of nobody, so it takes no groups away', () => {
  assert.deepEqual(groupPrefixesOf('a', { oidcPrefixes: [''] }, [provider('a'), provider('b')]).others, [])
})
