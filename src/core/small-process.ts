import { setFlagsFromString } from 'node:v8'

/**
 * For a process that should be small rather than fast. To be called before anything else is loaded: what V8 has compiled
 * or reserved by then stays. The compilers are about 9 MiB of Node's own code, in memory from the first function that
 * runs hot, and most of what an agent does is in native code (TLS, HTTP/2, JSON). Streams of events cost up to twice the
 * processor time by it, single calls none.
 */
export function beSmall(): void {
  for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag)
  beFrugal()
}

/**
 * The heap grows in smaller steps, and room for short-lived objects stays small: by default V8 takes up to 128 MiB for
 * them in a burst and keeps it.
 */
export function beFrugal(): void {
  setFlagsFromString('--optimize-for-size')
}

/**
 * Frugal, but for a process that answers thousands of requests a second: with a little more room for what lives as long
 * as one of them it costs a seventh less processor time, and no more memory that could be measured.
 */
export function beReady(): void {
  beFrugal()
  for (const flag of ['--min-semi-space-size=4', '--max-semi-space-size=8']) setFlagsFromString(flag)
}
