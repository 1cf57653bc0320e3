/** The record of who asked for, agreed to and used access: where it goes, and that nobody can change it unseen. */
import assert from 'node:assert/strict'
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { AuditRecord } from '../../../src/access/audit/chain.ts'
import { Chain } from '../../../src/access/audit/chain.ts'
import type { AuditHead } from '../../../src/access/audit/heads.ts'
import { headsIn } from '../../../src/access/audit/heads.ts'
import { readAuditHeads, verifyAudit } from '../../../src/access/audit/index.ts'
import { anEvent } from '../../../src/access/audit/testing/events.ts'
import type { AuditConfigSpec } from '../../../src/apis/breakglass/audit-config.ts'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { createLog } from '../../../src/core/log.ts'
import { createMetrics } from '../../../src/core/metrics.ts'
import { configMaps, events, secrets } from '../../../src/kube/kinds.ts'
import type { Kube } from '../../../src/kube/kube.ts'
import type { BreakglassScene } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { uniqueName } from '../../support/builders.ts'
import { aCanary, assertNoCanary } from '../../support/canary.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { startHttpServer } from '../../support/http-server.ts'
import type { JsonHandler } from '../../support/https-server.ts'
import { startHttpsServer } from '../../support/https-server.ts'
import { kubeClient } from '../../support/kube-client.ts'
import { unreachable } from '../../support/memory-kube.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

/** The same, but for heads that cannot be written. */
const anchoringOnly = (kube: Kube, isAnchored: (head: AuditHead) => boolean): Kube => ({
  request: kube.request.bind(kube),
  of(resource, namespace) {
    const collection = kube.of(resource, namespace)
    if (resource.plural !== configMaps.plural) return collection
    return new Proxy(collection, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target)
        if (key !== 'patch') return typeof value === 'function' ? value.bind(target) : value
        const patch: typeof target.patch = async (name, change, options) => {
          const { data = {} } = (change.type === 'merge' ? change.body : {}) as { data?: Record<string, string> }
          if (!headsIn(data).every(isAnchored)) throw unreachable()
          return await target.patch(name, change, options)
        }
        return patch
      },
    })
  },
})

