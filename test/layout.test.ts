import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { Import } from './support/source-scan.ts'
import { scanSource } from './support/source-scan.ts'

/**
 * The layout of src/ as CONTRIBUTING.md draws it. Every check is a table: to allow something new, add a row with its
 * reason, and say the same in CONTRIBUTING.md when it changes the drawing.
 */
const root = join(import.meta.dirname, '..')

const jobs = ['registration', 'addons', 'reach', 'access', 'pull-secrets']
const shared = ['core', 'pki', 'kube', 'apis', 'fleet']
const aboveJobs = ['ledger', 'operator']

/** Which folders of src/ each folder may import, besides itself. */
const mayImport: Record<string, readonly string[]> = {
  core: [],
  pki: ['core'],
  kube: ['core', 'pki'],
  embedded: ['core', 'pki', 'kube'],
  apis: ['core', 'pki', 'kube'],
  fleet: ['core', 'pki', 'kube', 'apis'],
  ...Object.fromEntries(jobs.map((job) => [job, shared])),
  ...Object.fromEntries(aboveJobs.map((folder) => [folder, [...shared, ...jobs]])),
  server: [...shared, ...jobs, ...aboveJobs],
  demo: [...shared, ...jobs, ...aboveJobs],
  cli: [...shared, ...jobs, ...aboveJobs, 'server', 'demo', 'embedded'],
}

/** What to do instead, for the mistakes that are made most. */
function advice(from: string, to: string): string {
  if (to === 'embedded') return 'Talk to it through src/kube/, as to any API server.'
  if (jobs.includes(from) && jobs.includes(to)) return 'What two jobs need belongs in src/fleet/.'
  if (from === 'core') return 'src/core/ knows no Kubernetes; pass in what it needs.'
  if (from === 'kube' || from === 'embedded') return `src/${from}/ knows no Lanyard; pass in what it needs.`
  return 'Imports point one way: move what is shared down, or pass it in.'
}

/** Packages that stay in one folder. */
const confined: { packages: readonly string[]; to: string; because: string }[] = [
  {
    packages: ['@peculiar/x509', 'reflect-metadata'],
    to: 'pki',
    because: 'x509 pulls reflect-metadata in and patches globals; the rest speaks PEM and the types of src/pki/',
  },
]

/** What is reached for nowhere but in these places. A key is a file or, with a slash at its end, a folder. */
const reachedFor: { what: string; find: RegExp; instead: string; allowed: Record<string, string> }[] = [
  {
    what: 'the time of the machine',
    find: /\bnew Date\(\s*\)|\bDate\.now\b|(?<!\bnew\s|[.\w])Date\(\s*\)/g,
    instead: 'take a Clock and ask clock.now()',
    allowed: { 'src/core/clock.ts': 'the system clock itself', 'src/cli/': 'entry points make the clock' },
  },
  {
    what: 'a timer of the runtime',
    find: /(?<!\.)\bset(?:Timeout|Interval)\s*\(|\bglobalThis\.set(?:Timeout|Interval)|\bAbortSignal\.timeout\b/g,
    instead: 'take a Clock and use clock.timer, clock.countdown, alarm or sleep',
    allowed: { 'src/core/clock.ts': 'the system clock itself', 'src/cli/': 'entry points' },
  },
  {
    what: 'randomness',
    find: /\bMath\.random\b/g,
    instead: 'take a Random; keys and tokens come from node:crypto',
    allowed: {},
  },
  {
    what: 'the environment',
    find: /\bprocess\s*\.\s*env\b|\bprocess\[|\benv\b[^=\n]*\}\s*=\s*process\b/g,
    instead: 'declare a setting (src/core/config.ts) and take its value',
    allowed: { 'src/cli/': 'entry points read it once' },
  },
]

/** Modules of Node that would get around the table above, outside of src/cli/. */
const forbiddenModules: Record<string, string> = {
  'node:timers': 'take a Clock',
  'node:timers/promises': 'take a Clock and use sleep',
  'node:process': 'use the global, where the tables allow it',
}

/** What src/ may import from outside of it. */
const example = 'lanyard up runs the example add-on'
const outsideAllowed: Record<string, string> = {
  'package.json': 'the version that `lanyard --version` prints',
  'examples/addon-hello/hub.ts': example,
  'examples/addon-hello/agent.ts': example,
  'examples/addon-hello/files.ts': example,
}

/** What the author of an add-on gets: the example needs no more. */
const forAuthors = ['core', 'kube', 'apis', 'fleet']

/** Code of tests: the files beside what they test, and the helpers that several of them share. */
const isTestCode = (path: string): boolean => path.endsWith('.test.ts') || path.includes('/testing/')

/** Dynamic imports whose target cannot be read from the source. */
const computedImports: Record<string, string> = {}

interface Source {
  path: string
  folder: string
  imports: Import[]
  code: string
  lineAt(offset: number): number
}

const sources: Source[] = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !isTestCode(path))
  .sort()
  .map((path) => ({ path, folder: path.split('/')[1] ?? '', ...scanSource(readFileSync(join(root, path), 'utf8')) }))

/** The imports of every file that stay inside the project, with the path they lead to. */
const inside = sources.flatMap((source) =>
  source.imports.flatMap(({ specifier, line }) =>
    specifier?.startsWith('.') ? [{ source, line, target: join(dirname(source.path), specifier) }] : [],
  ),
)
const outside = sources.flatMap((source) =>
  source.imports.flatMap(({ specifier, line, kind }) =>
    specifier === undefined || specifier.startsWith('.') ? [] : [{ source, line, kind, specifier }],
  ),
)

