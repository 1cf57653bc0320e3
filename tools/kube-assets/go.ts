/** Which Go there is, and whether it will do. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Env } from './cache.ts'

export type GoVersion = readonly [major: number, minor: number, patch: number]

/** From `go version go1.26.8 linux/amd64`. A release candidate counts as its release. */
export const parseGoVersion = (output: string): GoVersion | undefined => parse(/\bgo(\d+)\.(\d+)(?:\.(\d+))?/, output)

/** From the `go 1.26.0` line of a go.mod. */
export const parseGoDirective = (goMod: string): GoVersion | undefined => parse(/^go (\d+)\.(\d+)(?:\.(\d+))?/m, goMod)

function parse(pattern: RegExp, text: string): GoVersion | undefined {
  const match = pattern.exec(text)
  return match ? [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] : undefined
}

const compare = (a: GoVersion, b: GoVersion): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** The newest of the Go versions that these go.mod files need. */
export function neededGo(goMods: readonly string[]): GoVersion {
  return goMods
    .map((text) => parseGoDirective(text) ?? ([1, 0, 0] as const))
    .reduce((a, b) => (compare(a, b) < 0 ? b : a))
}

/** Why this Go (the output of `go version`, undefined without Go) cannot build, and what to do. Undefined when it can. */
export function whyNotGo(output: string | undefined, needed: GoVersion): string | undefined {
  const found = output === undefined ? undefined : parseGoVersion(output)
  if (found !== undefined && compare(found, needed) >= 0) return undefined
  const actual = output === undefined ? 'there is no `go` on PATH' : `\`go version\` says "${output.trim()}"`
  return [
    `Go ${needed.join('.')} or newer is needed to build these programs, and ${actual}.`,
    'Install it from https://go.dev/dl/ (or your package manager) and put its `bin` folder on PATH,',
    'or set KUBEBUILDER_ASSETS to a folder that holds the programs already built.',
  ].join('\n')
}

/** What `go version` prints, or undefined when there is no `go`. */
export async function askGoVersion(env: Env): Promise<string | undefined> {
  try {
    return (await promisify(execFile)('go', ['version'], { env: { ...env, GOTOOLCHAIN: 'local' } })).stdout
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
