import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)

/** Says of each SDK whether it is loaded: once with everything at hand and nothing asked, then after a question to IAM. */
const script = `
const { default: Module } = await import('node:module')
const loaded = () => ['client-iam', 'client-eks'].map((sdk) => Object.keys(Module._cache).some((path) => path.includes(sdk)))
await import(${url('../hub.ts')})
const { openAws } = await import(${url('./open.ts')})
const { systemClock } = await import(${url('../../../../core/clock.ts')})
const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
const endpoint = 'http://127.0.0.1:9'
const { iam } = openAws({ region: 'eu-west-1', clusterName: 'hub', clock: systemClock, credentials, endpoint, maxAttempts: 1 })
const before = loaded()
const code = await iam.findRole('x').catch(({ code }) => code)
console.log(JSON.stringify({ before, code, after: loaded() }))
`

test('no SDK is loaded before it is asked something, and then that one alone', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  assert.deepEqual(JSON.parse(stdout), { before: [false, false], code: 'AWS_UNAVAILABLE', after: [true, false] })
})
