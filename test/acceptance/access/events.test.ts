/** Server-sent events: everything that happens to a session, once and in order, wherever a reader goes on. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { AuditRecord } from '../../../src/access/audit/chain.ts'
import { readAuditHeads, verifyAudit } from '../../../src/access/audit/index.ts'
import { AuditConfig } from '../../../src/apis/breakglass/audit-config.ts'
import { IdentityProvider } from '../../../src/apis/breakglass/identity-provider.ts'
import { eventsIn } from '../../../src/cli/server-sent-events.ts'
import type { BreakglassScene, TestPerson } from '../../support/breakglass-scene.ts'
import { breakglassScene } from '../../support/breakglass-scene.ts'
import { needsControlPlane } from '../../support/control-plane.ts'
import { eventually } from '../../support/eventually.ts'
import { suiteScope } from '../../support/suite-scope.ts'
import { tempDir } from '../../support/temp-dir.ts'
import type { TestScope } from '../../support/test-scope.ts'
import { teardown } from '../../support/test-scope.ts'
import type { TimedPlane } from '../../support/timed-plane.ts'
import { timedPlane } from '../../support/timed-plane.ts'

interface Told {
  id: string
  event: string
  data: { session: string; state: string; entry: { seq: number; transition: string; by?: string } }
}

/** A reader of the stream: what it was told, until it is closed. */
interface Reader {
  readonly told: Told[]
  /** The lines as they came. */
  readonly text: string
  readonly ended: Promise<void>
  close(): void
}

