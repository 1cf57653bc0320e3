import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import type { CareDeps, Ended, FsckReport } from '../embedded/care/index.ts'
import { backup, compact, embeddedFailures, fsck, restore } from '../embedded/care/index.ts'
import { calledBy, inCalledForm } from './called.ts'
import { checkpointFrom } from './kill-at.ts'
import type { Kept } from './kube-restore-corrections.ts'
import { correctionsFor } from './kube-restore-corrections.ts'
import { formatData } from './output.ts'
import { printOn, tellOn } from './print-on.ts'
import { printable } from './printable.ts'
import { lineProgress, progressOn, silentProgress } from './progress.ts'
import type { Stop } from './stop-signal.ts'
import { formatTable } from './table.ts'

interface Output {
  output: 'table' | 'json'
}

const depsOf = (stop: Stop): CareDeps => ({
  clock: systemClock,
  log: createLog({ level: 'warn' }),
  signal: stop.signal,
  checkpoint: checkpointFrom(process.env['LANYARD_KILL_AT']),
})

/** What is over sooner needs no word that it has begun. */
const noticedAfterMs = 1_000

/** Shows what is being done, then the result: in words, or as data for a program. */
async function doing<Report extends object>(
  sentence: string,
  { output }: Output,
  command: Command,
  work: () => Promise<Report>,
  words: (report: Report) => string,
): Promise<void> {
  const called = calledBy(command)
  const lines = process.stderr.isTTY
    ? progressOn(process.stderr, called)
    : lineProgress((line) => tellOn(command)(`${line}\n`))
  let shown = silentProgress
  const late = setTimeout(() => {
    shown = output === 'json' ? silentProgress : lines
    shown.show({ doing: sentence })
  }, noticedAfterMs)
  try {
    const report = await work()
    shown.show({ did: sentence })
    printOn(command)(output === 'json' ? formatData('json', report) : inCalledForm(printable(words(report)), called))
  } catch (error) {
    shown.fail()
    throw error
  } finally {
    clearTimeout(late)
  }
}

export const sizeOf = (bytes: number): string =>
  bytes < 1_024 * 1_024 ? `${Math.ceil(bytes / 1_024)} KiB` : `${(bytes / 1_024 / 1_024).toFixed(1)} MiB`

export const runBackup = (
  options: Output & { data: string; to: string; overwrite?: boolean },
  command: Command,
  stop: Stop,
): Promise<void> =>
  doing(
    `backing up ${options.data}`,
    options,
    command,
    () => backup({ dir: options.data, to: options.to, overwrite: options.overwrite === true }, depsOf(stop)),
    ({ file, bytes, objects, revision }) =>
      `✔ ${objects} objects and the keys, as of revision ${revision}, are in ${file} (${sizeOf(bytes)})\n` +
      `lanyard kube restore --data NEW-FOLDER --from ${options.to}\n`,
  )

export const runRestore = (
  options: Output & { data: string; from: string; replace?: boolean } & Kept,
  command: Command,
  stop: Stop,
): Promise<void> =>
  doing(
    `restoring ${options.from}`,
    options,
    command,
    () => {
      const { data: dir, from, replace = false } = options
      return restore({ dir, from, replace, corrections: correctionsFor(options) }, depsOf(stop))
    },
    ({ dir, objects, takenAt, revision, aside, ended, warnings }) =>
      `✔ ${objects} objects and the keys of ${takenAt} are in ${dir}, which goes on at revision ${revision}\n` +
      (aside ? `✔ what was there before is in ${aside}\n` : '') +
      endedWords(ended) +
      [whatComesBack(takenAt), ...warnings].map((warning) => `! ${warning}\n`).join('') +
      `lanyard kube --data ${options.data}\n`,
  )

/** `✔ ended: 2 sessions, 1 bootstrap tokens`. */
function endedWords(ended: readonly Ended[]): string {
  const counts = new Map<string, number>()
  for (const { what } of ended) counts.set(what, (counts.get(what) ?? 0) + 1)
  const words = [...counts].map(([what, count]) => `${what} (${count})`)
  return words.length === 0 ? '' : `✔ ended, since they may have been revoked: ${words.join(', ')}\n`
}

const whatComesBack = (takenAt: string): string =>
  `what was revoked after ${takenAt} is back: accepted clusters, RBAC, escalations and policies are those of the backup, and certificates of agents are good until they end; look through them`

export const runCompact = (options: Output & { data: string }, command: Command, stop: Stop): Promise<void> =>
  doing(
    `compacting ${options.data}`,
    options,
    command,
    () => compact({ dir: options.data }, depsOf(stop)),
    ({ bytesBefore, bytesAfter, objects }) =>
      `✔ ${sizeOf(bytesBefore)} before, ${sizeOf(bytesAfter)} now, for ${objects} objects\n`,
  )

export async function runFsck(
  options: Output & { data?: string; from?: string; repair?: string },
  command: Command,
  stop: Stop,
): Promise<void> {
  const { data, from, repair } = options
  if ((data === undefined) === (from === undefined)) throw embeddedFailures.EMBEDDED_FSCK_WHAT()
  const of = from === undefined ? { dir: data ?? '' } : { from }
  let isWrong = false
  await doing(
    `checking ${data ?? from}`,
    options,
    command,
    async () => {
      const report = await fsck(of, repair, depsOf(stop))
      isWrong = report.findings.length > 0
      return report
    },
    wordsOf,
  )
  if (isWrong) process.exitCode = 1
}

function wordsOf({ checked, findings, repaired }: FsckReport): string {
  const found =
    findings.length === 0
      ? `✔ nothing is wrong with ${checked}\n`
      : formatTable(
          [
            { heading: 'FINDING', cell: ({ id }) => id },
            { heading: 'WHERE', cell: ({ where }) => where },
            { heading: 'DETAIL', cell: ({ detail }) => detail },
            { heading: 'NEXT', cell: ({ next }) => next },
          ],
          findings,
        )
  if (!repaired) return found
  const { dir, objects, revision, lost } = repaired
  const lostTable =
    lost.length === 0
      ? '✔ nothing is lost\n'
      : formatTable(
          [
            { heading: 'LOST', cell: ({ where }) => where },
            { heading: 'WHY', cell: ({ why }) => why },
          ],
          lost,
        )
  return `${found}\n✔ ${objects} objects are in ${dir}, which goes on at revision ${revision}\n${lostTable}lanyard kube --data ${dir}\n`
}
