import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import * as Type from 'typebox'
import { parse } from 'yaml'
import { customResource } from '../../src/apis/declare.ts'
import { Conditions, IntOrString, listMap, MapOf, rules } from '../../src/apis/fields.ts'
import { reloads, secretSetting } from '../../src/core/config.ts'
import { tempDir } from '../../test/support/temp-dir.ts'
import type { Declarations } from './discover.ts'
import { discover } from './discover.ts'
import { filesFor } from './files.ts'
import { compareTree, writeTree } from './tree.ts'

const Widget = customResource({
  group: 'example.lanyard.io',
  kind: 'Widget',
  plural: 'widgets',
  singular: 'widget',
  scope: 'Namespaced',
  versions: [
    {
      name: 'v1',
      storage: true,
      schema: Type.Object({
        spec: Type.Object(
          {
            mode: Type.Enum(['a', 'b'], { default: 'a', description: 'Which of the two.' }),
            parts: Type.Optional(Type.Array(Type.Object({ name: Type.String({ pattern: '^a|b$' }) }), listMap('name'))),
            share: Type.Optional(IntOrString()),
            labels: Type.Optional(MapOf(Type.String())),
          },
          rules({ rule: 'self.mode == "a"', message: 'only a for now' }),
        ),
        status: Type.Optional(Type.Object({ conditions: Conditions('What is so.'), more: Conditions('And more.') })),
      }),
      columns: [{ name: 'Mode', type: 'string', jsonPath: '.spec.mode', priority: 1 }],
    },
  ],
})

const declarations = (changes: Partial<Declarations> = {}): Declarations => ({
  resources: [{ area: 'apis/example', source: 'src/apis/example/widget.ts', declared: Widget }],
  failures: [
    { area: 'core', source: 'src/core/failures.ts', declared: { CORE_FULL: [507, 'no room in <x> | {place}'] } },
  ],
  reasons: [{ area: 'core', source: 'src/core/reasons.ts', declared: { AsExpected: 'All is well.' } }],
  configs: [],
  ...changes,
})

const fileOf = (path: string, from = declarations()): string =>
  filesFor(from).files.get(path) ?? assert.fail(`no ${path}`)

test('a resource gives a manifest that reads back as declared, without anchors', () => {
  const text = fileOf('deploy/crds/example.lanyard.io_widgets.yaml')
  assert.match(text, /^# Written by `npm run generate` from src\/apis\/example\/widget\.ts/)
  assert.deepEqual(parse(text), JSON.parse(JSON.stringify(Widget.crd())))
  assert.doesNotMatch(text, /[&*]a\d/)
})

test('a resource gives a page with a row for each field', () => {
  const rows = fileOf('docs/reference/widget.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  assert.deepEqual(rows.slice(0, 6), [
    '| `spec` | object | yes |  | (only a for now) |',
    '| `spec.mode` | `a`, `b` | yes | `"a"` | Which of the two. |',
    '| `spec.parts` | list of object |  |  | (unique by `name`) |',
    '| `spec.parts[].name` | string | yes |  | (matches `^a\\|b$`) |',
    '| `spec.share` | integer or string |  |  |  |',
    '| `spec.labels` | map of string |  |  |  |',
  ])
  assert.match(fileOf('docs/reference/widget.md'), /\| Mode \| `\.spec\.mode` \(wide\) \|/)
})

test('failures and reasons give a page each, with what Markdown would swallow escaped', () => {
  assert.match(
    fileOf('docs/reference/errors.md'),
    /## core\n\n[\s\S]*\| `CORE_FULL` \| 507 \| no room in &lt;x> \\\| \{place\} \|\n$/,
  )
  assert.match(fileOf('docs/reference/reasons.md'), /\| `AsExpected` \| All is well\. \|\n$/)
})

test('settings give a page by section', () => {
  const schema = Type.Object({
    hub: Type.Object({
      port: Type.Integer({ default: 8443, maximum: 65_535, description: 'Where to listen.', ...reloads }),
    }),
    database: Type.Object({ url: Type.String(), password: secretSetting({ description: 'Of the role.' }) }),
  })
  const page = fileOf(
    'docs/reference/configuration.md',
    declarations({ configs: [{ area: 'cli', source: 'x', declared: schema }] }),
  )
  assert.match(
    page,
    /## hub\n\n[\s\S]*\| `hub\.port` \| `--hub-port` \| `LANYARD_HUB_PORT` \| integer \| `8443` \| Where to listen\. \(at most 65535\) Takes effect without a restart\. \|/,
  )
  assert.match(page, /\| `database\.passwordFile` \| .* \| path of a file \| required \| Of the role\. \|/)
})

