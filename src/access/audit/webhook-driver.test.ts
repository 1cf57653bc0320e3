import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { secrets } from '../../kube/kinds.ts'
import { failures } from '../outgoing/failures.ts'
import type { Post } from '../outgoing/post.ts'
import { Chain } from './chain.ts'
import { anEvent } from './testing/events.ts'
import { webhookDriver } from './webhook-driver.ts'

const chain = new Chain('w')
const [one, two] = [chain.append(anEvent({ id: '1' })), chain.append(anEvent({ id: '2' }))]
const { signal } = new AbortController()
const encoded = (text: string) => Buffer.from(text).toString('base64')

async function aDriver(webhook: object = {}, data: Record<string, string> = { token: 't1' }) {
  const clock = new FakeClock()
  const kube = new MemoryKube(clock)
  const own = kube.of(secrets, 'lanyard')
  const keep = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, encoded(value)]))
  await own.create({ metadata: { name: 'auth' }, data: keep(data) })
  const posts: Post[] = []
  const place: { refuses?: number } = {}
  const post = async (sent: Post) => {
    posts.push(sent)
    if (place.refuses !== undefined) throw failures.OUTGOING_REFUSED({ host: 'siem', answered: place.refuses })
  }
  const driver = webhookDriver(
    { url: 'https://siem/one', authSecretRef: { name: 'auth', namespace: 'lanyard' }, ...webhook },
    { kube, namespace: 'lanyard', clock, post },
  )
  const replace = (values: Record<string, string>) => own.patch('auth', { type: 'merge', body: { data: keep(values) } })
  return { clock, posts, place, driver, replace }
}

test('one record is sent as an object, several as an array to where those go', async () => {
  const single = await aDriver({ headers: { 'x-team': 'sec' } })
  await single.driver.write([one], signal)
  assert.deepEqual(single.posts, [
    {
      ...{ url: 'https://siem/one', body: JSON.stringify(one), timeoutMs: 5_000 },
      headers: { 'x-team': 'sec', authorization: 'Bearer t1' },
    },
  ])
  const many = await aDriver({ batchSize: 2, batchUrl: 'https://siem/many', timeoutSeconds: 9 })
  await many.driver.write([one, two], signal)
  // A server that takes arrays gets nothing else.
  await many.driver.write([one], signal)
  assert.deepEqual(
    many.posts.map(({ url, body, timeoutMs }) => [url, JSON.parse(body).length, timeoutMs]),
    [
      ['https://siem/many', 2, 9_000],
      ['https://siem/many', 1, 9_000],
    ],
  )
})

test('credentials are read anew after a while, and at once when the last ones did not do', async () => {
  const { clock, posts, place, driver, replace } = await aDriver()
  const used = () => posts.at(-1)?.headers?.['authorization']
  await driver.write([one], signal)
  await replace({ token: 't2' })
  await driver.write([one], signal)
  assert.equal(used(), 'Bearer t1')
  await clock.advance(30_000)
  await driver.write([one], signal)
  assert.equal(used(), 'Bearer t2')
  await replace({ token: 't3' })
  place.refuses = 401
  await assert.rejects(driver.write([one], signal), { code: 'OUTGOING_REFUSED' })
  await assert.rejects(driver.write([one], signal), { code: 'OUTGOING_REFUSED' })
  assert.equal(used(), 'Bearer t3')
})

test('a name and a password do as well; a Secret without either, or of another namespace, is told', async () => {
  const basic = await aDriver({}, { username: 'u', password: 'p' })
  await basic.driver.write([one], signal)
  assert.equal(basic.posts[0]?.headers?.['authorization'], `Basic ${encoded('u:p')}`)
  const empty = await aDriver({}, { username: 'u' })
  await assert.rejects(empty.driver.write([one], signal), { code: 'AUDIT_SECRET_INCOMPLETE' })
  const elsewhere = await aDriver({ authSecretRef: { name: 'auth', namespace: 'kube-system' } })
  await assert.rejects(elsewhere.driver.write([one], signal), { code: 'AUDIT_SECRET_ELSEWHERE' })
  assert.deepEqual([empty.posts, elsewhere.posts], [[], []])
})

test('only answers that speak of the records are the end of them', async () => {
  const { driver } = await aDriver()
  const isFinal = (answered: number) => driver.isFinal?.(failures.OUTGOING_REFUSED({ host: 'siem', answered }))
  assert.deepEqual([400, 413, 422].map(isFinal), [true, true, true])
  assert.deepEqual([401, 404, 429, 500, 503].map(isFinal), [false, false, false, false, false])
  assert.equal(driver.isFinal?.(new Error('anything else')), false)
})
