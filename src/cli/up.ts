import { access, constants, mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command, Option } from 'commander'
import { systemClock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { runTogether } from '../core/lifecycle.ts'
import { systemRandom } from '../core/random.ts'
import { failures } from '../demo/failures.ts'
import { check } from './check.ts'
import type { CommandDeps } from './open-hub.ts'
import { openHub } from './open-hub.ts'
import { progressOn } from './progress.ts'
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
  const deps: CommandDeps = { clock: systemClock, random: systemRandom, log, signal: stop.signal }
  const data = resolve(settings.data)
  await usableFolder(data)
  const hub = settings.kubeconfig || settings.context ? await openHub(settings, deps) : undefined
  await using _hub = hub?.client
  if (options.check) return await check({ data, output: options.output, hub }, deps)

  if (options.output === 'json') throw failures.OUTPUT_ONLY_WITH_CHECK()
  const progress = progressOn(process.stdout)
  const { keepDemoPass } = await import('../demo/demo-pass.ts')
  const runs: Run[] = [keepDemoPass({ ...deps, folder: data, show: progress.show })]
  if (hub) {
    const { holdHub } = await import('../demo/hub.ts')
    runs.push(holdHub({ ...deps, ...hub, show: progress.show }))
  }
  process.stdout.write(`Lanyard starts, its data in ${data}. Press Ctrl-C to stop.\n`)
  await runTogether(stop.signal, runs)
  process.exitCode = 0
  process.stdout.write('Lanyard has stopped.\n')
}

/** There, and writable; else a failure that says so before anything has started. */
async function usableFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK)
  } catch (error) {
    throw failures.DATA_UNUSABLE({ path, detail: (error as NodeJS.ErrnoException).code }, error)
  }
}
