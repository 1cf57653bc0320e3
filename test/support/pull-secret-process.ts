/** `lanyard pull-secrets serve` as it runs in production: a process of its own, a database, registries over HTTP. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { QuayStandIn, RedhatStandIn } from '../../src/demo/registries/index.ts'
import { startQuay, startRedhat } from '../../src/demo/registries/index.ts'
import { formatKeyRing, newKey } from '../../src/pull-secrets/keys/ring.ts'
import { uniqueName } from './builders.ts'
import { aCanary } from './canary.ts'
import { eventually } from './eventually.ts'
import { lanyard } from './lanyard.ts'
import { freshDatabase, serverUrl } from './postgres.ts'
import { lanyardProgram } from './program.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export const clusterId = '019466a0-8f8e-7abc-9def-0123456789ab'
export const facts = { cloud_provider: 'gcp', region: 'us-east1' }

export interface ServeSetting {
  data: string
  config: string
  canary: string
  databaseUrl: string
  quay: QuayStandIn
  redhat: RedhatStandIn
}

export interface Answered {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers
  body: any
  headers: Headers
}

export interface Serving {
  url: string
  pid: number
  /** The status of a probe; 0 when nobody answers. */
  probe(path: '/healthz' | '/readyz'): Promise<number>
  metrics(): Promise<string>
  call(method: string, path: string, body?: unknown): Promise<Answered>
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; seconds: number }>
  ended: Promise<number | null>
  /** Everything it printed and logged. */
  printed(): string
}

/** What processes share: start several, or one after the other. */
export async function serveSetting(t: TestScope, more: Record<string, unknown> = {}): Promise<ServeSetting> {
  const data = tempDir(t)
  const canary = aCanary()
  const bearer = aCanary()
  const tokenFile = join(data, 'registry-token')
  writeFileSync(tokenFile, bearer)
  const quay = await startQuay({ org: 'redhat-openshift', team: 'hyperfleet-installers', bearer, canary })
  teardown(t, async () => await quay[Symbol.asyncDispose]())
  const redhat = await startRedhat({ partnerCode: 'ocm-service', bearer, canary })
  teardown(t, async () => await redhat[Symbol.asyncDispose]())
  const [id, key] = newKey()
  const keyRingFile = join(data, 'keys.json')
  writeFileSync(keyRingFile, formatKeyRing({ active: id, keys: new Map([[id, key]]) }).reveal(), { mode: 0o600 })
  const common = { auth: { tokenFile }, timeoutMs: 60_000, rate: { rps: 1_000, burst: 1_000 } }
  const registries = [
    {
      ...common,
      id: 'quay',
      type: 'Quay',
      url: 'quay.io',
      orgName: 'redhat-openshift',
      teamName: 'hyperfleet-installers',
      cloudAlias: true,
      apiBaseUrl: quay.url,
      loginUrl: `http://${quay.host}/v2/auth`,
    },
    {
      ...common,
      id: 'redhat',
      type: 'Redhat',
      url: 'registry.redhat.io',
      apiBaseUrl: redhat.url,
      loginUrl: `http://${redhat.host}/v2/auth`,
    },
  ]
  const loops = { sweep: 0.2, sweepAfter: 0.2, rotation: 0.2, schedule: 1, outbox: 0.2 }
  const config = join(data, 'lanyard.yaml')
  const anywhere = '127.0.0.1:0'
  const section = {
    listen: anywhere,
    healthListen: anywhere,
    metricsListen: anywhere,
    keyRingFile,
    registries,
    loops,
    ...more,
  }
  writeFileSync(config, JSON.stringify({ data, log: { level: 'debug' }, pullSecrets: section }))
  return { data, config, canary, databaseUrl: await freshDatabase(t), quay, redhat }
}

export async function serving(
  t: TestScope,
  { data, config, databaseUrl }: ServeSetting,
  {
    program = lanyardProgram,
    flags = [],
    env = {},
  }: { program?: string; flags?: string[]; env?: Record<string, string> } = {},
): Promise<Serving> {
  const child = spawn(process.execPath, [program, 'pull-secrets', 'serve', '--config', config, ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DATABASE_URL: databaseUrl, ...env },
  })
  teardown(t, () => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${printed}`)
    return /is ready: (\S+),[\s\S]*are served: (\S+)\/readyz, (\S+)\/metrics/.exec(printed)
  }
  const [, url = '', healthUrl = '', metricsUrl = ''] = await eventually('it is ready', isReady, { withinMs: 60_000 })
  const token = readFileSync(join(data, 'pull-secrets', 'operator-token'), 'utf8').trim()
  return {
    url,
    pid: child.pid as number,
    ended,
    printed: () => printed,
    probe: (path) =>
      fetch(`${healthUrl}${path}`).then(
        ({ status }) => status,
        () => 0,
      ),
    metrics: async () => await (await fetch(`${metricsUrl}/metrics`)).text(),
    async call(method, path, body) {
      const response = await fetch(`${url}/api/hyperfleet/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text ? JSON.parse(text) : undefined, headers: response.headers }
    },
    async stop(signal = 'SIGTERM') {
      const startedAt = performance.now()
      child.kill(signal)
      return { code: await ended, seconds: (performance.now() - startedAt) / 1_000 }
    },
  }
}

/** A database without any table. */
export async function emptyDatabase(t: TestScope): Promise<string> {
  const server = await serverUrl()
  const name = uniqueName('empty').replaceAll('-', '_')
  const onServer = async (text: string) => {
    const client = new pg.Client(server)
    await client.connect()
    await client.query(text)
    await client.end()
  }
  await onServer(`CREATE DATABASE ${name} TEMPLATE template0`)
  teardown(t, () => onServer(`DROP DATABASE ${name} WITH (FORCE)`))
  return server.replace(/\/postgres(\?|$)/, `/${name}$1`)
}

export const secretPath = `/clusters/${clusterId}/pull-secrets`

/** Commands on the data folder of a service that runs. */
export function commands(t: TestScope, { config }: Pick<ServeSetting, 'config'>) {
  const told: Record<string, string> = {}
  const run = async (...words: string[]) => {
    const ended = await lanyard(t, ['pull-secrets', ...words, '--config', config]).ended
    const isRevealed = words.includes('--reveal')
    if (!isRevealed) told[words.join(' ')] = `${ended.out}${ended.err}`
    return ended
  }
  const succeeds = async (...words: string[]): Promise<string> => {
    const { code, out, err } = await run(...words)
    assert.equal(code, 0, `${words.join(' ')}: ${err}`)
    return out
  }
  const fails = async (...words: string[]): Promise<string> => {
    const { code, err } = await run(...words)
    assert.notEqual(code, 0, words.join(' '))
    return err
  }
  return { succeeds, fails, told }
}
