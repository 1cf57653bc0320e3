import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Session } from '../sessions/contract.ts'
import type { AccessView } from '../view.ts'
import { accessPasses } from './passes.ts'

const now = new Date('2026-05-01T10:00:00Z')
const session = (state: string, changes: object = {}): Session =>
  ({
    metadata: { name: 's', namespace: 'n', uid: 'u', resourceVersion: '1' },
    spec: { cluster: 'west', user: 'dev@example.com', grantedGroup: 'g', escalation: 'e' },
    status: {
      ...{ state, actualStartTime: '2026-05-01T09:30:00Z', expiresAt: '2026-05-01T10:30:00Z' },
      approvals: [{ approver: 'lead@example.com', at: '2026-05-01T09:30:00Z' }],
      ...changes,
    },
  }) as Session

function scene() {
  type Handler = Parameters<AccessView['sessions']['on']>[0]
  let tell: Handler = () => {}
  const sessions = {
    on(handler: Handler) {
      tell = handler
      return { [Symbol.dispose]: () => {} }
    },
  }
  const passes = accessPasses({ clock: { now: () => now } as never, view: { sessions } as unknown as AccessView })
  const list = async () => {
    const found = []
    for await (const pass of passes.list()) found.push(pass)
    return found
  }
  return { list, passes, tell: (change: Parameters<Handler>[0]) => tell(change) }
}

test('a session that grants is a pass, and none before and after', async () => {
  const { list, tell } = scene()
  tell({ type: 'added', object: session('Pending') })
  assert.deepEqual(await list(), [])
  tell({ type: 'updated', previous: session('Pending'), object: session('Approved') })
  const [pass] = await list()
  assert.deepEqual(
    [pass?.id, pass?.kind, pass?.holder, pass?.issuer, pass?.keptIn, pass?.expiresAt?.toISOString()],
    [
      ...['access/n/s', 'access', 'dev@example.com on west', 'breakglassescalation/e', 'breakglasssession/n/s'],
      '2026-05-01T10:30:00.000Z',
    ],
  )
  tell({ type: 'updated', previous: session('Approved'), object: session('Expired') })
  assert.deepEqual(await list(), [])
})

test('what its time has run out for is none, and one that is deleted is gone with the moment it went', async () => {
  const { list, passes, tell } = scene()
  tell({ type: 'added', object: session('Approved', { expiresAt: '2026-05-01T09:59:00Z' }) })
  assert.deepEqual(await list(), [])
  tell({ type: 'added', object: session('Approved') })
  const stop = new AbortController()
  const changes = passes.changes(stop.signal)[Symbol.asyncIterator]()
  tell({ type: 'deleted', object: session('Approved') })
  const { value } = await changes.next()
  stop.abort()
  assert.deepEqual(value?.expiresAt, now)
})
