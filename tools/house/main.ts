// Prints what can be counted of how the code is divided. It asserts nothing: test/layout.test.ts holds the rules.
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { scanSource } from '../../test/support/source-scan.ts'
import type { DriverName, Figures, Source } from './measure.ts'
import { figuresOf, importersOf, placesNaming, small } from './measure.ts'

const usage = `Usage: npm run house -- [--list WHAT] [-o json]

Counts files, lengths, exports and importers by package and folder, without tests.

  --list small    the files under ${small} lines that one other file alone imports
  --list DRIVER   the files outside its folders that name a driver: ${'aws, csr, quay, redhat, harbor, nexus'}
  -o json         everything, for programs
`

const { values: asked } = parseArgs({
  options: {
    list: { type: 'string' },
    output: { type: 'string', short: 'o' },
    help: { type: 'boolean' },
  },
})
if (asked.help) {
  console.log(usage)
  process.exit(0)
}

process.chdir(resolve(import.meta.dirname, '../..'))

/** Each cloud, way to join and registry that is to be one folder and one line in a list. */
const drivers: DriverName[] = [
  { name: 'aws', own: /\/(drivers\/awsirsa|aws)\//, words: /aws|irsa|\beks\b/i },
  { name: 'csr', own: /\/drivers\/csr\//, words: /csrDriver|csrHubDriver|csrAgentDriver|drivers\/csr/ },
  { name: 'quay', own: /\/(registries|drivers)\/quay\//, words: /quay/i },
  { name: 'redhat', own: /\/(registries|drivers)\/redhat\//, words: /redhat/i },
  { name: 'harbor', own: /\/(registries|drivers)\/harbor\//, words: /harbor/i },
  { name: 'nexus', own: /\/(registries|drivers)\/nexus\//, words: /nexus/i },
]

const isTest = (path: string) => path.endsWith('.test.ts') || path.includes('/testing/')
const paths = (await Array.fromAsync(glob(['src/**/*.ts', 'packages/*/src/**/*.ts'])))
  .filter((path) => !isTest(path) && !path.includes('node_modules'))
  .sort()

/** `src/access`, `packages/kit`, `packages/lanyard/src/access`: the product is shown by its folders. */
function partOf(path: string): string {
  const [top = '', second = '', third = '', fourth = ''] = path.split('/')
  if (top !== 'packages') return fourth === '' && third === '' ? top : `${top}/${second}`
  return second === 'lanyard' && path.split('/').length > 4
    ? [top, second, third, fourth].join('/')
    : `${top}/${second}`
}

const texts = new Map(paths.map((path) => [path, readFileSync(path, 'utf8')]))
const sources: Source[] = [...texts].map(([path, text]) => ({
  path,
  part: partOf(path),
  lines: text.trimEnd().split('\n').length,
  scan: scanSource(text),
}))
const importers = importersOf(sources)
const byPart = [...Map.groupBy(sources, ({ part }) => part)].map(([part, own]) => figuresOf(part, own, importers))
const all = figuresOf('all', sources, importers)
const named = drivers.map((driver) => ({
  driver: driver.name,
  places: placesNaming(
    driver,
    [...texts].map(([path, text]) => ({ path, text: withoutComments(text) })),
  ),
}))

if (asked.output === 'json') console.log(JSON.stringify({ parts: [...byPart, all], drivers: named }, undefined, 2))
else if (asked.list === 'small') console.log(all.smallWithOneImporter.join('\n'))
else if (asked.list !== undefined) {
  const found = named.find(({ driver }) => driver === asked.list)
  if (found === undefined) {
    console.error(`there is no list "${asked.list}"\n\n${usage}`)
    process.exit(2)
  }
  console.log(found.places.join('\n'))
} else console.log(table())

function table(): string {
  const head = ['part', 'files', 'lines', 'median', 'p90', 'longest', 'exports/1000', 'fullest folder', 'small']
  const row = (figures: Figures) => [
    figures.part,
    ...[figures.files, figures.lines, figures.median, figures.p90, figures.longest],
    ...[figures.exportsPerThousand, figures.fullestFolder, figures.smallWithOneImporter.length],
  ]
  const lines = [head, ['---', ...head.slice(1).map(() => '---:')], ...[...byPart, all].map(row)]
  const places = named.map(({ driver, places }) => `${driver} ${places.length}`).join(', ')
  return [
    ...lines.map((cells) => `| ${cells.join(' | ')} |`),
    '',
    `small: files under ${small} lines that one other file alone imports`,
    `files outside its folders that name a driver: ${places}`,
  ].join('\n')
}

/** Strings stay: a file that names a driver in a text names it. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')
}
