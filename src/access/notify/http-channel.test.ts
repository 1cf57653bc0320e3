import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { advanceUntil } from '../../../test/support/advance-until.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'
import { isFailure } from '../../core/failure.ts'
import { failures } from '../outgoing/failures.ts'
import type { Post } from '../outgoing/post.ts'
import type { NotifyTarget } from '../settings.ts'
import type { Notice } from './contract.ts'
import { httpChannel } from './http-channel.ts'

const notice: Notice = {
  ...{ id: 'uid/1', transition: 'requested', at: '2026-01-01T00:00:00Z', audience: 'approvers' },
  session: {
    ...{ namespace: 'n', name: 's-1', cluster: 'west', user: 'dev@example.com', group: 'admins', state: 'Pending' },
  },
  recipients: [{ address: 'lead@example.com', groups: [] }],
}
const { signal } = new AbortController()

function aChannel(target: Partial<NotifyTarget> = {}) {
  const clock = new FakeClock()
  const posts: Post[] = []
  const place: { answers: (number | undefined)[] } = { answers: [] }
  const post = async (sent: Post) => {
    posts.push(sent)
    const answered = place.answers.shift()
    if (answered !== undefined) throw failures.OUTGOING_REFUSED({ host: 'chat', answered })
  }
  const channel = httpChannel({ name: 'ops', kind: 'webhook', url: 'https://chat/hook', ...target }, { clock, post })
  return { clock, posts, place, channel }
}

test('a program gets the notice without the names of all who are told, a chat a text', async () => {
  const program = aChannel()
  await program.channel.send(notice, signal)
  const body = JSON.parse(program.posts[0]?.body ?? '')
  assert.deepEqual([body.id, body.session.name, body.recipients], ['uid/1', 's-1', undefined])
  assert.match(body.headline, /dev@example\.com asks for admins on west/)
  const chat = aChannel({ kind: 'chat' })
  await chat.channel.send(notice, signal)
  assert.deepEqual(Object.keys(JSON.parse(chat.posts[0]?.body ?? '')), ['text'])
})

test('it is tried three times, but what is refused for good only once', async () => {
  const { clock, posts, place, channel } = aChannel()
  place.answers = [503, 429]
  const sent = channel.send(notice, signal)
  await clock.advance(2_000)
  await sent
  assert.equal(posts.length, 3)

  place.answers = [500, 500, 500, 500]
  const failed = assert.rejects(channel.send(notice, signal), { code: 'OUTGOING_REFUSED' })
  await clock.advance(10_000)
  await failed
  assert.equal(posts.length, 6)

  place.answers = [404]
  await assert.rejects(channel.send(notice, signal), { code: 'OUTGOING_REFUSED' })
  assert.equal(posts.length, 7)
})

test('the token is read each time, and a file that is not there is told by the name of the target', async (t) => {
  const tokenFile = join(tempDir(t), 'token')
  const { clock, posts, channel } = aChannel({ tokenFile })
  let failure: unknown
  const sent = channel.send(notice, signal).catch((error: unknown) => {
    failure = error
  })
  await advanceUntil(clock, 'it is given up', () => failure !== undefined, 500)
  await sent
  assert.ok(isFailure(failure, 'NOTICE_TOKEN_UNREADABLE'))
  assert.match(failure.message, /ops/)
  assert.equal(posts.length, 0)
  for (const token of ['t1', 't2']) {
    writeFileSync(tokenFile, `${token}\n`)
    await channel.send(notice, signal)
    assert.equal(posts.at(-1)?.headers?.['authorization'], `Bearer ${token}`)
  }
})
