/** The four test commands: which files each runs, under which environment, and where its report goes. */
export interface Suite {
  report: string
  globs: string[]
  env: Record<string, string>
  /** Programs of tools/kube-assets that have to be there. */
  assets: 'none' | 'control-plane' | 'all'
  /** One control plane for all files of the run, besides those that need flags of their own. */
  sharedControlPlane: boolean
  /** The PostgreSQL for all files of the run; each test has a database of its own on it. */
  database?: 'embedded' | 'server'
  /** Left out of `globs`. */
  except?: string[]
  /** No test takes longer than this; a hung one fails alone. */
  testTimeoutMs: number
  /** A file that failed is tried again at the end, see run-files.ts. */
  triesAgain: boolean
  /** Batches at a time, by core: tests that wait for processes and timers leave room for others. */
  batchesACore: number
  /** Unit test files that share a process. See batches.ts; those that take long count as several. */
  batchWeight: number
}

export const suites = {
  unit: {
    report: 'test.tap',
    batchWeight: 48,
    batchesACore: 3,
    globs: [
      'src/**/*.test.ts',
      'tools/**/*.test.ts',
      'bench/**/*.test.ts',
      'test/*.test.ts',
      'test/support/**/*.test.ts',
      'test/acceptance/**/*.test.ts',
    ],
    env: { CONTROL_PLANE: 'embedded' },
    assets: 'none',
    sharedControlPlane: true,
    database: 'embedded',
    testTimeoutMs: 120_000,
    triesAgain: true,
  },
  kube: {
    report: 'test-kube.tap',
    batchesACore: 2.5,
    batchWeight: 32,
    globs: ['test/acceptance/**/*.test.ts'],
    // They know no Kubernetes; the peers run them on another PostgreSQL.
    except: ['test/acceptance/pull-secrets/**'],
    env: { CONTROL_PLANE: 'kube' },
    assets: 'control-plane',
    sharedControlPlane: true,
    database: 'embedded',
    testTimeoutMs: 180_000,
    triesAgain: true,
  },
  peers: {
    report: 'test-peers.tap',
    batchesACore: 1.5,
    batchWeight: 12,
    globs: ['test/peers/**/*.test.ts', 'test/acceptance/pull-secrets/**/*.test.ts'],
    env: { CONTROL_PLANE: 'kube' },
    assets: 'all',
    sharedControlPlane: true,
    database: 'server',
    testTimeoutMs: 300_000,
    triesAgain: true,
  },
  soak: {
    report: 'test-soak.tap',
    batchesACore: 1.5,
    batchWeight: 1,
    globs: ['test/soak/**/*.test.ts'],
    env: { CONTROL_PLANE: 'kube' },
    assets: 'control-plane',
    sharedControlPlane: false,
    testTimeoutMs: 3_600_000,
    triesAgain: false,
  },
} as const satisfies Record<string, Suite>

export type SuiteName = keyof typeof suites

export interface Request {
  suite: SuiteName
  /** Only files whose path holds one of these. */
  only: string[]
  rounds: number
  /** Which of the sources ran, at the end. */
  coverage: boolean
}

export const usage = `usage: node tools/test/main.ts ${Object.keys(suites).join('|')} [part of a path ...] [--rounds N] [--coverage]`

/** What the command line asks for; a sentence when it cannot be understood. */
export function parseRequest(args: readonly string[]): Request | string {
  const [suite, ...rest] = args
  if (!suite || !Object.hasOwn(suites, suite)) return usage
  const only: string[] = []
  let rounds = 10
  let coverage = false
  for (let i = 0; i < rest.length; i++) {
    const arg = rest[i] as string
    if (arg === '--rounds') rounds = Number(rest[++i])
    else if (arg === '--coverage') coverage = true
    else if (arg.startsWith('-')) return `${arg} is not known; ${usage}`
    else only.push(arg)
  }
  if (!Number.isInteger(rounds) || rounds < 1) return `--rounds takes a whole number from 1; ${usage}`
  return { suite: suite as SuiteName, only, rounds, coverage }
}
