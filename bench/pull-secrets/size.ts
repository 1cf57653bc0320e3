import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { formatKeyRing } from '../../src/pull-secrets/keys/ring.ts'
import type { Running } from '../join/processes.ts'
import { residentBytes, start, until, untilCalm } from '../join/processes.ts'
import { inParallel } from '../shared/timing.ts'
import type { BenchServer } from './database.ts'
import { clusterName, registries, seedFleet } from './fleet.ts'
import type { Part } from './report.ts'
import { goalOf } from './report.ts'
import type { RestClient } from './rest.ts'
import { restClient } from './rest.ts'
import { newRing, openPod, registryConfigs } from './scene.ts'

export interface SizeOptions {
  credentials: number
  /** Documents that are read, and pages of the list. */
  reads: number
  pages: number
  /** Of `lanyard`, bundled as it is published. */
  program: string
}

const goalMib = 150

/** `lanyard pull-secrets serve` in a process of its own, on a database of so many credentials. */
export async function sizePart(
  server: BenchServer,
  { credentials, reads, pages, program }: SizeOptions,
  say: (line: string) => void,
): Promise<Part> {
  const url = await server.fresh('bench_size')
  const ring = newRing()
  const clusters = Math.ceil(credentials / registries.length)
  say(`size: ${credentials} credentials are stored`)
  {
    await using pod = await openPod({ url, ring })
    await seedFleet(pod.deps.database.data, pod.deps.vault, clusters)
  }
  const { config, tokenFile } = await writeSettings(join(server.dir, 'serve'), url, formatKeyRing(ring).reveal())
  await using service = start(process.execPath, [program, 'pull-secrets', 'serve', '--config', config])
  await using rest = await connected(service, tokenFile)
  await untilCalm([service.pid])
  const atRest = residentBytes(service.pid).now
  say(`size: ${reads} documents are read, then ${pages} pages of the list`)
  await inParallel(reads, 32, (number) => rest.get(`/clusters/${clusterName((number * 7) % clusters)}/pull-secrets`))
  const afterReads = residentBytes(service.pid).now
  let page = '/credentials?size=100'
  for (let number = 0; number < pages; number++) page = (await rest.get(page)).next ?? page
  await untilCalm([service.pid])
  const { now, peak } = residentBytes(service.pid)
  return {
    lines: [
      {
        what: `RSS of \`serve\` with ${credentials.toLocaleString('en')} credentials stored, after ${reads.toLocaleString('en')} reads and ${pages} pages`,
        measured: mib(now),
        beside: `${mib(atRest)} before, ${mib(afterReads)} after the reads, ${mib(peak)} at most`,
        goal: goalOf(`< ${goalMib} MiB`, peak < goalMib * 2 ** 20),
      },
    ],
    values: { atRest, afterReads, now, peak },
  }
}

const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`

async function writeSettings(data: string, databaseUrl: string, keyRing: string) {
  await mkdir(data, { recursive: true })
  const at = (name: string) => join(data, name)
  await writeFile(at('keys.json'), keyRing, { mode: 0o600 })
  await writeFile(at('database-url'), databaseUrl, { mode: 0o600 })
  const anywhere = '127.0.0.1:0'
  const pullSecrets = {
    listen: anywhere,
    healthListen: anywhere,
    metricsListen: anywhere,
    keyRingFile: at('keys.json'),
    databaseUrlFile: at('database-url'),
    registries: registryConfigs(),
  }
  await writeFile(at('lanyard.yaml'), JSON.stringify({ data, pullSecrets }))
  return { config: at('lanyard.yaml'), tokenFile: at('pull-secrets/operator-token') }
}

async function connected(service: Running, tokenFile: string): Promise<RestClient> {
  const address = () => /is ready: (http:\S+),/.exec(service.output())?.[1]
  await until('the service is ready', () => address() !== undefined, { by: service })
  return restClient(address() as string, (await readFile(tokenFile, 'utf8')).trim())
}