const mistakes: [what: string, changes: Partial<Declarations>, message: RegExp][] = [
  [
    'a code declared twice',
    {
      failures: ['core', 'kube'].map((area) => ({
        area,
        source: `src/${area}/failures.ts`,
        declared: { A_B: [500, 'x'] },
      })),
    },
    /^A_B is declared in src\/core\/failures\.ts and again in src\/kube\/failures\.ts/,
  ],
  [
    'a code that is not one',
    { failures: [{ area: 'a', source: 's', declared: { lease: [409, 'x'] } }] },
    /^lease in s must be AREA_WHAT_HAPPENED/,
  ],
  [
    'a status that is no failure',
    { failures: [{ area: 'a', source: 's', declared: { A_B: [200, 'x'] } }] },
    /status 200/,
  ],
  [
    'a sentence with a dot',
    { failures: [{ area: 'a', source: 's', declared: { A_B: [400, 'no.'] } }] },
    /ends with a dot/,
  ],
  [
    'a reason that is no word',
    { reasons: [{ area: 'a', source: 's', declared: { as_expected: 'x' } }] },
    /must be CamelCase/,
  ],
  [
    'two resources of one kind',
    { resources: [...declarations().resources, ...declarations().resources] },
    /would be written twice/,
  ],
]
for (const [what, changes, message] of mistakes)
  test(`${what} is a mistake`, () => {
    assert.match(filesFor(declarations(changes)).mistakes[0] ?? '', message)
  })

test('writing makes the check pass, and writing again changes nothing', (t) => {
  const root = tempDir(t)
  const { files } = filesFor(declarations())
  assert.equal(compareTree(root, files).length, files.size)
  writeTree(root, files)
  assert.deepEqual(compareTree(root, files), [])
  assert.deepEqual(writeTree(root, files), [])
})

test('the check tells what is missing, different and stale, and leaves pages of people alone', (t) => {
  const root = tempDir(t)
  const { files } = filesFor(declarations())
  writeTree(root, files)
  mkdirSync(join(root, 'docs/reference'), { recursive: true })
  writeFileSync(join(root, 'docs/reference/by-hand.md'), '# By hand\n')
  writeFileSync(join(root, 'docs/reference/reasons.md'), 'edited')
  const fewer = new Map([...files].filter(([path]) => !path.endsWith('widget.md')))
  fewer.set('docs/reference/new.md', 'new')
  assert.deepEqual(
    compareTree(root, fewer).map(({ path, what }) => `${relative(root, path)} ${what}`),
    [
      'docs/reference/reasons.md is not what src/ declares',
      'docs/reference/new.md is missing',
      'docs/reference/widget.md is stale: nothing in src/ declares it any more',
    ],
  )
  writeTree(root, fewer)
  assert.deepEqual(compareTree(root, fewer), [])
  assert.equal(readFileSync(join(root, 'docs/reference/by-hand.md'), 'utf8'), '# By hand\n')
})

test('the declarations of src/ are found, make no mistakes, and give the same bytes twice', async () => {
  const root = join(import.meta.dirname, '../..')
  const found = await discover(root)
  assert.ok(found.resources.some(({ declared }) => declared.declaration.kind === 'ClusterClaim'))
  assert.ok(found.failures.some(({ area }) => area === 'core'))
  assert.deepEqual(filesFor(found).mistakes, [])
  assert.deepEqual(filesFor(found).files, filesFor(await discover(root)).files)
})

test('a catalogue file without its export is told by its name', async (t) => {
  const root = tempDir(t)
  mkdirSync(join(root, 'src/odd'), { recursive: true })
  writeFileSync(join(root, 'src/odd/failures.ts'), 'export const other = 1\n')
  await assert.rejects(discover(root), /src\/odd\/failures\.ts must export `failures`/)
})
