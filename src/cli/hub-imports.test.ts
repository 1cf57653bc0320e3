import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

/** Says at the end which modules of AWS were loaded; not the rules for names, by which every command line is read. */
const witness = `data:text/javascript,${encodeURIComponent(`
const { registerHooks } = await import('node:module')
const found = new Set()
registerHooks({
  load(url, context, next) {
    for (const [, part] of url.matchAll(/(@aws-sdk|@smithy|drivers\\/awsirsa)\\/(?!names\\.ts)/g)) found.add(part)
    return next(url, context)
  },
})
process.on('exit', () => process.stdout.write('loaded ' + JSON.stringify([...found])))
`)}`

const kubeconfig = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'hub', cluster: { server: 'https://127.0.0.1:9' } }],
  users: [{ name: 'hub', user: { token: 'none' } }],
  contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
  'current-context': 'hub',
})

/** A hub whose API server is not there, from its start to its end. */
async function loadedBy(folder: string, ...flags: string[]): Promise<string[]> {
  const file = join(folder, 'hub.json')
  await writeFile(file, kubeconfig)
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const addresses = ['--listen', '127.0.0.1:0', '--access-listen', '127.0.0.1:0']
  const child = spawn(
    process.execPath,
    ['--import', witness, main, 'hub', '--kubeconfig', file, '--log-level', 'silent', ...addresses, ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, AWS_ENDPOINT_URL: 'http://127.0.0.1:9' } },
  )
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    // Once it has said so it has everything that it begins with.
    if (!out.includes('waiting for') && (out + chunk).includes('waiting for')) child.kill('SIGTERM')
    out += chunk
  })
  await once(child, 'close')
  const [, told] = /loaded (\[.*\])/.exec(out) ?? []
  assert.ok(told, out)
  return JSON.parse(told)
}

test('a hub loads nothing of AWS unless clusters join by AWS IAM, and starts either way without its API server', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'lanyard-hub-imports-'))
  t.after(() => rm(folder, { recursive: true }))
  assert.deepEqual(await loadedBy(folder), [])
  const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/hub'
  const flags = ['--enabled-registration-drivers', 'aws-irsa', '--hub-cluster-arn', arn]
  const loaded = await loadedBy(folder, '--feature-gates', 'Reach=false', ...flags)
  assert.ok(loaded.includes('drivers/awsirsa'), loaded.join())
})
