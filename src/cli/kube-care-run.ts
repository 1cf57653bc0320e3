import type { Command } from 'commander'
import { systemClock } from '../core/clock.ts'
import { createLog } from '../core/log.ts'
import type { CareDeps, FsckReport } from '../embedded/care/index.ts'
import { backup, compact, embeddedFailures, fsck, restore } from '../embedded/care/index.ts'
import { calledBy, inCalledForm } from './called.ts'
import { checkpointFrom } from './kill-at.ts'
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
  options: Output & { data: string; from: string; replace?: boolean },
  command: Command,
  stop: Stop,
): Promise<void> =>
  doing(
    `restoring ${options.from}`,
    options,
    command,
    () => restore({ dir: options.data, from: options.from, replace: options.replace === true }, depsOf(stop)),
    ({ dir, objects, takenAt, revision, aside }) =>
      `✔ ${objects} objects and the keys of ${takenAt} are in ${dir}, which goes on at revision ${revision}\n` +
      (aside ? `✔ what was there before is in ${aside}\n` : '') +
      `lanyard kube --data ${options.data}\n`,
  )

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
