import { randomUUID } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { sleep } from '../core/clock.ts'
import { replaceFile } from '../core/replace-file.ts'
import type { Called } from './called.ts'
import { calledBy } from './called.ts'
import { explain } from './explain.ts'
import { failures } from './failures.ts'
import type { CommandDeps } from './open-hub.ts'
import { formatData } from './output.ts'
import { hintOn } from './print-on.ts'
import { progressOn, silentProgress } from './progress.ts'
import type { PullClient } from './pull-secrets-client.ts'
import { PullRefusal } from './pull-secrets-client.ts'
import type { OpenService } from './pull-secrets-server.ts'
import { openService, sameFlags } from './pull-secrets-server.ts'
import { clustersOf, print } from './pull-secrets-show.ts'
import type { RotationItem } from './pull-secrets-words.ts'
import { clusterPath } from './pull-secrets-words.ts'
import type { Stop } from './stop-signal.ts'

export interface RotateOptions {
  all?: boolean
  reason: string
  force?: boolean
  revokeFirst?: boolean
  maxPerHour?: number
  wait?: boolean
  timeout: number
  output: 'table' | 'json'
}

export async function rotate(
  cluster: string | undefined,
  options: RotateOptions,
  command: Command,
  stop: Stop,
): Promise<void> {
  if (options.all && cluster !== undefined) throw failures.PULL_NAMED_AND_ALL()
  if (!options.all && cluster === undefined) throw failures.PULL_NOT_NAMED({ verb: 'rotate' })
  const service = await openService(command, stop)
  if (cluster === undefined) return await rotateAll(options, service, calledBy(command))
  const rotation = await request(service.client, cluster, options)
  const last = options.wait ? await untilServed(rotation, options, service) : rotation
  if (options.output === 'json') return print(formatData('json', last))
  print(`✔ ${told(cluster, last)}\n`)
  const hint = hintOn(command)
  const flags = sameFlags(command)
  if (last.status === 'in_progress' && !options.force)
    hint(`Once the new ones are in use: lanyard pull-secrets rotations ${cluster} confirm${flags}\n`)
  if (last.status === 'pending') hint(`See how it gets on: lanyard pull-secrets rotations ${cluster}${flags}\n`)
}

function told(cluster: string, { id, status, progress }: RotationItem): string {
  if (status === 'completed') return `${cluster} has new credentials, the old ones are gone`
  if (status === 'in_progress' && progress?.phase !== 'creating')
    return `${cluster} has new credentials, by rotation ${id}`
  return `${cluster} is being rotated, by rotation ${id}`
}

async function request(
  client: PullClient,
  cluster: string,
  options: RotateOptions,
  idempotencyKey?: string,
): Promise<RotationItem> {
  const { body } = await client.call<RotationItem>('POST', `${clusterPath(cluster)}/rotations`, {
    body: {
      reason: options.reason,
      force_immediate: options.force ?? false,
      ...(options.revokeFirst && { revoke_first: true }),
    },
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  })
  return body
}

const lookMs = 1_000

/** Until the new credentials are what the cluster is given; with --force until the old ones are gone. */
async function untilServed(
  rotation: RotationItem,
  { timeout, force }: RotateOptions,
  { client, deps }: Pick<OpenService, 'client' | 'deps'>,
): Promise<RotationItem> {
  const path = `${clusterPath(rotation.cluster_id)}/rotations/${rotation.id}`
  const endsAt = deps.clock.now().getTime() + timeout * 1_000
  for (;;) {
    const { body } = await client.call<RotationItem>('GET', path)
    if (body.status === 'failed' || body.status === 'cancelled')
      throw failures.PULL_ROTATION_ENDED({
        cluster: body.cluster_id,
        status: body.status,
        detail: body.last_error ?? '-',
      })
    const isServed = body.progress?.phase === 'dual' || body.progress?.phase === 'revoking'
    if (body.status === 'completed' || (isServed && !force)) return body
    if (deps.clock.now().getTime() >= endsAt)
      throw failures.PULL_ROTATION_LATE({ cluster: body.cluster_id, seconds: timeout })
    await sleep(deps.clock, lookMs, deps.signal)
  }
}

