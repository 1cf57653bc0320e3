import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from 'esbuild'
import { bundling } from './build.ts'

test('what is read only when it is asked for is in the bundle, in a file of its own', async () => {
  const { outputFiles } = await build({
    ...bundling,
    entryPoints: { facts: 'src/embedded/kinds/facts/openapi.ts' },
    outdir: 'dist',
    sourcemap: false,
    write: false,
  })
  const described = outputFiles.filter(({ text }) => text.includes('Deployment enables declarative updates for Pods'))
  assert.equal(described.length, 1)
  assert.ok(
    outputFiles.some(({ path, text }) => path.endsWith('/facts.js') && !described.some((it) => it.text === text)),
  )
})
