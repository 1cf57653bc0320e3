/** `npm run kube-assets`: see `usage`. The assets folder is the last line on stdout, all else goes to stderr. */
import { parseArgs } from 'node:util'
import { CannotBuild, ensureAssets } from './build.ts'
import { findAssets } from './locate.ts'
import type { AssetName } from './versions.ts'
import { assetNames, parseNames } from './versions.ts'

const usage = `Usage: npm run kube-assets -- [--only NAME,…] [--print]

Builds the programs that the tests need, once, with the Go of this machine, and prints the folder they are in:
  ${assetNames.join(', ')}

  --only NAME,…  only these
  --print        build nothing: print the folder, or exit with 1 when something is missing

  KUBEBUILDER_ASSETS  a folder: what it holds is used, what it lacks is built
  LANYARD_CACHE       where built programs are kept (default: lanyard in the user's cache folder)
`

interface Options {
  names: readonly AssetName[]
  print: boolean
  help: boolean
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: { only: { type: 'string' }, print: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })
  return {
    names: values.only === undefined ? assetNames : parseNames(values.only),
    print: values.print ?? false,
    help: values.help ?? false,
  }
}

async function main(): Promise<number> {
  let options: Options
  try {
    options = readOptions()
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage}`)
    return 2
  }
  if (options.help) {
    console.log(usage)
    return 0
  }
  if (options.print) return print(options.names)
  return await build(options.names)
}

function print(names: readonly AssetName[]): number {
  const assets = findAssets(process.env, names)
  if (assets === undefined) {
    console.error('not built yet; run: npm run kube-assets')
    return 1
  }
  console.log(assets.dir)
  return 0
}

async function build(names: readonly AssetName[]): Promise<number> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(signal))
  try {
    const assets = await ensureAssets({ names, signal: stopping.signal })
    console.log(assets.dir)
    return 0
  } catch (error) {
    if (stopping.signal.aborted) {
      console.error('stopped')
      return stopping.signal.reason === 'SIGINT' ? 130 : 143
    }
    if (!(error instanceof CannotBuild)) throw error
    console.error(error.message)
    return 1
  }
}

process.exitCode = await main()
