import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Batch } from './batches.ts'

/** A process that has told all its results and forgot to end something is ended after this long. */
const graceMs = 15_000
/** Of a file itself, before its first test: one that awaits what never comes fails. */
const loadWithinMs = 60_000

/**
 * Runs each file as a suite of its name: its hooks are its own, and what it cannot load fails it alone. The file that runs
 * is on record: a process that dies takes its last results with it.
 */
export async function runBatch(files: Batch, recordPath: string): Promise<void> {
  // An error after its test has ended is nobody's. Not `process.exitCode`: commands that run in this process set that.
  let isUnwell = false
  const noteError = (error: unknown) => {
    isUnwell = true
    console.error(error)
  }
  process.on('uncaughtExceptionMonitor', noteError).on('unhandledRejection', noteError)
  const end = () => process.exit(isUnwell ? 1 : undefined)
  // Node's own clean-up waits for the writes of a TLS connection that died under them: without end, on a whole core. So
  // the last to hear of the end makes it one.
  process.once('beforeExit', () => process.once('exit', end))
  for (const file of files) {
    writeFileSync(recordPath, file)
    await describe(file, () => load(file))
  }
  setTimeout(end, graceMs).unref()
}

async function load(file: string): Promise<void> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not loaded within ${loadWithinMs} ms`)), loadWithinMs)
  await Promise.race([import(pathToFileURL(resolve(file)).href), late.promise]).finally(() => clearTimeout(timer))
}
