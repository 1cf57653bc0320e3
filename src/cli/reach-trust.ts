import { Command, InvalidArgumentError, Option } from 'commander'
import { readFingerprint } from '../fleet/spoke/trust/fingerprint.ts'
import { wholeNumber } from './flag-values.ts'
import { outputOption } from './output.ts'
import { withHubSettings } from './settings.ts'
import type { Stop } from './stop-signal.ts'

export interface ReachTrustOptions {
  fingerprint?: string
  withdraw?: boolean
  namespace?: string
  wait: boolean
  timeout: number
  output: 'table' | 'json'
}

const examples = `
Examples:
  lanyard reach trust west                         whom the hub trusts there, what west shows now, and how to compare
  lanyard reach trust west --fingerprint AB:CD:…   it is the same as on west itself: trust it from now on
  lanyard reach trust west --withdraw               it was not: do not trust it, should west ever show it

A fingerprint that west does not show yet may be confirmed in advance, before its CA is replaced.`

export const reachTrustCommand = (stop: Stop): Command =>
  withHubSettings(new Command('trust'), ['namespace'])
    .description('Show whom the hub trusts as the API server of a cluster, or confirm a new CA.')
    .argument('<name>', 'of the cluster')
    .option('--fingerprint <sha256>', 'of the CA that you compared; colons and case do not matter', fingerprintOf)
    .addOption(new Option('--withdraw', 'take back what was confirmed and is not shown yet').conflicts('fingerprint'))
    .option('--namespace <name>', 'of the ClusterConfig (default: wherever one of that name is)')
    .option('--wait', 'until the hub has taken it over', true)
    .option('--no-wait', 'leave it to the hub')
    .option('--timeout <seconds>', 'how long --wait waits', wholeNumber(1), 30)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', examples)
    .action(async (name: string, options: ReachTrustOptions, command: Command) =>
      (await import('./reach-trust-run.ts')).showOrConfirm(name, options, command, stop),
    )

function fingerprintOf(text: string): string {
  const fingerprint = readFingerprint(text)
  if (fingerprint === undefined)
    throw new InvalidArgumentError('It is a SHA-256: 64 hex digits, with or without colons.')
  return fingerprint
}
