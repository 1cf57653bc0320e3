import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWatchAnswer } from '../requests/answer.ts'
import { answerHealth } from './health.ts'

const isWell = { storage: true, bootstrap: true }
const checks = [
  { name: 'ping', isWell: () => true },
  { name: 'storage', isWell: () => isWell.storage },
  { name: 'bootstrap', onlyReady: true, isWell: () => isWell.bootstrap },
]

function ask(path: string, query = ''): string | undefined {
  const answer = answerHealth(checks, path, new URLSearchParams(query))
  if (!answer) return undefined
  assert.ok(!isWatchAnswer(answer))
  assert.equal(answer.contentType, 'text/plain; charset=utf-8')
  return `${answer.code} ${answer.body}`
}

test('where all is well, ok is all that is said', () => {
  assert.deepEqual(
    ['/livez', '/readyz', '/healthz'].map((path) => ask(path)),
    ['200 ok', '200 ok', '200 ok'],
  )
  assert.equal(ask('/readyz/'), '200 ok')
  assert.equal(ask('/readyz/storage'), '200 ok')
})

test('whoever asks for more is told of each check', () => {
  assert.equal(ask('/livez', 'verbose'), '200 [+]ping ok\n[+]storage ok\nlivez check passed\n')
  assert.equal(ask('/readyz', 'verbose'), '200 [+]ping ok\n[+]storage ok\n[+]bootstrap ok\nreadyz check passed\n')
})

test('a process that starts is alive before it is ready', (t) => {
  isWell.bootstrap = false
  t.after(() => {
    isWell.bootstrap = true
  })
  assert.equal(ask('/livez'), '200 ok')
  assert.equal(
    ask('/readyz'),
    '500 [+]ping ok\n[+]storage ok\n[-]bootstrap failed: reason withheld\nreadyz check failed\n',
  )
  assert.match(ask('/readyz/bootstrap') ?? '', /^500 /)
})

test('checks can be left out, and those that are not there are named', () => {
  isWell.storage = false
  assert.match(ask('/livez') ?? '', /^500 .*\[-]storage failed/s)
  assert.equal(ask('/livez', 'exclude=storage'), '200 ok')
  assert.equal(
    ask('/livez', 'exclude=storage&exclude=etcd&verbose'),
    '200 [+]ping ok\n[+]storage excluded: ok\nwarn: some health checks cannot be excluded: no matches for "etcd"\nlivez check passed\n',
  )
  isWell.storage = true
})

test('other paths are none of its business', () => {
  assert.deepEqual([ask('/'), ask('/livezz'), ask('/api/livez')], [undefined, undefined, undefined])
  assert.equal(ask('/livez/none'), '404 404 page not found\n')
  assert.equal(ask('/livez/bootstrap'), '404 404 page not found\n')
  assert.equal(ask('/livez/ping/more'), '404 404 page not found\n')
})
