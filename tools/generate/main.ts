import { relative, resolve } from 'node:path'
import { discover } from './discover.ts'
import { filesFor } from './files.ts'
import { compareTree, writeTree } from './tree.ts'

/**
 * Writes what follows from the declarations in src/: CRD manifests and the reference pages.
 * `--check` writes nothing and fails when the tree is not what would be written.
 */
const root = resolve(import.meta.dirname, '../..')
const { files, mistakes } = filesFor(await discover(root))
const check = process.argv.includes('--check')
const differences = mistakes.length > 0 ? [] : check ? compareTree(root, files) : writeTree(root, files)

for (const mistake of mistakes) console.error(`generate: ${mistake}`)
for (const { path, what } of differences) {
  const name = relative(root, path)
  if (check) console.error(`generate: ${name} ${what}`)
  else console.log(`${name} ${what}`)
}
if (check && differences.length > 0)
  console.error('generate: run `npm run generate` and commit the result; these files are never edited by hand')
if (mistakes.length > 0 || (check && differences.length > 0)) process.exitCode = 1
