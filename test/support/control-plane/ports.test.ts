import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort, reserve } from './ports.ts'

test('a port that one process has got is nobody else’s until that process has ended', async (t) => {
  const script = `import { freePort } from ${JSON.stringify(new URL('ports.ts', import.meta.url).href)}
console.log(await freePort())
process.stdin.resume()`
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => other.kill('SIGKILL'))
  const [said] = await once(other.stdout, 'data')
  const port = Number(said)
  assert.equal(await reserve(port), false)
  const ended = once(other, 'close')
  other.kill('SIGKILL')
  await ended
  assert.equal(await reserve(port), true)
  assert.equal(await reserve(port), false)
})

test('whoever asks often gets another one each time, without binding any', async () => {
  const ports = await Promise.all(Array.from({ length: 100 }, freePort))
  assert.equal(new Set(ports).size, ports.length)
})
