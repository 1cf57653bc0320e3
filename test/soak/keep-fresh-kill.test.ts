import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileKeep, secretCodec } from '../../src/core/file-keep.ts'
import { systemRandom } from '../../src/core/random.ts'
import { eventually } from '../support/eventually.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

const rounds = 2 * Number(process.env['SOAK_ROUNDS'] ?? 10)
const keeper = join(import.meta.dirname, 'keeper.ts')

/** Hands out a token for each name, the same one again for the same name, and remembers what it was asked for. */
async function openDesk(t: TestScope) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const name = String(request.url).slice(1)
    if (!asked.includes(name)) asked.push(name)
    response.end(`token-${name}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  teardown(t, () => void server.closeAllConnections())
  teardown(t, () => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test(`a keeper killed ${rounds} times loses no pass, doubles no request and leaves no file half-written`, async (t) => {
  const desk = await openDesk(t)
  const folder = tempDir(t)
  const path = join(folder, 'pass.json')
  const reported = new Set<string>()
  const start = () => {
    const child = spawn(process.execPath, [keeper, desk.url, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    teardown(t, () => void child.kill('SIGKILL'))
    const seen = { lines: 0 }
    child.stdout.setEncoding('utf8').on('data', (lines: string) => {
      seen.lines++
      for (const [, print] of lines.matchAll(/^PassIssued (\w+)$/gm)) if (print) reported.add(print)
    })
    return { child, seen }
  }
  let killed = 0
  for (; killed < rounds; killed++) {
    const { child, seen } = start()
    await eventually('it works', () => seen.lines > 0, { everyMs: 5 })
    await delay(systemRandom.fraction() * 150)
    assert.equal(child.exitCode, null, 'it ended by itself')
    child.kill('SIGKILL')
    await once(child, 'close')

    const { kept, pending } = await fileKeep(path, secretCodec).load()
    const request = desk.asked.at(-1)
    // Killed in between, it may have a request on record that the desk has not heard of; never the other way round.
    const isOnRecord = kept?.material.reveal() === `token-${request}` || pending?.name === request
    assert.ok(request === undefined || isOnRecord, `round ${killed}: the desk knows a request that is not on record`)
  }
  const before = reported.size
  start()
  await eventually('after all that it renews as before', () => reported.size >= before + 3)
  t.diagnostic(`${killed} kills, ${desk.asked.length} requests, ${reported.size} passes reported`)
  const prints = desk.asked.map((name) => createHash('sha256').update(`token-${name}`).digest('hex'))
  assert.ok([...reported].every((print) => prints.includes(print)))
  assert.ok(readdirSync(folder).length <= 1 + rounds)
})