/** What a run through the fleet remembers of itself, so that the next one goes on where it was interrupted. */
interface Run {
  id: string
  reason: string
}

interface Tally {
  asked: number
  skipped: number
  failed: { cluster: string; message: string }[]
}

/**
 * Every cluster once a run. The key of a request is that of the run and the cluster: after an interruption the service
 * recognises what was asked for already, and clusters that rotate for another reason are left to it.
 */
async function rotateAll(options: RotateOptions, { client, deps, data }: OpenService, called: Called): Promise<void> {
  const progress = options.output === 'json' ? silentProgress : progressOn(process.stdout, called)
  const file = join(data, 'pull-secrets', 'rotate-all.json')
  const { run, isContinued } = await runIn(file, options.reason)
  progress.show({ doing: 'looking which clusters there are' })
  const clusters = (await clustersOf(client)).filter(({ state }) => state === 'active').map(({ cluster_id: id }) => id)
  const begun = isContinued ? 'going on with a run that was interrupted' : 'a run through the fleet begins'
  progress.show({ did: begun, detail: `${clusters.length} clusters` })
  const tally: Tally = { asked: 0, skipped: 0, failed: [] }
  const pauseMs = options.maxPerHour === undefined ? 0 : 3_600_000 / options.maxPerHour
  for (const [at, cluster] of clusters.entries()) {
    deps.signal.throwIfAborted()
    progress.show({ doing: `${at + 1} of ${clusters.length}: ${cluster}` })
    const isNew = await rotateOne(cluster, run, options, { client, deps, called }, tally)
    if (isNew && at + 1 < clusters.length && pauseMs > 0) await sleep(deps.clock, pauseMs, deps.signal)
  }
  if (tally.failed.length === 0) await rm(file, { force: true })
  if (options.output === 'json') print(formatData('json', { clusters: clusters.length, ...tally }))
  else
    progress.show({
      did: `${tally.asked} clusters are being rotated`,
      ...(tally.skipped > 0 && { detail: `${tally.skipped} were rotating already` }),
    })
  if (tally.failed.length > 0)
    throw failures.PULL_ROTATE_ALL_PARTLY({ failed: tally.failed.length, total: clusters.length })
}

/** Whether it was asked for just now. */
async function rotateOne(
  cluster: string,
  run: Run,
  options: RotateOptions,
  { client, deps, called }: Pick<OpenService, 'client' | 'deps'> & { called: Called },
  tally: Tally,
): Promise<boolean> {
  try {
    const rotation = await patiently(deps, () => request(client, cluster, options, `${run.id}:${cluster}`))
    if (options.wait) await untilServed(rotation, options, { client, deps })
    tally.asked += 1
    return true
  } catch (error) {
    deps.signal.throwIfAborted()
    if (error instanceof PullRefusal && error.status === 409) {
      tally.skipped += 1
      return false
    }
    process.stderr.write(`${explain(error, called)}\n`)
    tally.failed.push({ cluster, message: error instanceof Error ? error.message : String(error) })
    return false
  }
}

const longestPauseSeconds = 3_600

/** Waits as long as the service asks to. */
async function patiently<T>({ clock, signal }: CommandDeps, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PullRefusal) || error.status !== 429) throw error
      await sleep(clock, 1_000 * Math.min(error.retryAfterSeconds ?? 1, longestPauseSeconds), signal)
    }
  }
}

async function runIn(file: string, reason: string): Promise<{ run: Run; isContinued: boolean }> {
  try {
    const run = JSON.parse(await readFile(file, 'utf8')) as Run
    if (run.reason === reason) return { run, isContinued: true }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error
  }
  const run = { id: randomUUID(), reason }
  await replaceFile(file, JSON.stringify(run))
  return { run, isContinued: false }
}
