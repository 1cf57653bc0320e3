import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { teardown } from '../../../test/support/test-scope.ts'
import { isFailure } from '../../core/failure.ts'
import { silentLog } from '../../core/log.ts'
import type { Database } from '../store/database.ts'
import { openDatabase } from '../store/database.ts'
import type { LockOptions } from './index.ts'
import { clusterLock } from './index.ts'

/** Several processes of the service on one database. */
async function aDatabase(t: TestContext, lockConnections = 10) {
  const url = await freshDatabase(t)
  const open = () => {
    const database = openDatabase({ url, log: silentLog, connections: 2, lockConnections })
    teardown(t, async () => await database[Symbol.asyncDispose]())
    return database
  }
  const pod = (options: Partial<LockOptions> = {}) => {
    const database = open()
    return { database, lock: clusterLock({ database, log: silentLog, ...options }) }
  }
  return { pod, watcher: open() }
}

const locksIn = async (database: Database): Promise<number> => {
  const { rows } = await database.data.query(
    `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  )
  return rows[0].n
}

function aGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { passed: promise, open: resolve }
}

test('one at a time, over several processes', async (t) => {
  const { pod } = await aDatabase(t)
  const pods = [pod(), pod(), pod()]
  let inside = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      pods[i % 3]?.lock.hold('a', async () => {
        inside += 1
        most = Math.max(most, inside)
        await new Promise((resolve) => setImmediate(resolve))
        inside -= 1
      }),
    ),
  )
  assert.equal(most, 1)
})

test('500 calls for one cluster use one connection, and others pass them by', async (t) => {
  const { pod } = await aDatabase(t, 2)
  const { lock, database } = pod()
  const gate = aGate()
  const calls = Array.from({ length: 500 }, () => lock.hold('a', () => gate.passed))
  assert.equal(await lock.hold('b', async () => 'b'), 'b')
  assert.ok(database.locks.totalCount <= 2)
  assert.equal(database.locks.waitingCount, 0)
  gate.open()
  await Promise.all(calls)
})

test('the lock is free after the work, however it ended, and the connection is used again', async (t) => {
  const { pod, watcher } = await aDatabase(t, 1)
  const { lock, database } = pod()
  await lock.hold('a', async () => assert.equal(await locksIn(watcher), 1))
  assert.equal(await locksIn(watcher), 0)
  await assert.rejects(
    lock.hold('a', async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  assert.equal(await locksIn(watcher), 0)
  assert.equal(database.locks.totalCount, 1)
})

test('a lock that another process keeps is PULL_BUSY after the wait', async (t) => {
  const { pod, watcher } = await aDatabase(t)
  const gate = aGate()
  const has = aGate()
  const holder = pod().lock.hold('a', () => {
    has.open()
    return gate.passed
  })
  await has.passed
  const { lock } = pod({ waitMs: 50 })
  await assert.rejects(
    lock.hold('a', async () => {}),
    (error) => {
      assert.ok(isFailure(error, 'PULL_BUSY'))
      assert.ok(Number(error.params['retryAfterSeconds']) > 0)
      return true
    },
  )
  assert.equal(await lock.hold('b', async () => 'free'), 'free')
  gate.open()
  await holder
  assert.equal(await locksIn(watcher), 0)
})

test('a lock that this process keeps is PULL_BUSY after the wait, and at once when too many wait', async (t) => {
  const { pod } = await aDatabase(t)
  const gate = aGate()
  const { lock } = pod({ waitMs: 50, waiters: 1 })
  const holder = lock.hold('a', () => gate.passed)
  const waiting = lock.hold('a', async () => {})
  await assert.rejects(
    lock.hold('a', async () => {}),
    (error) => isFailure(error, 'PULL_BUSY'),
  )
  await assert.rejects(waiting, (error) => isFailure(error, 'PULL_BUSY'))
  gate.open()
  await holder
  await lock.hold('a', async () => {})
})

test('no free connection in time is PULL_BUSY, and none is lost by that', async (t) => {
  const { pod } = await aDatabase(t, 1)
  const gate = aGate()
  const { lock, database } = pod({ waitMs: 50 })
  const holder = lock.hold('a', () => gate.passed)
  await assert.rejects(
    lock.hold('b', async () => {}),
    (error) => isFailure(error, 'PULL_BUSY'),
  )
  gate.open()
  await holder
  assert.equal(await lock.hold('b', async () => 'b'), 'b')
  assert.equal(database.locks.totalCount, 1)
})

test('trying gives undefined when somebody here or elsewhere has it', async (t) => {
  const { pod } = await aDatabase(t)
  const [one, other] = [pod().lock, pod().lock]
  await one.hold('a', async () => {
    assert.equal(await one.tryHold('a', async () => 'mine'), undefined)
    assert.equal(await other.tryHold('a', async () => 'mine'), undefined)
  })
  assert.equal(await other.tryHold('a', async () => 'mine'), 'mine')
})

test('who has one by trying can hold others, even when many try', async (t) => {
  const { pod } = await aDatabase(t, 2)
  const { lock } = pod()
  const names = Array.from({ length: 6 }, (_, i) => `loop-${i}`)
  const done = await Promise.all(names.map((name) => lock.tryHold(name, () => lock.hold('a', async () => name))))
  assert.deepEqual(done, names)
})

test('the signal aborts when the connection is cut, and the caller is told to try again', async (t) => {
  const { pod, watcher } = await aDatabase(t)
  const { lock } = pod()
  const cut = () =>
    watcher.data.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'lanyard locks' AND datname = current_database()`)
  await assert.rejects(
    lock.hold('a', async (held) => {
      const aborted = new Promise((resolve) => held.addEventListener('abort', resolve, { once: true }))
      await cut()
      await aborted
      assert.ok(isFailure(held.reason, 'PULL_DATABASE_AWAY'))
      held.throwIfAborted()
    }),
    (error) => isFailure(error, 'PULL_DATABASE_AWAY'),
  )
  // The client may hear of the end before the server is done with it.
  await eventually('its lock is gone', async () => (await locksIn(watcher)) === 0)
  assert.equal(await lock.hold('a', async () => 'again'), 'again')
})

