// Bundles the product into dist/ for publishing and for the container: Node strips no types under node_modules.
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
await rm(`${root}/dist`, { recursive: true, force: true })

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { lanyard: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  // A role loads only the code it needs: what is imported dynamically stays in a chunk of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  packages: 'external',
  sourcemap: true,
  metafile: true,
  logLevel: 'warning',
})
const outputs = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'))
const bytes = outputs.reduce((sum, [, { bytes }]) => sum + bytes, 0)
console.error(`dist: ${outputs.length} files, ${Math.round(bytes / 1024)} KiB`)
