import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { pageStatement } from '../../../src/pull-secrets/api/list-sql.ts'
import { askedOf } from '../../../src/pull-secrets/api/listing.ts'
import { credentialListing } from '../../../src/pull-secrets/api/listings.ts'
import type { ApiScene } from '../../support/pull-secret-api.ts'
import { apiScene } from '../../support/pull-secret-api.ts'

type Item = Record<string, string>

/** So many credentials, two of a cluster, several in the same microsecond: what pages are cut from. */
async function filled(scene: ApiScene, count: number): Promise<void> {
  await scene.database.data.query(
    `INSERT INTO registry_credentials
       (id, username, registry_id, account_id, hyperfleet_instance_id, external_name, state, generation, created_at)
     SELECT gen_random_uuid(), 'org+robot_' || lpad(n::text, 6, '0'), CASE WHEN n % 2 = 0 THEN 'quay' ELSE 'redhat' END,
       'cluster-' || (n / 2), 'default', 'robot-' || n,
       CASE WHEN n % 10 = 0 THEN 'superseded' ELSE 'active' END, n % 7,
       timestamptz '2026-01-01 00:00:00.123456Z' + (n / 3) * interval '1 microsecond'
     FROM generate_series(1, ${count}) AS n`,
  )
}

const search = (text: string) => `/credentials?search=${encodeURIComponent(text)}`

/** All items, by following links. */
async function walk({ call }: ApiScene, first: string): Promise<{ items: Item[]; pages: number }> {
  const items: Item[] = []
  let pages = 0
  for (let path: string | undefined = first; path !== undefined; ) {
    const { status, body, headers } = await call('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    pages += 1
    assert.equal(body.page, pages)
    items.push(...body.items)
    path = /^<\/api\/hyperfleet\/v1([^>]+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1]
  }
  return { items, pages }
}

test('pages hold every item once, by links and by numbers, in either order', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 95)
  for (const order of ['created_time desc', 'created_time asc', 'created_time']) {
    const query = `/credentials?size=20&order=${encodeURIComponent(order)}`
    const { items, pages } = await walk(scene, query)
    assert.deepEqual([items.length, new Set(items.map(({ id }) => id)).size, pages], [95, 95, 5])
    const times = items.map(({ created_time }) => created_time as string)
    const sorted = [...times].sort()
    assert.deepEqual(times, order.endsWith('desc') ? sorted.reverse() : sorted)
    const byNumber: Item[] = []
    for (let page = 1; page <= 5; page += 1)
      byNumber.push(...(await scene.call('GET', `${query}&page=${page}`)).body.items)
    assert.deepEqual(byNumber, items)
  }
})

test('the envelope tells the page, its size and how many there are', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 30)
  const { body, headers } = await scene.call('GET', '/credentials?page=2')
  assert.deepEqual(
    [body.kind, body.page, body.size, body.total, body.total_relation, body.items.length],
    ['CredentialList', 2, 10, 30, 'exact', 10],
  )
  assert.equal(headers['link'], undefined)
  assert.deepEqual((await scene.call('GET', '/credentials?page=100000&size=100')).body.items, [])
})

test('beyond ten thousand the total is no count any more, and says so', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 11_500)
  await scene.database.data.query('ANALYZE registry_credentials')
  const whole = (await scene.call('GET', '/credentials?size=1')).body
  assert.deepEqual([whole.total, whole.total_relation], [11_500, 'estimate'])
  const active = (await scene.call('GET', `${search("state = 'active'")}&size=1`)).body
  assert.deepEqual([active.total, active.total_relation], [10_000, 'at_least'])
  const few = (await scene.call('GET', `${search("state = 'superseded'")}&size=1`)).body
  assert.deepEqual([few.total, few.total_relation], [1_150, 'exact'])
})

interface PlanNode {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: PlanNode[]
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('a page after another is read from an index, and no more than the page, however many rows there are', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 5_000)
  await scene.database.data.query('VACUUM ANALYZE registry_credentials')
  const { rows } = await scene.database.data.query(
    'SELECT id, created_at::text AS at FROM registry_credentials ORDER BY created_at DESC, id DESC OFFSET 3000 LIMIT 1',
  )
  const after = Buffer.from(
    JSON.stringify([`${rows[0]?.at.replace(' ', 'T').replace(/\+.*/, '')}Z`, rows[0]?.id]),
  ).toString('base64url')
  for (const text of [
    undefined,
    "state = 'active'",
    "registry_id = 'quay'",
    "state = 'active' and registry_id = 'quay'",
  ]) {
    const asked = askedOf(credentialListing, { page: 9, size: 20, after, ...(text && { search: text }) })
    const plan = await sql<{
      'QUERY PLAN': [{ Plan: PlanNode }]
    }>`EXPLAIN (ANALYZE, FORMAT JSON) ${pageStatement(credentialListing, asked)}`.execute(scene.database.db)
    const nodes = nodesOf(plan.rows[0]?.['QUERY PLAN'][0].Plan as PlanNode)
    assert.ok(!nodes.some((node) => node['Node Type'] === 'Seq Scan'), `${text}: ${JSON.stringify(nodes)}`)
    for (const node of nodes)
      assert.ok(node['Actual Rows'] * node['Actual Loops'] <= 20, `${text}: ${JSON.stringify(node)}`)
  }
})

