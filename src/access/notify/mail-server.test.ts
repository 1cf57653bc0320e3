import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aCanary, assertNoCanary } from '../../../test/support/canary.ts'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { MemoryKube } from '../../../test/support/memory-kube.ts'
import { startSmtpServer } from '../../../test/support/smtp-server.ts'
import type { MailProvider } from '../../apis/breakglass/mail-provider.ts'
import { everywhere } from '../../core/egress.ts'
import { secrets } from '../../kube/kinds.ts'
import type { Stored } from '../../kube/objects.ts'
import { mailServer } from './mail-server.ts'

const password = aCanary()
const mail = { to: 'lead@example.com', subject: 'ä subject', text: 'plain', html: '<p>plain</p>', id: 'uid/1' }
const never = new AbortController().signal

async function kubeWith(data: Record<string, string>): Promise<MemoryKube> {
  const kube = new MemoryKube(new FakeClock())
  const encoded = Object.fromEntries(
    Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  await kube.of(secrets, 'hub').create({ metadata: { name: 'smtp' }, data: encoded })
  return kube
}

const provider = (smtp: Partial<NonNullable<MailProvider['spec']>['smtp']>): Stored<MailProvider> => ({
  metadata: { name: 'corp', uid: 'u', resourceVersion: '1' },
  spec: {
    smtp: {
      host: '127.0.0.1',
      port: 25,
      username: 'hub',
      passwordRef: { name: 'smtp', namespace: 'hub', key: 'password' },
      ...smtp,
    },
    sender: { address: 'hub@example.com', name: 'Lanyard' },
  },
})

test('a mail goes over TLS that is verified, after a login', async (t) => {
  const smtp = await startSmtpServer(t, { password })
  const server = mailServer({ kube: await kubeWith({ password: `${password}\n` }), egress: () => everywhere })
  const trusted = provider({ port: smtp.port, certificateAuthority: smtp.caPem })
  await server.check(trusted, never)
  await server.send(trusted, mail, never)
  await server.send(trusted, mail, never)
  const [first, second] = smtp.mails
  assert.deepEqual([first?.to, first?.isSecure, first?.user], [['lead@example.com'], true, 'hub'])
  assert.equal(first?.header('message-id'), second?.header('message-id'))
  assert.match(first?.raw ?? '', /text\/plain[\s\S]*text\/html/)
})

test('nothing is sent where TLS is not offered or not trusted, unless that is wanted', async (t) => {
  const open = await startSmtpServer(t, { tls: false })
  const server = mailServer({ kube: await kubeWith({ password }), egress: () => everywhere })
  const anonymous = { username: undefined as never, passwordRef: undefined as never }
  await assert.rejects(server.send(provider({ port: open.port, ...anonymous }), mail, never), {
    code: 'NOTICE_MAIL_FAILED',
  })
  await server.send(provider({ port: open.port, disableTLS: true, ...anonymous }), mail, never)
  assert.equal(open.mails.length, 1)
  const smtp = await startSmtpServer(t, { password })
  await assert.rejects(server.send(provider({ port: smtp.port }), mail, never), { code: 'NOTICE_MAIL_FAILED' })
  await server.send(provider({ port: smtp.port, insecureSkipVerify: true }), mail, never)
})

test('a refused login and a refused mail are told without what was sent', async (t) => {
  const smtp = await startSmtpServer(t, { password: 'another', refuse: (address) => address.startsWith('gone') })
  const server = mailServer({ kube: await kubeWith({ password }), egress: () => everywhere })
  const at = { port: smtp.port, certificateAuthority: smtp.caPem }
  const refused = await server.send(provider(at), mail, never).catch((error: unknown) => error)
  assert.equal((refused as { code: string }).code, 'NOTICE_MAIL_FAILED')
  assertNoCanary({ error: JSON.stringify(refused) + String((refused as Error).stack) }, password)
  const known = mailServer({ kube: await kubeWith({ password: 'another' }), egress: () => everywhere })
  await assert.rejects(known.send(provider(at), { ...mail, to: 'gone@example.com' }, never), {
    code: 'NOTICE_MAIL_REFUSED',
  })
  await assert.rejects(
    mailServer({ kube: await kubeWith({ other: 'x' }), egress: () => everywhere }).check(provider(at), never),
    {
      code: 'SPOKE_SECRET_KEY_MISSING',
    },
  )
})

test('a server that says nothing is given up with the signal', async (t) => {
  const smtp = await startSmtpServer(t, { silent: true })
  const server = mailServer({ kube: await kubeWith({ password }), egress: () => everywhere })
  const ending = new AbortController()
  const sending = server.send(provider({ port: smtp.port }), mail, ending.signal)
  await smtp.reached
  ending.abort(new Error('too late'))
  await assert.rejects(sending, /too late/)
})
