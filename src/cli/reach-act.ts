import type { Command } from 'commander'
import { loadConfig } from '../core/config.ts'
import { hubNamespace } from '../fleet/names.ts'
import type { SpokeSettings } from '../fleet/spoke/index.ts'
import { checkReach } from '../reach/operations/check.ts'
import { checkHere } from '../reach/operations/here.ts'
import { removeReach } from '../reach/operations/remove.ts'
import { readClusterConfigs } from '../reach/overview/read-cluster-configs.ts'
import { calledBy, inCalledForm } from './called.ts'
import { configSchema } from './config-schema.ts'
import { confirm } from './confirm.ts'
import { failures } from './failures.ts'
import { showClusterConfigs } from './get-cluster-configs.ts'
import { operateOnEach, withHub } from './operate.ts'
import type { OutputFormat } from './output.ts'
import type { ReachNamesOptions } from './reach.ts'
import { spokeSettingsOf } from './reach-settings.ts'
import type { Stop } from './stop-signal.ts'

/** `lanyard reach list`, `lanyard get clusterconfigs`. */
export const listAll = (names: string[], output: OutputFormat, command: Command, stop: Stop): Promise<void> =>
  withHub(command, stop, async ({ client: kube }, deps) => {
    process.stdout.write(await showClusterConfigs({ kube, names, output, called: calledBy(command) }, deps))
  })

/** `lanyard reach check`. */
export async function checkEach(given: string[], options: ReachNamesOptions, command: Command, stop: Stop) {
  const { all = false, here = false, namespace, output } = options
  const named = [...new Set(given)]
  if (all && named.length > 0) throw failures.REACH_NAMED_AND_ALL()
  if (!all && named.length === 0) throw failures.REACH_NOT_NAMED({ verb: 'check' })
  const settings = await settingsHere()
  await withHub(command, stop, async ({ client: kube }, common) => {
    const deps = { ...common, kube, settings }
    const { signal } = deps
    const names = all
      ? (await readClusterConfigs(kube, { signal, namespace })).map(({ metadata }) => metadata.name)
      : named
    if (names.length === 0)
      return void process.stdout.write(output === 'json' ? '[]\n' : inCalledForm(noneYet, calledBy(command)))
    const timeoutMs = options.timeout * 1_000
    const steps = (name: string) => (here ? checkHere : checkReach)({ name, namespace, timeoutMs }, deps)
    await operateOnEach(names, steps, { done: 'got into', output, signal, called: calledBy(command) })
  })
}

const noneYet = 'The hub has no way into any cluster yet. `lanyard reach add --help` tells how to give it one.\n'

/** From here a loopback address is what it says, and a look must change nothing: no CA is taken on trust. */
export async function settingsHere(): Promise<SpokeSettings> {
  const { config } = await loadConfig(configSchema, {})
  return { ...spokeSettingsOf(config.reach, {}), trustOnFirstUse: false }
}

/** `lanyard reach rm`. */
export async function removeEach(names: string[], options: ReachNamesOptions, command: Command, stop: Stop) {
  const { yes = false, namespace, output } = options
  if (!yes) await confirmed(names, stop.signal)
  await withHub(command, stop, ({ client: kube }, common) => {
    const deps = { ...common, kube }
    const steps = (name: string) => removeReach({ name, namespace, fallbackNamespace: hubNamespace }, deps)
    return operateOnEach([...new Set(names)], steps, {
      done: 'removed',
      output,
      signal: deps.signal,
      called: calledBy(command),
    })
  })
}

/** Asks on a terminal; elsewhere nobody could answer. */
async function confirmed(names: readonly string[], signal: AbortSignal): Promise<void> {
  const listed = names.join(', ')
  const isConfirmed = await confirm(`Take the way into ${listed} away from the hub?`, signal)
  if (!isConfirmed) throw failures.REACH_NOT_CONFIRMED({ names: listed })
}
