import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scanSource } from './source-scan.ts'

const seen = (text: string): string[] => scanSource(text).imports.map(({ specifier, kind }) => `${kind} ${specifier}`)

const found: [source: string, imports: string[]][] = [
  ["import { a } from './a.ts'", ['value ./a.ts']],
  ["import type { A } from './a.ts'", ['type ./a.ts']],
  ["import a, * as b from 'x'", ['value x']],
  ["import './side-effect.ts'", ['value ./side-effect.ts']],
  ["export * from './a.ts'\nexport type { B } from './b.ts'", ['value ./a.ts', 'type ./b.ts']],
  ["import {\n  a,\n  b,\n} from './a.ts'", ['value ./a.ts']],
  ["const x = await import('./a.ts')", ['dynamic ./a.ts']],
  ["type X = import('./a.ts').X", ['dynamic ./a.ts']],
  ['const x = await import(`./a.ts`)', ['dynamic ./a.ts']],
  ['const x = await import(name)', ['dynamic undefined']],
  ["const x = await import('./a' + name)", ['dynamic undefined']],
  [`const x = await import(\`./\${name}.ts\`)`, ['dynamic undefined']],
  ["const x = require('x')", ['dynamic x']],
  [`const text = \`\${await import('./a.ts')}\``, ['dynamic ./a.ts']],
]
for (const [source, imports] of found)
  test(`an import is seen in ${JSON.stringify(source)}`, () => {
    assert.deepEqual(seen(source), imports)
  })

const quiet = [
  "// import { a } from './a.ts'",
  "/** @example import { a } from './a.ts' */",
  'const text = "import { a } from \'./a.ts\'"',
  "const text = `import('./a.ts')`",
  "const find = /import '.\\/a'/",
  "const find = /[/'] import '/",
  "Buffer.from('abc')",
  'const here = import.meta.dirname',
  "kube.import('x')",
]
for (const source of quiet)
  test(`no import is seen in ${source}`, () => {
    assert.deepEqual(seen(source), [])
  })

test('comments and strings are blanked, code after them is not', () => {
  const { code } = scanSource(
    `a('new Date()') // new Date()\nb(\`\${c({ d: 1 })} new Date()\`) / 2 / 'x'.e\nf(/'/.test(g))`,
  )
  assert.doesNotMatch(code, /Date/)
  assert.match(code, /b\(`\$\{c\(\{ d: 1 \}\)\} {11}`\) \/ 2 \/ ' '\.e\nf\(\/ \/\.test\(g\)\)$/)
})

test('lines are counted from 1', () => {
  const scan = scanSource("// first\nimport a from 'a'\n")
  assert.deepEqual([scan.imports[0]?.line, scan.lineAt(0)], [2, 1])
})

test('of every file of the project, each import of its first lines is seen', () => {
  const root = join(import.meta.dirname, '../..')
  for (const path of globSync('{src,test,tools}/**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, path), 'utf8')
    const head = text.split('\n').filter((line) => /^import .*'$/.test(line))
    const { imports, code } = scanSource(text)
    assert.ok(imports.filter(({ kind }) => kind !== 'dynamic').length >= head.length, path)
    assert.equal(code.length, text.length, path)
    assert.equal(code.split('\n').length, text.split('\n').length, path)
  }
})