const searches: [text: string, total: number][] = [
  ["cluster_id = 'cluster-7'", 2],
  ["cluster_id='cluster-7' and registry_id='quay'", 1],
  ["registry_id in ('quay', 'redhat') and cluster_id in ['cluster-1','cluster-2']", 4],
  ["state != 'active'", 10],
  ["username like 'org+robot_00000%'", 9],
  ["username = 'org+robot_000042'", 1],
  ['generation = 6 and generation <= 6', 14],
  ["created_time >= '2026-01-01T00:00:00.123480Z'", 29],
  ["created_time < '2027-01-01'", 100],
  ["cluster_id = 'it''s'", 0],
  ["cluster_id = ''' OR 1=1 --'", 0],
  ["id = '019a1b2c-3d4e-7f60-8a9b-0c1d2e3f4a5b'", 0],
  ["  registry_id = 'quay'  AND state = 'active' ", 40],
]
const mistakes: [text: string, field: string][] = [
  ['garbage', 'search'],
  ["token = 'x'", 'search'],
  ["key_id = 'x'", 'search'],
  ["constructor = 'x'", 'search'],
  ["state = 'active' or state = 'failed'", 'search'],
  ["state = 'active' and", 'search'],
  ["state = 'active", 'search'],
  ["state = 'active'; DROP TABLE registry_credentials", 'search'],
  ['state = active', 'state'],
  ['state = 1', 'state'],
  ["state ~ 'a'", 'search'],
  ["state like 'a%'", 'state'],
  ["username like '%a'", 'username'],
  ["username like 'a%b%'", 'username'],
  ["generation = 'x'", 'generation'],
  ['generation = 99999999999', 'generation'],
  ["created_time > 'noon'", 'created_time'],
  ["created_time > '2026-13-45'", 'created_time'],
  ["id = 'x'", 'id'],
  ["state in ('a' 'b')", 'state'],
  ['state in ()', 'state'],
  [Array.from({ length: 11 }, () => "state = 'a'").join(' and '), 'search'],
]

test('a search takes what it declares and names the field of what it does not take', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 100)
  for (const [text, total] of searches) {
    const { status, body } = await scene.call('GET', search(text))
    assert.deepEqual([status, body.total], [200, total], `${text}: ${JSON.stringify(body)}`)
  }
  for (const [text, field] of mistakes) {
    const { status, body } = await scene.call('GET', search(text))
    assert.deepEqual(
      [status, body.code, body.errors?.[0]?.field],
      [400, 'HYPERFLEET-VAL-002', field],
      `${text}: ${JSON.stringify(body)}`,
    )
  }
  assert.equal((await scene.call('GET', '/credentials')).body.total, 100)
})

test('fields leave of items what is asked for', async (t) => {
  const scene = await apiScene(t)
  await filled(scene, 1)
  const { body } = await scene.call('GET', '/credentials?fields=state,registry_id')
  assert.deepEqual(Object.keys(body.items[0]).sort(), ['id', 'kind', 'registry_id', 'state'])
  for (const wrong of [
    '/credentials?fields=token',
    '/credentials?order=state',
    '/credentials?order=created_time+up',
    '/credentials?after=x',
    '/credentials?after=WyJ4IiwieSJd',
  ])
    assert.equal((await scene.call('GET', wrong)).status, 400, wrong)
})

test('clusters are listed with where they are, whose they are and how they are', async (t) => {
  const { call } = await apiScene(t)
  for (const id of ['one', 'two', 'three'])
    await call('POST', `/clusters/${id}/pull-secrets`, {
      body: { cloud_provider: 'gcp', region: 'us-east1', owner: `org-${id}` },
    })
  await call('POST', '/clusters/two/pull-secrets/suspend', { body: { reason: 'unpaid' } })
  const { body } = await call('GET', '/clusters?order=cluster_id', { as: 'reader' })
  assert.deepEqual(
    body.items.map(({ id, state, owner, region }: Item) => [id, state, owner, region]),
    [
      ['one', 'active', 'org-one', 'us-east1'],
      ['three', 'active', 'org-three', 'us-east1'],
      ['two', 'suspended', 'org-two', 'us-east1'],
    ],
  )
  const theirs = await call('GET', `/clusters?search=${encodeURIComponent("owner = 'org-two'")}`)
  assert.deepEqual(
    theirs.body.items.map(({ id }: Item) => id),
    ['two'],
  )
})

test('the rotations of a cluster come in pages', async (t) => {
  const { call, clock } = await apiScene(t)
  const path = '/clusters/one/pull-secrets/rotations'
  await call('POST', '/clusters/one/pull-secrets', { body: { cloud_provider: 'gcp', region: 'us-east1' } })
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const { body } = await call('POST', path, { body: { reason: 'manual' } })
    made.unshift(body.id)
    await clock.advance('1s')
    await call('POST', `${path}/${body.id}/cancel`)
  }
  const first = (await call('GET', `${path}?size=2`)).body
  const second = (await call('GET', `${path}?size=2&page=2&fields=status`)).body
  assert.deepEqual([first.total, first.size, second.size], [3, 2, 1])
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }: Item) => id),
    made,
  )
  assert.deepEqual(Object.keys(second.items[0]).sort(), ['id', 'kind', 'status'])
})
