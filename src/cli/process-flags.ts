import type { Command } from 'commander'
import { Option } from 'commander'
import { durationMs, listOf, wholeNumber } from './flag-values.ts'

/** A flag that takes a duration. The help shows its default as people write it. */
export const durationOption = (flag: string, description: string, byDefault: string): Option =>
  new Option(`${flag} <time>`, description).argParser(durationMs).default(durationMs(byDefault), byDefault)

/** What `hub` and `agent` have in common. */
export const withProcessFlags = (command: Command): Command =>
  command
    .option('--context <name>', 'of the kubeconfig (default: its current one)')
    .option('--no-leader-election', 'run at once, beside whoever else runs')
    .addOption(new Option('--disable-leader-election', 'the same').implies({ leaderElection: false }))
    .addOption(durationOption('--leader-elect-lease-duration', 'silence after which another replica leads', '15s'))
    .addOption(durationOption('--leader-elect-renew-deadline', 'when a leader that cannot renew stops', '10s'))
    .addOption(durationOption('--leader-elect-retry-period', 'between two looks at the lease', '2s'))
    .option('--kube-api-qps <n>', 'requests a second at most; 0: as many as come', wholeNumber(0), 0)
    .option('--kube-api-burst <n>', 'requests at once after a pause', wholeNumber(1), 1_000)
    .addOption(
      new Option('--log-level <level>', 'the least that is logged, on standard error')
        .choices(['debug', 'info', 'warn', 'error', 'silent'])
        .default('info'),
    )

/** Flags of drivers that come later: known, so that they are refused by name and not as a typing mistake. */
export function withLaterFlags(command: Command, flags: readonly string[]): Command {
  for (const flag of flags) command.addOption(new Option(`${flag} <value>`).argParser(listOf).hideHelp())
  return command
}
