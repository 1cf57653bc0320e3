/** What people are told of sessions: by a real mail server, by webhooks and chats, and what becomes of what nobody takes. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { MailProviderSpec } from '../../../src/apis/breakglass/mail-provider.ts'
import { MailProvider } from '../../../src/apis/breakglass/mail-provider.ts'
import type { Checkpoint, CheckpointName } from '../../../src/core/checkpoint.ts'
import { createLog } from '../../../src/core/log.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { events, secrets } from '../../../src/kube/kinds.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { aCanary, assertNoCanary } from '../../support/canary.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startHttpServer } from '../../support/http-server.ts'
import type { TestSmtpServer } from '../../support/smtp-server.ts'
import { startSmtpServer } from '../../support/smtp-server.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

describe('notices of sessions', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  const logged: string[] = []
  const password = aCanary()
  let timed: TimedPlane
  let scene: BreakglassScene
  let smtp: TestSmtpServer
  let at: Checkpoint = () => {}

  before(async () => {
    timed = await timedPlane(suite)
    smtp = await startSmtpServer(suite, { password })
    const log = createLog({ level: 'debug', destination: { write: (line) => logged.push(line) } })
    const checkpoint = (name: CheckpointName) => at(name)
    scene = await breakglassScene(suite, timed.plane, {
      ...{
        clock: timed.clock,
        log,
        metrics: await metrics,
        checkpoint,
        settings: { frontendUrl: 'https://hub.example.com/' },
      },
    })
    await provider({ default: true }, 'standard')
  })

  const providers = () => scene.admin.of(MailProvider.resource)
  /** A MailProvider that leads to the mail server, and that the hub has heard of; its name. */
  async function provider(more: Partial<MailProviderSpec> = {}, name = uniqueName('mail')): Promise<string> {
    const secret = uniqueName('smtp')
    const data = { password: Buffer.from(password).toString('base64') }
    await scene.admin.of(secrets, scene.namespace).create({ metadata: { name: secret }, data })
    const passwordRef = { name: secret, namespace: scene.namespace, key: 'password' }
    const spec: MailProviderSpec = {
      smtp: { host: '127.0.0.1', port: smtp.port, username: 'hub', passwordRef, certificateAuthority: smtp.caPem },
      sender: { address: 'lanyard@example.com', name: 'Lanyard' },
      ...more,
    }
    await providers().create({ metadata: { name }, spec })
    await eventually(`the hub has looked at ${name}`, () => condition(name, 'Healthy'))
    return name
  }
  const condition = async (name: string, type: string) =>
    (await providers().get(name)).status?.conditions?.find((one) => one.type === type)
  const mailsAbout = (session: string) => smtp.mails.filter(({ raw }) => raw.includes(session))
  const told = (session: string, seq: number) =>
    eventually(`${session} is told up to ${seq}`, async () => (await scene.session(session)).status?.told === seq)

  async function requested(more: Parameters<BreakglassScene['story']>[0] = {}, body: object = {}) {
    const story = await scene.story(more)
    const asked = await story.dev.request(story.cluster, story.group, { reason: 'incident <b>42</b>', ...body })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    const name: string = asked.body.metadata?.name ?? asked.body.name
    return { ...story, name }
  }

  test('approvers are asked by mail, each once, and whoever asked is told what came of it', async () => {
    const approvers = { users: ['lead@example.com', 'second@example.com'] }
    const { name, lead } = await requested({ escalation: { approvers } })
    await told(name, 1)
    const asked = mailsAbout(name)
    assert.deepEqual(asked.flatMap(({ to }) => to).sort(), ['lead@example.com', 'second@example.com'])
    assert.deepEqual([asked[0]?.from, asked[0]?.isSecure, asked[0]?.user], ['lanyard@example.com', true, 'hub'])
    const text = (asked[0]?.raw ?? '').replaceAll('=\r\n', '')
    assert.ok(text.includes(`lanyard access approve ${name}`))
    assert.ok(text.includes(`https://hub.example.com/session/${name}/approve`))
    assert.ok(text.includes('&#60;b&#62;42') || text.includes('&=2360;b'), 'what people wrote is escaped')
    await lead.act(name, 'approve', { reason: 'go' })
    await told(name, 2)
    assert.deepEqual(
      mailsAbout(name)
        .slice(2)
        .flatMap(({ to }) => to),
      ['dev@example.com'],
    )
  })

  test('nobody gets mail who wants none, and the provider of the escalation sends before the one of the cluster', async () => {
    const quiet = await requested({ escalation: { disableNotifications: true } })
    await told(quiet.name, 1)
    assert.deepEqual(mailsAbout(quiet.name), [])
    const approvers = { users: ['lead@example.com', 'second@example.com'] }
    const partly = await requested({
      escalation: { approvers, notificationExclusions: { users: ['Second@example.com'] } },
    })
    await told(partly.name, 1)
    assert.deepEqual(
      mailsAbout(partly.name).flatMap(({ to }) => to),
      ['lead@example.com'],
    )

    const [ofEscalation, ofCluster] = [
      await provider({ sender: { address: 'escalation@example.com' } }),
      await provider({ sender: { address: 'cluster@example.com' } }),
    ]
    const named = await requested({ escalation: { mailProvider: ofEscalation }, cluster: { mailProvider: ofCluster } })
    const fallen = await requested({ cluster: { mailProvider: ofCluster } })
    for (const { name } of [named, fallen]) await told(name, 1)
    assert.equal(mailsAbout(named.name)[0]?.from, 'escalation@example.com')
    assert.equal(mailsAbout(fallen.name)[0]?.from, 'cluster@example.com')
  })

  test('a mail that is not taken is sent again; one that never is holds up nothing and is told on the session', async () => {
    smtp.failNext = 2
    const patient = await requested()
    await eventually('it is told in the end', async () => {
      await timed.clock.advance(500)
      return (await scene.session(patient.name)).status?.told === 1
    })
    assert.equal(mailsAbout(patient.name).length, 1)

    const dead = await provider({ smtp: { host: '127.0.0.1', port: 1, disableTLS: true } })
    const lost = await requested({ escalation: { mailProvider: dead } })
    await eventually('it is not waited for', async () => {
      await timed.clock.advance(500)
      return (await scene.session(lost.name)).status?.told === 1
    })
    const warning = await eventually('an event tells', async () =>
      (await scene.admin.of(events, scene.namespace).list()).items.find(
        ({ reason, involvedObject }) => reason === 'NoticeFailed' && involvedObject.name === lost.name,
      ),
    )
    assert.match(warning.message ?? '', /lead@example\.com.*ECONNREFUSED|ESOCKET/)
    const status = await eventually('so does the provider', async () => {
      await timed.clock.advance(2_000)
      const found = (await providers().get(dead)).status
      return found?.lastSendError ? found : undefined
    })
    assert.match(status.lastSendError ?? '', /does not take mail/)
  })

  test('programs and chats are told too, with their token, and none of the secrets shows anywhere', async (t) => {
    const token = aCanary()
    const tokenFile = join(tempDir(t), 'token')
    writeFileSync(tokenFile, `${token}\n`)
    const webhook = await startHttpServer(t)
    const chat = await startHttpServer(t)
    const secretPath = aCanary()
    scene.settings.notify = [
      { name: 'pager', kind: 'webhook', url: `${webhook.url}/in`, tokenFile },
      { name: 'ops', kind: 'chat', url: `${chat.url}/${secretPath}` },
    ]
    const { name } = await requested()
    await told(name, 1)
    const [posted] = webhook.got
    assert.equal(posted?.headers['authorization'], `Bearer ${token}`)
    assert.deepEqual([posted?.body.transition, posted?.body.session.name], ['requested', name])
    assert.match(chat.got[0]?.body.text, /dev@example\.com asks for/)
    assert.ok(!chat.got[0]?.body.text.includes('<'))

    webhook.status = 500
    chat.status = 404
    const failing = await requested()
    await eventually('both are given up', async () => {
      await timed.clock.advance(1_000)
      return (await scene.session(failing.name)).status?.told === 1
    })
    scene.settings.notify = []
    const said = await eventually('events tell', async () => {
      const all = (await scene.admin.of(events, scene.namespace).list()).items
      const own = all.filter(
        ({ involvedObject, reason }) => involvedObject.name === failing.name && reason === 'NoticeFailed',
      )
      return own.length === 2 && all
    })
    const shown = {
      logs: logged.join('\n'),
      metrics: await (await metrics).text(),
      events: JSON.stringify(said),
      providers: JSON.stringify((await providers().list()).items),
      sessions: JSON.stringify([await scene.session(name), await scene.session(failing.name)]),
    }
    assertNoCanary(shown, [token, secretPath, password])
  })

  test('a provider tells whether its server takes mail, and a repaired Secret heals it', async () => {
    await eventually(
      'it is healthy',
      async () => (await condition('standard', 'Healthy'))?.reason === 'HealthCheckPassed',
    )
    assert.equal((await condition('standard', 'PasswordLoaded'))?.reason, 'SecretLoaded')
    const { spec } = await providers().get('standard')
    const secret = spec?.smtp.passwordRef?.name ?? ''
    const collection = scene.admin.of(secrets, scene.namespace)
    const put = (text: string) =>
      collection.patch(secret, { type: 'merge', body: { data: { password: Buffer.from(text).toString('base64') } } })
    await put('wrong')
    await eventually('it is ill', async () => (await condition('standard', 'Healthy'))?.reason === 'HealthCheckFailed')
    await put(password)
    await eventually('it is well', async () => (await condition('standard', 'Healthy'))?.status === 'True')
  })

  test('stopped in order while it tells of one thing, it has written down what it told before', async (t) => {
    const webhook = await startHttpServer(t)
    scene.settings.notify = [{ name: 'pager', kind: 'webhook', url: webhook.url }]
    webhook.ignores = () => true
    const { name, lead } = await requested()
    const heard = (what: string) =>
      webhook.got.filter(({ body }) => body.session.name === name && body.transition === what).length
    await eventually('it begins to tell', () => heard('requested') > 0)
    assert.equal((await lead.act(name, 'approve')).status, 200)
    await scene.stop()
    assert.equal((await scene.session(name)).status?.told, undefined)

    webhook.ignores = (body) => (body as { transition: string }).transition === 'approved'
    await scene.start()
    await eventually('it is at the second', () => heard('approved') > 0)
    await scene.stop()
    assert.equal((await scene.session(name)).status?.told, 1)
    const before = heard('requested')

    webhook.ignores = () => false
    await scene.start()
    await told(name, 2)
    assert.equal(heard('requested'), before)
    scene.settings.notify = []
  })

  test('killed after it told and before it wrote that down, it tells again and says that it is the same', async () => {
    const dying = Promise.withResolvers<void>()
    at = (name) => {
      if (name !== 'access.herald-told') return
      at = () => {}
      void scene.stop().then(dying.resolve, dying.reject)
      throw new Error('killed')
    }
    const { name } = await requested()
    await dying.promise
    assert.equal((await scene.session(name)).status?.told, undefined)
    await scene.start()
    await told(name, 1)
    const twice = mailsAbout(name)
    assert.equal(twice.length, 2)
    assert.equal(twice[0]?.header('message-id'), twice[1]?.header('message-id'))
  })
})