describe('events of sessions', needsControlPlane, () => {
  const suite = suiteScope()
  let timed: TimedPlane
  let scene: BreakglassScene
  let path: string
  before(async () => {
    timed = await timedPlane(suite)
    path = join(tempDir(suite), 'audit.log')
    scene = await breakglassScene(suite, timed.plane, { clock: timed.clock, settings: { auditFile: path } })
    const configs = scene.admin.of(AuditConfig.resource)
    await configs.create({ metadata: { name: 'standard' }, spec: { sinks: [{ name: 'log', type: 'log' }] } })
    await eventually('it audits', async () => (await configs.get('standard')).status?.activeSinks?.length)
  })
  /** What the log tells of a session, as transitions. What is there again under the same id is the same. */
  const recordOf = (session: string): string[] => {
    const told = new Map<string, string>()
    for (const line of readFileSync(path, 'utf8').trimEnd().split('\n')) {
      const { event } = JSON.parse(line) as AuditRecord
      const isOwn = event.requestContext.sessionName === session && event.type.startsWith('session.')
      if (isOwn && !told.has(event.id)) told.set(event.id, event.type.replace('session.', ''))
    }
    return [...told.values()]
  }

  async function read(t: TestScope, person: TestPerson, after?: string, url = scene.url): Promise<Reader> {
    const over = new AbortController()
    teardown(t, () => over.abort())
    const headers = {
      authorization: `Bearer ${await person.token()}`,
      ...(after !== undefined && { 'last-event-id': after }),
    }
    const answer = await fetch(`${url}/api/breakglassSessions/events`, { headers, signal: over.signal })
    assert.equal(answer.status, 200)
    const told: Told[] = []
    let text = ''
    const body = answer.body as ReadableStream<Uint8Array>
    async function* parts() {
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        text += part
        yield part
      }
    }
    const collect = async () => {
      for await (const event of eventsIn(parts())) if (event.data !== undefined) told.push(event as Told)
    }
    const ended = collect().catch(() => {})
    const reader = {
      told,
      ended,
      close: () => over.abort(),
      get text() {
        return text
      },
    }
    await eventually('the stream has begun', () => text.length > 0)
    return reader
  }
  const words = ({ told }: Pick<Reader, 'told'>, session?: string) =>
    told
      .filter(({ data }) => session === undefined || data.session === session)
      .map(({ data }) => `${data.session} ${data.entry.seq} ${data.entry.transition}`)
  const until = (reader: Reader, count: number) =>
    eventually(`${count} events`, () => reader.told.length, { until: (found) => found >= count })

  test('A84: every transition is told once, in order and from any id on, and the log of it cannot be changed unseen', async (t) => {
    const one = await scene.story()
    const two = await scene.story()
    const witness = await read(t, one.lead)
    const first = await read(t, one.lead)

    const a = (await one.dev.request(one.cluster, one.group)).body.metadata.name
    await until(first, 1)
    first.close()
    assert.deepEqual(words(first), [`${a} 1 requested`])

    // While nobody reads, two sessions take turns; the hub goes and comes back in the middle of it.
    const b = (await two.dev.request(two.cluster, two.group)).body.metadata.name
    assert.equal((await one.lead.act(a, 'approve')).status, 200)
    assert.equal((await two.lead.act(b, 'approve')).status, 200)
    await until(witness, 4)
    await scene.stop()
    await witness.ended
    await scene.start()
    assert.equal((await one.dev.act(a, 'drop')).status, 200)
    assert.equal((await two.lead.act(b, 'cancel')).status, 200)

    const all = [
      `${a} 1 requested`,
      `${b} 1 requested`,
      `${a} 2 approved`,
      `${b} 2 approved`,
      `${a} 3 dropped`,
      `${b} 3 canceled`,
    ]
    const second = await read(t, one.lead, first.told.at(-1)?.id)
    await until(second, all.length - 1)
    assert.deepEqual(words(second), all.slice(1))
    // From every place on it is the rest, and nothing but the rest.
    const whole = [...first.told, ...second.told]
    for (const [at, { id }] of whole.entries()) {
      const again = await read(t, one.lead, id)
      await until(again, all.length - at - 1)
      await eventually('it is told where to go on', () => again.text.includes('id: '))
      assert.deepEqual(words(again), all.slice(at + 1))
      again.close()
    }
    const witnessed = await read(t, one.lead, witness.told.at(-1)?.id)
    await until(witnessed, 2)
    assert.deepEqual([...words(witness), ...words(witnessed)], all)
    // What comes now is told to those who stayed.
    const c = (await one.dev.request(one.cluster, one.group)).body.metadata.name
    await until(second, all.length)
    await until(witnessed, 3)
    assert.deepEqual([words(second).at(-1), words(witnessed).at(-1)], [`${c} 1 requested`, `${c} 1 requested`])
    for (const reader of [second, witnessed]) reader.close()

    // The orderly end anchors the last record of each process.
    await eventually('all of it is on record', () => [a, b, c].map((session) => recordOf(session).length), {
      until: (counts) => isDeepStrictEqual(counts, [3, 3, 1]),
    })
    await scene.stop()
    const written = readFileSync(path, 'utf8').trimEnd().split('\n')
    const heads = await readAuditHeads(scene.admin, scene.namespace)
    for (const [session, transitions] of [
      [a, ['requested', 'approved', 'dropped']],
      [b, ['requested', 'approved', 'revoked']],
    ])
      assert.deepEqual(recordOf(session), transitions)
    assert.deepEqual(await verifyAudit(written, heads), { ok: true, records: written.length, writers: 2, torn: [] })
    const firstBad = async (lines: readonly string[]) => {
      const verdict = await verifyAudit(lines, heads)
      return verdict.ok ? 'untouched' : `${verdict.fault.what}, line ${verdict.fault.line}`
    }
    const [one_ = '', two_ = '', three = ''] = written
    assert.deepEqual(
      [
        await firstBad(written.with(1, two_.replace('example.com', 'example.org'))),
        await firstBad(written.toSpliced(1, 1)),
        await firstBad([one_, three, two_, ...written.slice(3)]),
        await firstBad(written.slice(0, -1)),
      ],
      ['edited, line 2', 'missing, line 2', 'reordered, line 2', `tail cut, line ${written.length - 1}`],
    )
    await scene.start()
  })

  test('people are told of what they may see, whichever replica they ask', async (t) => {
    const { cluster, group, dev } = await scene.story()
    const beside = await scene.beside()
    const others = scene.person('other@example.com', { groups: ['devs'] })
    const [mine, theirs, elsewhere] = [
      await read(t, dev),
      await read(t, others),
      await read(t, dev, undefined, beside.url),
    ]
    const name = (await dev.request(cluster, group)).body.metadata.name
    const own = (await others.request(cluster, group)).body.metadata.name
    await until(mine, 1)
    await until(theirs, 1)
    await until(elsewhere, 1)
    assert.deepEqual(
      [words(mine), words(theirs), words(elsewhere)],
      [[`${name} 1 requested`], [`${own} 1 requested`], [`${name} 1 requested`]],
    )
    assert.equal(mine.told[0]?.data.state, 'Pending')
    const after = await read(t, dev, mine.told[0]?.id, beside.url)
    await dev.act(name, 'withdraw')
    await until(after, 1)
    assert.deepEqual(words(after), [`${name} 2 withdrawn`])
    await beside.stop()
    for (const reader of [mine, theirs, after]) reader.close()
  })

  test('a place that nobody knows any more is told as such, and what comes then is told', async (t) => {
    const { cluster, group, dev } = await scene.story()
    for (const place of ['nonsense', '99999999999.1']) {
      const reader = await read(t, dev, place)
      await until(reader, 1)
      assert.equal(reader.told[0]?.event, 'reset', place)
      reader.close()
    }
    const reader = await read(t, dev, '0')
    await until(reader, 1)
    const name = (await dev.request(cluster, group)).body.metadata.name
    await until(reader, 2)
    assert.deepEqual(words({ told: reader.told.slice(1) }), [`${name} 1 requested`])
    reader.close()
  })

  test('a stream shows that it is there, and ends when its reader is no longer vouched for', async (t) => {
    const { issuer, provider } = await scene.another()
    const person = scene.person('reader@example.com', { issuer })
    await eventually('the provider is known', async () => (await person.get('/api/breakglassSessions')).status === 200)
    const reader = await read(t, person)
    await timed.clock.advance('15s')
    await eventually('it shows', () => reader.text.includes(': still here'))
    assert.deepEqual(reader.told, [])
    await scene.admin
      .of(IdentityProvider.resource)
      .patch(provider, { type: 'merge', body: { spec: { disabled: true } } })
    await reader.ended
  })
})
