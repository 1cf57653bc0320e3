import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transitions } from '../sessions/history.ts'
import type { Notice } from './contract.ts'
import { chatTextOf, headlineOf, letterOf } from './texts.ts'
import { tellingOf } from './transitions.ts'

const notice: Notice = {
  id: 'uid/1',
  transition: 'requested',
  at: '2026-01-01T00:00:00Z',
  session: {
    ...{ namespace: 'n', name: 's-1', cluster: 'west', user: 'dev@example.com', group: 'admins', state: 'Pending' },
    requestReason: '<script>alert(1)</script> & "more"\nUser: somebody else',
  },
  audience: 'approvers',
  recipients: [],
  command: 'lanyard access approve s-1',
  link: 'https://hub.example.com/session/s-1/approve',
}
const to = { address: 'lead@example.com', groups: ['leads', 'night'] }

test('a letter tells approvers what is asked for, by which groups they may approve, and how', () => {
  const { subject, text, html } = letterOf(notice, to)
  assert.equal(subject, '[lanyard] dev@example.com asks for admins on west')
  assert.match(text, /You may approve as a member of: leads, night/)
  assert.match(text, /lanyard access approve s-1/)
  assert.match(html, /<a href="https:\/\/hub\.example\.com\/session\/s-1\/approve">/)
})

test('what people wrote is kept word for word, and is nothing but text', () => {
  const { text, html } = letterOf(notice, to)
  assert.match(text, /<script>alert\(1\)<\/script> & "more"\n {4}User: somebody else/)
  assert.ok(!html.includes('<script>'))
  assert.ok(html.includes('&#60;script&#62;alert(1)'))
  const chat = chatTextOf({ ...notice, session: { ...notice.session, requestReason: '<!channel> <https://evil|ok>' } })
  assert.ok(!chat.includes('<'), chat)
  assert.ok(chat.includes('dev@example.com') && chat.includes(`On the web: ${notice.link}`), chat)
  const calls = '@channel (@here) ![x](https://evil) [Approve here](https://evil) [ok][1]'
  const called = chatTextOf({ ...notice, session: { ...notice.session, requestReason: calls, user: '@all' } })
  assert.ok(!/\]\s*[([]|(?<![a-z])@\w/.test(called), called)
})

test('a name of several lines makes no header', () => {
  const session = { ...notice.session, user: 'a\r\nBcc: everybody@example.com' }
  assert.ok(!/[\r\n]/.test(letterOf({ ...notice, session }, to).subject))
})

test('there are words and a type for everything that can happen to a session', () => {
  for (const transition of transitions) {
    assert.ok(!headlineOf({ ...notice, transition }).startsWith(`${transition}: dev@`), transition)
    assert.notEqual(tellingOf(transition).type, 'session.changed', transition)
  }
})