describe('the audit of access', needsControlPlane, () => {
  const suite = suiteScope()
  const metrics = createMetrics()
  const logged: string[] = []
  let timed: TimedPlane
  let scene: BreakglassScene
  let path: string
  /** Which heads the hub can write. */
  let mayAnchor: (head: AuditHead) => boolean = () => true

  before(async () => {
    timed = await timedPlane(suite)
    path = join(tempDir(suite), 'audit.log')
    const log = createLog({ level: 'debug', destination: { write: (line) => logged.push(line) } })
    scene = await breakglassScene(suite, timed.plane, {
      ...{ clock: timed.clock, log, metrics: await metrics, settings: { auditFile: path } },
      hub: anchoringOnly(kubeClient(suite, timed.plane.connection()), (head) => mayAnchor(head)),
    })
    await audit({ sinks: [{ name: 'log', type: 'log' }] }, 'standard')
  })

  const configs = () => scene.admin.of(AuditConfig.resource)
  /** An AuditConfig that the hub has seen; its name. */
  async function audit(spec: AuditConfigSpec, name = uniqueName('audit')): Promise<string> {
    await configs().create({ metadata: { name }, spec })
    await eventually(`${name} is taken up`, async () => (await configs().get(name)).status?.activeSinks?.length)
    return name
  }
  const lines = () => {
    try {
      return readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    } catch {
      return []
    }
  }
  /** Without what a killed process left half written. */
  const recordsOf = (session: string): AuditRecord[] =>
    lines()
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AuditRecord)
      .filter(({ event }) => event.requestContext.sessionName === session)
  const heads = () => readAuditHeads(scene.admin, scene.namespace)

  /** Asks for a session and has it approved; its name. */
  async function approved(): Promise<{ name: string; cluster: string }> {
    const { cluster, group, dev, lead } = await scene.story()
    const asked = await dev.request(cluster, group, { reason: 'incident 42' })
    assert.equal(asked.status, 201, JSON.stringify(asked.body))
    const name: string = asked.body.metadata?.name ?? asked.body.name
    assert.equal((await lead.act(name, 'approve', { reason: 'fine' })).status, 200)
    return { name, cluster }
  }
  const types = (session: string) => recordsOf(session).map(({ event }) => event.type)

  test('a log that is untouched passes, and the first line that was edited, deleted, moved or cut off is named', async () => {
    const { name, cluster } = await approved()
    await eventually('its transitions are on record', () => types(name).includes('session.approved'))
    const allowed = async () => (await scene.ask(cluster, 'dev@example.com')).body.status.allowed === true
    await eventually('it is allowed', allowed)
    await scene.ask(cluster, 'nobody@example.com')
    await eventually('use is on record', () => types(name).includes('access.granted'))
    const requested = recordsOf(name).find(({ event }) => event.type === 'session.requested')
    const { metadata } = await scene.session(name)
    assert.equal(requested?.event.id, `${metadata.uid}/1`)
    await eventually('as refusals are', () => lines().some((line) => line.includes('"access.denied"')))

    // The orderly end anchors the last record.
    await scene.stop()
    const written = lines()
    const anchored = await heads()
    const last = JSON.parse(written.at(-1) ?? '') as AuditRecord
    assert.ok(
      anchored.some(({ writer, seq, hash }) => writer === last.writer && seq === last.seq && hash === last.hash),
    )
    assert.deepEqual(await verifyAudit(written, anchored), { ok: true, records: written.length, writers: 1, torn: [] })

    const fault = async (changed: readonly string[]) => {
      const verdict = await verifyAudit(changed, anchored)
      assert.ok(!verdict.ok)
      return [verdict.fault.what, verdict.fault.line, verdict.fault.seq]
    }
    const edited = written.with(1, (written[1] ?? '').replace('example.com', 'example.org'))
    assert.deepEqual(await fault(edited), ['edited', 2, 2])
    assert.deepEqual(await fault(written.toSpliced(1, 1)), ['missing', 2, 2])
    assert.deepEqual(await fault(written.toSpliced(1, 2, written[2] ?? '', written[1] ?? '')), ['reordered', 2, 2])
    assert.deepEqual(await fault(written.slice(0, -1)), ['tail cut', written.length - 1, written.length])
    assert.deepEqual(await fault([]), ['writer missing', undefined, 1])

    // A process that was killed while writing, and the next that goes on in the same file.
    appendFileSync(path, (written.at(-1) ?? '').replace(`"seq":${last.seq}`, `"seq":${last.seq + 1}`).slice(0, 100))
    await scene.start()
    const { name: next } = await approved()
    await eventually('the next process writes', async () => lines().filter((line) => line.includes(next)).length >= 2)
    const { ok, writers, torn } = await verifyAudit(lines(), await heads())
    assert.deepEqual([ok, writers, torn.length], [true, 2, 1])
  })

  test('a process is on record before its first line: killed after that it is no stranger, and till then lines wait', async () => {
    await scene.stop()
    mayAnchor = () => false
    await scene.start()
    const before = lines().length
    const { name, cluster } = await approved()
    const allowed = async () => (await scene.ask(cluster, 'dev@example.com')).body.status.allowed === true
    await eventually('it is decided upon all the same', allowed)
    const ready = async () => (await configs().get('standard')).status?.sinkStatuses?.[0]?.ready
    await eventually('the sink is seen to wait', async () => {
      await timed.clock.advance(1_000)
      return (await ready()) === false
    })
    assert.equal(lines().length, before)

    // As if it were killed before it could note how far it got.
    mayAnchor = ({ seq }) => seq === 0
    await eventually('what waited is written', async () => {
      await timed.clock.advance(5_000)
      return types(name).includes('session.approved') && types(name).includes('access.granted')
    })
    const known = await heads()
    assert.equal(known.find(({ writer }) => writer === recordsOf(name)[0]?.writer)?.seq, 0)
    assert.equal((await verifyAudit(lines(), known)).ok, true)
    mayAnchor = () => true

    const forged = await verifyAudit([...lines(), JSON.stringify(new Chain('forger').append(anEvent()))], known)
    assert.equal(!forged.ok && forged.fault.what, 'unknown writer')
  })

  test('while the audit has to wait people are told once, and what waited is told when it can be', async (t) => {
    const people = await startHttpServer(t)
    scene.settings.notify = [{ name: 'everybody', kind: 'webhook', url: people.url }]
    await scene.stop()
    mayAnchor = () => false
    await scene.start()
    const { cluster, group, dev } = await scene.story()
    const name: string = (await dev.request(cluster, group)).body.metadata.name
    const heard = () => people.got.filter(({ body }) => body.session.name === name).length
    await eventually('people are told', () => heard() > 0)
    for (let n = 0; n < 20; n += 1) await timed.clock.advance(15_000)
    assert.deepEqual([heard(), (await scene.session(name)).status?.told, types(name)], [1, undefined, []])

    mayAnchor = () => true
    await eventually('it is on record', async () => {
      await timed.clock.advance(5_000)
      return (await scene.session(name)).status?.told === 1
    })
    const { uid } = (await scene.session(name)).metadata
    const ids = new Set(recordsOf(name).map(({ event }) => event.id))
    assert.deepEqual([heard(), [...ids]], [1, [`${uid}/1`]], 'what is there twice says that it is the same')
    scene.settings.notify = []
  })

  test('each transition is told once, in order, and again only under the same id', async () => {
    const { cluster, group, dev, lead } = await scene.story()
    const asked = await dev.request(cluster, group, { reason: 'why' })
    const name: string = asked.body.metadata?.name ?? asked.body.name
    await lead.act(name, 'approve', { reason: 'because' })
    await dev.act(name, 'drop')
    await eventually('all of it is told', async () => (await scene.session(name)).status?.told === 3)
    const records = recordsOf(name).filter(({ event }) => event.type.startsWith('session.'))
    // Where the hub could not note that it told something, it tells it again.
    const isFirst = ({ event }: AuditRecord, at: number) => records.findIndex((one) => one.event.id === event.id) === at
    const told = records.filter(isFirst)
    assert.deepEqual(
      told.map(({ event }) => event.type),
      ['session.requested', 'session.approved', 'session.dropped'],
    )
    assert.deepEqual(
      told.map(({ event }) => event.actor.user),
      ['dev@example.com', 'lead@example.com', 'dev@example.com'],
    )
    const { metadata } = await scene.session(name)
    assert.deepEqual(
      told.map(({ event }) => event.id),
      [1, 2, 3].map((seq) => `${metadata.uid}/${seq}`),
    )
  })

  test('the log goes on in a new file when the old one is moved away', async () => {
    await approved()
    await eventually('there is a log', () => lines().length > 0)
    const moved = `${path}.1`
    const kept = readFileSync(path, 'utf8')
    renameSync(path, moved)
    const { name } = await approved()
    await eventually('it goes on', () => types(name).includes('session.approved'))
    assert.equal(readFileSync(moved, 'utf8').startsWith(kept), true)
    writeFileSync(path, readFileSync(moved, 'utf8') + readFileSync(path, 'utf8'))
  })

  test('a webhook gets batches with its credentials, Kubernetes gets events, and neither secret shows anywhere', async (t) => {
    const token = aCanary()
    const got: { headers: Record<string, unknown>; body: AuditRecord[] }[] = []
    const handler: JsonHandler = ({ headers, body }) => {
      got.push({ headers, body: body as AuditRecord[] })
      return {}
    }
    const server = await startHttpsServer(t, handler)
    const [auth, ca] = [uniqueName('auth'), uniqueName('ca')]
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    const collection = scene.admin.of(secrets, scene.namespace)
    await collection.create({ metadata: { name: auth }, data: { token: encoded(token) } })
    await collection.create({ metadata: { name: ca }, data: { 'ca.crt': encoded(server.caPem) } })
    const at = (name: string) => ({ name, namespace: scene.namespace })
    const name = await audit({
      sinks: [
        {
          ...{ name: 'siem', type: 'webhook', minSeverity: 'info' },
          webhook: {
            url: `${server.url}/in`,
            batchSize: 50,
            headers: { 'x-team': 'sec' },
            authSecretRef: at(auth),
            tls: { caSecretRef: at(ca) },
          },
        },
        { name: 'here', type: 'kubernetes', eventTypes: ['session.*'] },
      ],
      filtering: { excludeEventTypes: ['session.requested'] },
    })
    const { name: session } = await approved()
    const received = () =>
      got.flatMap(({ body }) => body).filter(({ event }) => event.requestContext.sessionName === session)
    await eventually('the webhook has it', () => received().length > 0)
    assert.deepEqual(
      received().map(({ event }) => event.type),
      ['session.approved'],
    )
    assert.equal(got[0]?.headers['authorization'], `Bearer ${token}`)
    assert.equal(got[0]?.headers['x-team'], 'sec')
    const told = await eventually('there is an event on the session', async () =>
      (await scene.admin.of(events, scene.namespace).list()).items.find(
        ({ reason, involvedObject }) => reason === 'SessionApproved' && involvedObject.name === session,
      ),
    )
    assert.equal(told.type, 'Normal')

    // It has a chain of its own.
    const anchored = await eventually('its head is anchored', async () => {
      await timed.clock.advance(1_000)
      const found = await heads()
      return found.some(({ sink }) => sink === `${name}/siem`) && found
    })
    const chain = got.flatMap(({ body }) => body).map((record) => JSON.stringify(record))
    assert.equal((await verifyAudit(chain, anchored, { sink: `${name}/siem` })).ok, true)

    await collection.patch(auth, { type: 'merge', body: { data: { token: null } } })
    // What a Secret holds is used for a while.
    await timed.clock.advance(31_000)
    await approved()
    await eventually('its trouble shows', async () => {
      await timed.clock.advance(5_000)
      return (await configs().get(name)).status?.conditions?.some(({ reason }) => reason === 'SinksUnhealthy')
    })
    const all = (await scene.admin.of(events, scene.namespace).list()).items
    const shown = {
      logs: logged.join('\n'),
      metrics: await (await metrics).text(),
      status: JSON.stringify((await configs().get(name)).status),
      events: JSON.stringify(all),
      audit: lines().join('\n'),
    }
    assertNoCanary(shown, token)
    await configs().delete(name)
  })

  test('a webhook that hangs slows no decision and holds up no other sink; its AuditConfig tells', async (t) => {
    const got = new Map<string, AuditRecord>()
    const server = await startHttpsServer(t, ({ body }) => {
      const record = body as AuditRecord
      got.set(record.event.id, record)
      return {}
    })
    const written = async () => {
      const text = await (await metrics).text()
      const [, count] =
        /^lanyard_access_audit_events_total\{sink="webhook",outcome="written"\} (\d+)$/m.exec(text) ?? []
      assert.ok(count !== undefined, text)
      return Number(count)
    }
    const writtenBefore = await written()
    const name = await audit({
      sinks: [
        { name: 'dead', type: 'webhook', webhook: { url: 'http://127.0.0.1:1/in' } },
        { name: 'alive', type: 'webhook', webhook: { url: server.url, tls: { insecureSkipVerify: true } } },
      ],
    })
    const { name: session } = await approved()
    await eventually('the log has it all the same', () => types(session).includes('session.approved'))
    const isApproval = ({ event: { type, requestContext } }: AuditRecord) =>
      type === 'session.approved' && requestContext.sessionName === session
    // And the hub knows: what is under way when time moves is cut off by it.
    await eventually(
      'so has the one that answers',
      async () => got.values().some(isApproval) && (await written()) - writtenBefore >= got.size,
    )
    const status = await eventually('the status tells', async () => {
      await timed.clock.advance(5_000)
      const found = (await configs().get(name)).status
      return found?.conditions?.some(({ type, status: is }) => type === 'SinksHealthy' && is === 'False') && found
    })
    const [dead, alive] = status.sinkStatuses ?? []
    assert.deepEqual([dead?.name, dead?.ready, alive?.name, alive?.ready], ['dead', false, 'alive', true])
    assert.match(dead?.lastError ?? '', /127\.0\.0\.1:1 cannot be told: ECONNREFUSED/)
    await eventually('what was sent is counted', async () => {
      await timed.clock.advance(20_000)
      return ((await configs().get(name)).status?.eventsProcessed ?? 0) > 0
    })
    await configs().delete(name)
  })
})
