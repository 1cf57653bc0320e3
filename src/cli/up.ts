import { mkdir, readdir, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { systemClock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import type { Log } from '../core/log.ts'
import { systemRandom } from '../core/random.ts'
import type { Step } from '../demo/step.ts'
import { progressOn, silentProgress } from './progress.ts'
import type { Settings } from './settings.ts'
import { loadSettings, withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface UpOptions {
  check?: boolean
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard up                                start, and keep running until Ctrl-C
  lanyard up --check                        try everything once, and exit 0 when it works
  lanyard up --kubeconfig hub.yaml --check  the same, on a hub of yours as well
  lanyard up --check -o json                the same, for a program to read`

export function upCommand(stop: Stop): Command {
  return withSettings(new Command('up'))
    .description('Start Lanyard on this machine.')
    .option('--check', 'issue, renew and revoke a pass, then exit; with a hub also list, watch and hold a lease there')
    .addOption(
      new Option('-o, --output <format>', 'how results are printed').choices(['table', 'json']).default('table'),
    )
    .addHelpText('after', examples)
    .action((options: UpOptions, command: Command) => up(options, command, stop))
}

async function up(options: UpOptions, command: Command, stop: Stop): Promise<void> {
  const { settings, log } = await loadSettings(command)
  const deps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const data = resolve(settings.data)
  await mkdir(data, { recursive: true, mode: 0o700 })
  const hub = settings.kubeconfig || settings.context ? await openHub(settings, deps) : undefined
  await using _hub = hub?.client
  if (options.check) return await check(options, { ...deps, folder: await checkFolder(data) }, hub)

  const progress = progressOn(process.stdout)
  const { keepDemoPass } = await import('../demo/demo-pass.ts')
  const runs: Run[] = [keepDemoPass({ ...deps, folder: data, show: progress.show })]
  if (hub) {
    const { holdHub } = await import('../demo/hub.ts')
    runs.push(holdHub({ ...deps, ...hub, show: progress.show }))
  }
  process.stdout.write(`Lanyard is up, its data in ${data}. Press Ctrl-C to stop.\n`)
  await runTogether(stop.signal, runs)
  process.exitCode = 0
  process.stdout.write('Lanyard has stopped.\n')
}

/** One for this process, once those that killed checks left behind are gone. */
async function checkFolder(data: string): Promise<string> {
  for (const entry of await readdir(data)) {
    const [, pid] = /^check-(\d+)$/.exec(entry) ?? []
    if (pid && !isRunning(Number(pid))) await rm(join(data, entry), { recursive: true, force: true })
  }
  return join(data, `check-${process.pid}`)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

type Deps = {
  clock: typeof systemClock
  random: typeof systemRandom
  log: Log
  signal: AbortSignal
}

async function openHub(settings: Settings, { clock, random, log }: Deps) {
  const [{ loadConnection }, { connect }] = await Promise.all([
    import('../kube/kubeconfig/index.ts'),
    import('../kube/client/index.ts'),
  ])
  const found = await loadConnection({
    ...(settings.kubeconfig && { path: settings.kubeconfig }),
    ...(settings.context && { context: settings.context }),
    env: process.env,
    home: homedir(),
    clock,
    log,
    ...(process.stdin.isTTY && { terminal: { say: (text: string) => void process.stderr.write(text) } }),
  })
  const client = connect(found.connection, { clock, random, log })
  return { client, server: found.connection.server, namespace: settings.namespace ?? found.namespace ?? 'default' }
}

async function check(options: UpOptions, deps: Deps & { folder: string }, hub?: Awaited<ReturnType<typeof openHub>>) {
  const progress = options.output === 'json' ? silentProgress : progressOn(process.stdout)
  const startedAt = performance.now()
  const { checkPass } = await import('../demo/pass-check.ts')
  const checks: AsyncIterable<Step>[] = [checkPass(deps)]
  if (hub) checks.push((await import('../demo/hub.ts')).checkHub({ ...deps, ...hub }))
  const did: Step[] = []
  try {
    for (const steps of checks) {
      for await (const step of steps) {
        progress.show(step)
        if ('did' in step) did.push(step)
      }
    }
  } catch (error) {
    progress.fail()
    throw error
  }
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
  if (options.output === 'json') process.stdout.write(`${JSON.stringify({ ok: true, seconds, steps: did }, null, 2)}\n`)
  else process.stdout.write(`All ${did.length} checks passed in ${seconds} s.\n`)
}