test('no server at all is PULL_DATABASE_AWAY', async () => {
  await using database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', log: silentLog })
  const lock = clusterLock({ database, log: silentLog })
  await assert.rejects(
    lock.hold('a', async () => {}),
    (error) => isFailure(error, 'PULL_DATABASE_AWAY'),
  )
})

test('one that waits for a place of loops keeps no request from its cluster', async (t) => {
  const { pod } = await aDatabase(t, 2)
  const { lock } = pod({ clock: new FakeClock() })
  const gate = aGate()
  const first = lock.tryHold('a', () => gate.passed)
  const second = lock.tryHold('b', async () => 'tried')
  assert.equal(await lock.hold('b', async () => 'held'), 'held')
  gate.open()
  await first
  assert.equal(await second, 'tried')
})

test('one who makes things with a slow registry leaves connections to others who do, and all of them some to those who end', async (t) => {
  const { pod } = await aDatabase(t)
  const { lock } = pod({ waitMs: 10_000 })
  const slow = aGate()
  let held = 0
  const makes = (maker: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      lock.hold(
        `${maker}-${at}`,
        async () => {
          held += 1
          await slow.passed
        },
        { caller: maker, isMaking: true },
      ),
    )
  const first = makes('a', 20)
  await eventually('the first has its share', () => held === 6)
  assert.equal(await lock.hold('of-b', async () => 'made', { caller: 'b', isMaking: true }), 'made', 'another passes')
  const second = makes('b', 20)
  await eventually('both have all that makers may have', () => held === 8)
  assert.equal(await lock.hold('suspended', async () => 'at once'), 'at once')
  slow.open()
  await Promise.all([...first, ...second])
  assert.equal(held, 40)
})
