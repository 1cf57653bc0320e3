import type { AddonAnswer, Stage } from './turn.ts'

/** A row for each thing that happened to all add-ons. */
export function reportOf(
  answer: AddonAnswer & { floorMs: number },
  { clusters, addons }: { clusters: number; addons: number },
): string {
  const count = clusters * addons
  const row = (what: string, { ms, hubCpuMs, hubRss, requests }: Stage) =>
    `| ${[
      what,
      `${(ms / 1_000).toFixed(1)} s`,
      `${(hubCpuMs / 1_000).toFixed(2)} s`,
      `${(hubCpuMs / count).toFixed(1)} ms`,
      `${Math.round(hubRss / 2 ** 20)} MiB`,
      requests.toFixed(1),
    ].join(' | ')} |`
  return [
    `| ${clusters} clusters × ${addons} add-ons | time | hub CPU | hub CPU an add-on | hub RSS | hub requests an add-on |`,
    '|---|---|---|---|---|---|',
    row('created, until all have their tokens', answer.ready),
    row('all accounts deleted, until all have tokens of the new ones', answer.accountsLost),
    row('all Secrets deleted, until all have tokens again', answer.secretsLost),
    `| the same writes as for "created" without a hub | ${(answer.floorMs / 1_000).toFixed(1)} s | | | | 4.0 |`,
  ].join('\n')
}
