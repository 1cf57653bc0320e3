/** Three processes of the pull secret service on one database, killed at random, with registries that fail one call in five. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { stringify } from 'yaml'
import { startDemoRegistries } from '../../src/demo/registries/demo-set.ts'
import type { StandIn } from '../../src/demo/registries/index.ts'
import { freePort } from '../support/control-plane/ports.ts'
import { eventually } from '../support/eventually.ts'
import { freshDatabase } from '../support/postgres.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'
import { booksOf } from './pull-secret-books.ts'
import { callsTo } from './pull-secret-calls.ts'
import { aFleet, workOn } from './pull-secret-fleet.ts'
import { startPods } from './pull-secret-pods.ts'
import { proberOf } from './pull-secret-prober.ts'

const rounds = Number(process.env['SOAK_ROUNDS'] ?? 10)
/** 50 rounds are 5,000 operations over 200 clusters. */
const operations = rounds * 100
const clusters = Math.min(200, rounds * 20)
const workers = 12
const podCount = 3
const settleMs = 300_000

async function prepareWorld(t: TestScope) {
  const dir = tempDir(t)
  const databaseUrl = await freshDatabase(t)
  const registries = await startDemoRegistries(join(dir, 'registries'))
  teardown(t, async () => await registries[Symbol.asyncDispose]())
  const { quay, redhat } = registries
  writeFileSync(join(dir, 'database-url'), databaseUrl, { mode: 0o600 })
  const keys = { active: 'soak', keys: { soak: Buffer.alloc(32, 7).toString('base64') } }
  writeFileSync(join(dir, 'keys.json'), JSON.stringify(keys), { mode: 0o600 })
  const pullSecrets = {
    databaseUrlFile: join(dir, 'database-url'),
    keyRingFile: join(dir, 'keys.json'),
    registries: registries.configs.map((config) =>
      config.rate ? { ...config, rate: { rps: 500, burst: 500 } } : config,
    ),
    loops: { sweep: 1, sweepAfter: 2, rotation: 0.5, schedule: 60, expiry: 5 },
  }
  writeFileSync(join(dir, 'lanyard.yaml'), stringify({ data: join(dir, 'data'), pullSecrets }))
  const pods = await Promise.all(
    Array.from({ length: podCount }, async () => {
      const [listen, health, metrics] = await Promise.all([freePort(), freePort(), freePort()])
      const address = (port: number) => `127.0.0.1:${port}`
      return {
        url: `http://${address(listen)}`,
        args: [
          ...['pull-secrets', 'serve', '--config', join(dir, 'lanyard.yaml'), '--listen', address(listen)],
          ...['--health-listen', address(health), '--metrics-listen', address(metrics)],
        ],
      }
    }),
  )
  const running = startPods(t, pods)
  const token = await eventually(
    'the first pod writes the token of the operator',
    () => readFile(join(dir, 'data', 'pull-secrets', 'operator-token'), 'utf8').catch(() => undefined),
    { withinMs: 60_000 },
  )
  const standIns: Record<string, StandIn> = { quay, redhat }
  return { databaseUrl, standIns, pods: running, call: callsTo(running.urls, token.trim()) }
}

test(`pull secrets under chaos, ${operations} operations: nothing is lost, nothing is left, every document works`, async (t) => {
  const { databaseUrl, standIns, pods, call } = await prepareWorld(t)
  const fleet = aFleet(clusters)
  const any = () => fleet[Math.floor(Math.random() * fleet.length)] as (typeof fleet)[number]
  const prober = proberOf(
    call,
    (host, username, token) =>
      (host.includes('redhat') ? standIns['redhat'] : standIns['quay'])?.logsIn(username, token) === true,
  )
  const answered = new Map<string, number>()
  for (const standIn of Object.values(standIns)) standIn.chaos = 0.2
  try {
    let left = operations
    const over = new AbortController()
    const probing = (async () => {
      while (!over.signal.aborted) {
        await prober.probe(any())
        await delay(5)
      }
    })()
    await Promise.all(
      Array.from({ length: workers }, async () => {
        while (left-- > 0) {
          const outcome = await workOn(call, any())
          answered.set(outcome, (answered.get(outcome) ?? 0) + 1)
        }
      }),
    )
    over.abort()
    await probing
    await pods.spare()
    for (const standIn of Object.values(standIns)) standIn.chaos = 0
    const books = booksOf(databaseUrl, standIns)
    await eventually(
      'everything settles',
      async () => {
        const unsettled = await books.unsettled()
        assert.deepEqual(unsettled.slice(0, 10), [])
        return true
      },
      { withinMs: settleMs, everyMs: 500 },
    )
    assert.deepEqual(await books.compare(), [])
    for (const cluster of fleet) await prober.probe(cluster)
    assert.deepEqual(prober.contradictions, [])
    assert.ok(prober.probes() > operations / 10, `${prober.probes()} probes`)
  } catch (error) {
    t.diagnostic(pods.tail())
    throw error
  } finally {
    t.diagnostic(`${pods.kills()} kills, ${prober.probes()} probes`)
    for (const [outcome, times] of [...answered].sort()) t.diagnostic(`${outcome}: ${times}`)
  }
})
