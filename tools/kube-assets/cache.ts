/** Where built programs are kept: pure decisions, from values to paths. */
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Pin } from './versions.ts'

export type Env = Readonly<Record<string, string | undefined>>

/** `$LANYARD_CACHE`, else `lanyard` in the user's cache folder. Empty counts as not set, as the XDG rules have it. */
export function cacheRoot(env: Env, home: string): string {
  return resolve(env.LANYARD_CACHE || join(env.XDG_CACHE_HOME || join(home, '.cache'), 'lanyard'))
}

const systems: Record<string, string> = { linux: 'linux', darwin: 'darwin' }
const machines: Record<string, string> = { x64: 'amd64', arm64: 'arm64' }

export interface Platform {
  os: string
  arch: string
}

/** Node's names for a platform in Go's words. */
export function goPlatform(platform: string, arch: string): Platform {
  const [goos, goarch] = [systems[platform], machines[arch]]
  if (goos === undefined || goarch === undefined)
    throw new Error(`kube-assets builds on Linux and macOS, amd64 and arm64; this is ${platform} on ${arch}`)
  return { os: goos, arch: goarch }
}

export interface KeyParts {
  pins: Readonly<Record<string, Pin>>
  /** Contents of the pinning files (go.mod, go.sum) by path: a changed dependency rebuilds, too. */
  moduleFiles: Readonly<Record<string, string>>
  platform: Platform
}

/**
 * The folder name for one set of pins on one platform. The Go that builds is left out: a patch release of Go should
 * not rebuild all, and finding what is built must not need Go.
 */
export function assetKey({ pins, moduleFiles, platform }: KeyParts): string {
  const sorted = (record: Readonly<Record<string, unknown>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
  const digest = createHash('sha256')
    .update(JSON.stringify([sorted(pins), sorted(moduleFiles)]))
    .digest('hex')
  return `${platform.os}-${platform.arch}-${digest.slice(0, 16)}`
}
