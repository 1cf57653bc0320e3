import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keycloakGroups } from './keycloak.ts'

const never = new AbortController().signal
const group = (id: string, path: string, subGroups: object[] = []) => ({
  id,
  name: path.split('/').at(-1),
  path,
  subGroups,
})

function realm(answers: Record<string, unknown>) {
  const asked: string[] = []
  const source = keycloakGroups(async (path) => {
    asked.push(path)
    return answers[path]
  }, 'corp')
  return { asked, source }
}
const search = (name: string) => `/groups?search=${name}&exact=true&briefRepresentation=true&first=0&max=100`
const page = (id: string, first: number) => `/groups/${id}/members?briefRepresentation=true&first=${first}&max=100`
const users = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ email: `User-${from + at}@Example.com`, enabled: true }))

test('members are read page by page, in lower case, without the locked out and those without an address', async () => {
  const last = [...users(2, 100), { email: 'gone@example.com', enabled: false }, { username: 'robot' }]
  const { source } = realm({
    [search('leads')]: [group('1', '/leads')],
    [page('1', 0)]: users(100),
    [page('1', 100)]: last,
  })
  const found = await source.members('leads', never)
  assert.equal(found?.length, 102)
  assert.ok(found?.includes('user-101@example.com'))
})

test('a group is found by its path, at the top before elsewhere, and not at all where the name is ambiguous', async () => {
  const below = group('9', '/eu', [group('2', '/eu/leads')])
  const { source, asked } = realm({
    '/group-by-path/eu/on%20call': group('3', '/eu/on call'),
    [page('3', 0)]: users(1),
    [search('leads')]: [below, group('4', '/leads')],
    [page('4', 0)]: users(2),
    [search('night')]: [group('a', '/a', [group('5', '/a/night')]), group('b', '/b', [group('6', '/b/night')])],
    [search('lead')]: [group('7', '/leading')],
  })
  assert.equal((await source.members('/eu/on call', never))?.length, 1)
  assert.equal((await source.members('leads', never))?.length, 2)
  await assert.rejects(source.members('night', never), { code: 'GROUP_AMBIGUOUS' })
  assert.equal(await source.members('lead', never), undefined)
  assert.equal(await source.members('/nowhere', never), undefined)
  assert.ok(asked.every((path) => !path.includes(' ')))
})

test('of a group without end no more is read than is kept', async () => {
  const { source, asked } = realm({
    [search('all')]: [group('1', '/all')],
    ...Object.fromEntries(Array.from({ length: 50 }, (_, at) => [page('1', at * 100), users(100, at * 100)])),
  })
  assert.equal((await source.members('all', never))?.length, 1_001)
  assert.equal(asked.length, 12)
})
