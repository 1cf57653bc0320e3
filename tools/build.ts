// Bundles the product into dist/ for publishing and for the container: Node strips no types under node_modules.
import { rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { BuildOptions } from 'esbuild'
import { build } from 'esbuild'
import { bundledPackages, thirdPartyNotice } from './third-party.ts'

const root = resolve(import.meta.dirname, '..')

/** How everything that is measured or published is bundled. */
export const bundling: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  // A role loads only the code it needs: what is imported dynamically stays in a chunk of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Libraries are bundled too: loaded from node_modules, pino alone costs an agent 20 MiB more.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  legalComments: 'none',
  sourcemap: true,
  logLevel: 'warning',
}

if (import.meta.main) {
  await rm(`${root}/dist`, { recursive: true, force: true })
  const { metafile } = await build({
    ...bundling,
    entryPoints: { lanyard: 'src/cli/main.ts' },
    outdir: 'dist',
    metafile: true,
  })
  const notice = await thirdPartyNotice(root, bundledPackages(Object.keys(metafile.inputs)))
  await writeFile(`${root}/dist/THIRD-PARTY.txt`, notice)
  const scripts = Object.entries(metafile.outputs).filter(([path]) => path.endsWith('.js'))
  const bytes = scripts.reduce((sum, [, output]) => sum + output.bytes, 0)
  console.error(`dist: ${scripts.length} files, ${Math.round(bytes / 1024)} KiB`)
}
