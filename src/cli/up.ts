import { access, constants, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command, Option } from 'commander'
import { systemClock } from '../core/clock.ts'
import type { Run } from '../core/lifecycle.ts'
import { aborted, runTogether } from '../core/lifecycle.ts'
import { systemRandom } from '../core/random.ts'
import { failures } from '../demo/failures.ts'
import { calledBy } from './called.ts'
import { check } from './check.ts'
import { wholeNumber } from './flag-values.ts'
import type { CommandDeps } from './open-hub.ts'
import { openHub } from './open-hub.ts'
import { startOwnHub } from './own-hub.ts'
import { progressOn } from './progress.ts'
import { loadSettings, withSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

interface UpOptions {
  check?: boolean
  clusters: number
  config?: string
  manual?: boolean
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard up                                a hub and two clusters that join it, until Ctrl-C
  lanyard up --manual                       the same, but they wait for lanyard accept
  lanyard up --clusters 50                  a larger fleet
  lanyard up --check                        try everything once, and exit 0 when it works
  lanyard up --kubeconfig hub.yaml --check  the same, on a hub of yours
  lanyard up --check -o json                the same, for a program to read`

export function upCommand(stop: Stop): Command {
  return withSettings(new Command('up'))
    .description('Start Lanyard on this machine.')
    .option(
      '--check',
      'issue, renew and revoke a pass and a pull secret; list, watch and hold a lease on the hub; let clusters join and get into them; break glass; then exit',
    )
    .option('--clusters <n>', 'embedded clusters that join the embedded hub', wholeNumber(0, 1_000), 2)
    .option('--manual', 'do not accept them: `lanyard accept` does')
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
  const given = settings.kubeconfig || settings.context ? await openHub(settings, deps) : undefined
  await using _given = given?.client
  if (options.check)
    return await check(
      { data, output: options.output, hub: given, pullSecrets: settings.pullSecrets, called: calledBy(command) },
      deps,
    )

  if (options.output === 'json') throw failures.OUTPUT_ONLY_WITH_CHECK()
  const progress = progressOn(process.stdout, calledBy(command))
  process.stdout.write(`Lanyard starts, its data in ${data}. Press Ctrl-C to stop.\n`)
  progress.show({ doing: given ? `asking ${given.server}` : 'starting an embedded hub' })
  await using own = given ? undefined : await startOwnHub(join(data, 'hub'), deps)
  if (own)
    progress.show({ did: 'an embedded hub is ready', detail: `kubectl --kubeconfig ${own.plane.adminKubeconfigPath}` })
  const [{ keepDemoPass }, { holdHub }] = await Promise.all([import('../demo/demo-pass.ts'), import('../demo/hub.ts')])
  const runs: Run[] = [keepDemoPass({ ...deps, folder: data, show: progress.show })]
  const hub = given ?? own
  if (hub) runs.push(holdHub({ ...deps, ...hub, show: progress.show }))
  if (own) {
    const [{ ownFleet }, { pullSecretsOfFleet }, { watchedHubConfig }] = await Promise.all([
      import('./own-fleet.ts'),
      import('./own-pull-secrets.ts'),
      import('./hub-config.ts'),
    ])
    const { clusters, manual = false } = options
    const pullSecrets = pullSecretsOfFleet(
      { data: settings.data, config: settings.pullSecrets, show: progress.show },
      deps,
    )
    const wish = {
      dir: join(data, 'clusters'),
      clusters,
      manual,
      show: progress.show,
      config: await watchedHubConfig(options.config, { ...deps, env: process.env }),
    }
    runs.push(ownFleet(own, { ...wish, onJoined: pullSecrets.onJoined }, deps), pullSecrets.run)
    runs.push((signal) => Promise.race([own.plane.over, aborted(signal)]))
  }
  await runTogether(stop.signal, runs)
  process.exitCode = 0
  progress.fail()
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