const none = (violations: readonly string[]) => assert.ok(violations.length === 0, `\n${violations.join('\n')}`)

const isAllowed = (path: string, allowed: Record<string, string>): boolean =>
  Object.keys(allowed).some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

test('every folder of src/ has its place in the drawing', () => {
  const unknown = readdirSync(join(root, 'src')).filter((name) => !(name in mayImport))
  none(
    unknown.map((name) => `src/${name} is not a folder of the architecture; put it in one, or add a row to mayImport`),
  )
})

test('imports between the folders of src/ point one way', () => {
  none(
    inside.flatMap(({ source, line, target }) => {
      const [top, to = ''] = target.split('/')
      if (top !== 'src' || to === source.folder || mayImport[source.folder]?.includes(to)) return []
      const allowed = mayImport[source.folder]?.join(', ') || 'nothing else'
      return [
        `${source.path}:${line} imports ${target}; src/${source.folder}/ may import ${allowed}. ${advice(source.folder, to)}`,
      ]
    }),
  )
})

test('src/ imports nothing from outside of it, and no test', () => {
  none(
    inside.flatMap(({ source, line, target }) => {
      if (isTestCode(target)) return [`${source.path}:${line} imports ${target}; only tests may`]
      if (target.startsWith('src/') || target in outsideAllowed) return []
      return [`${source.path}:${line} imports ${target}; what ships lives in src/, move it there`]
    }),
  )
})

test('the example add-on needs only what authors get, and both of its sides together are short', () => {
  const files = globSync('examples/addon-hello/*.ts', { cwd: root })
  assert.ok(files.length > 0)
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  none(
    files.flatMap((path) =>
      scanSource(read(path)).imports.flatMap(({ specifier = '', line }) => {
        const [top, to = ''] = join(dirname(path), specifier).split('/')
        const isFine = !specifier.startsWith('.') || top === 'examples' || (top === 'src' && forAuthors.includes(to))
        return isFine ? [] : [`${path}:${line} imports ${specifier}; an author has src/{${forAuthors}}/ only`]
      }),
    ),
  )
  const sides = ['hub', 'agent'].map((side) => read(`examples/addon-hello/${side}.ts`).trimEnd().split('\n').length)
  assert.ok(sides.reduce((a, b) => a + b) < 150, `${sides}`)
})

test('imports lead to files that are there', () => {
  const known = new Set([...sources.map(({ path }) => path), ...globSync('src/**/*.json', { cwd: root })])
  none(
    inside
      .filter(({ target }) => target.startsWith('src/') && !isTestCode(target) && !known.has(target))
      .map(({ source, line, target }) => `${source.path}:${line} imports ${target}, which does not exist`),
  )
})

test('dynamic imports can be followed', () => {
  none(
    sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier === undefined && !isAllowed(path, computedImports))
        .map(
          ({ line }) =>
            `${path}:${line} computes what it imports; write each path out, so that the layout can be checked`,
        ),
    ),
  )
})

test('what is loaded on demand is a file of ours', () => {
  none(
    outside
      .filter(({ specifier, kind }) => kind === 'dynamic' && !specifier.startsWith('node:'))
      .map(
        ({ source, line, specifier }) =>
          `${source.path}:${line} loads ${specifier} on demand; load a file of ours that imports it, for once bundled, a CommonJS package has only a default export`,
      ),
  )
})

for (const { packages, to, because } of confined)
  test(`${packages.join(' and ')} stay in src/${to}/`, () => {
    none(
      outside
        .filter(({ source, specifier }) => packages.includes(packageOf(specifier)) && source.folder !== to)
        .map(({ source, line, specifier }) => `${source.path}:${line} imports ${specifier}: ${because}`),
    )
  })

test('what src/ runs with is a dependency, not a tool of development', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  none(
    outside
      .filter(({ specifier, kind }) => !specifier.startsWith('node:') && kind !== 'type')
      .filter(({ specifier }) => !(packageOf(specifier) in manifest.dependencies))
      .map(
        ({ source, line, specifier }) =>
          `${source.path}:${line} imports ${specifier}, which is not in dependencies of package.json`,
      ),
  )
})

for (const { what, find, instead, allowed } of reachedFor)
  test(`${what} is passed in, not reached for`, () => {
    none(
      sources
        .filter(({ path }) => !isAllowed(path, allowed))
        .flatMap(({ path, code, lineAt }) =>
          [...code.matchAll(find)].map(
            ({ index, 0: text }) => `${path}:${lineAt(index)} uses ${text.trim()}; ${instead}`,
          ),
        ),
    )
  })

test('no module of Node is used to get around the clock and the settings', () => {
  none(
    outside
      .filter(({ source, specifier }) => specifier in forbiddenModules && source.folder !== 'cli')
      .map(
        ({ source, line, specifier }) => `${source.path}:${line} imports ${specifier}; ${forbiddenModules[specifier]}`,
      ),
  )
})

test('every exception in these tables is still needed', () => {
  const stale = reachedFor.flatMap(({ what, find, allowed }) =>
    Object.keys(allowed)
      .filter((place) => !place.endsWith('/'))
      .filter((place) => !sources.some(({ path, code }) => path === place && code.search(find) >= 0))
      .map((place) => `${place} no longer reaches for ${what}; remove its row`),
  )
  none(stale)
})
