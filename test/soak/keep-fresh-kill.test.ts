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
  let killed = 0
  for (; killed < rounds; killed++) {
    const child = spawn(process.execPath, [keeper, desk.url, path], { stdio: ['ignore', 'pipe', 'inherit'] })
    teardown(t, () => void child.kill('SIGKILL'))
    let started = false
    child.stdout.setEncoding('utf8').on('data', (lines: string) => {
      started = true
      for (const [, print] of lines.matchAll(/^PassIssued (\w+)$/gm)) if (print) reported.add(print)
    })
    while (!started && child.exitCode === null) await delay(5)
    await delay(systemRandom.fraction() * 150)
    assert.equal(child.exitCode, null, 'it ended by itself')
    child.kill('SIGKILL')
    await once(child, 'close')

    const { kept, pending } = await fileKeep(path, secretCodec).load()
    const request = desk.asked.at(-1)
    const isOnRecord = kept?.material.reveal() === `token-${request}` || pending?.name === request
    assert.ok(isOnRecord, `round ${killed}: the desk knows a request that is not on record`)
  }
  t.diagnostic(`${killed} kills, ${desk.asked.length} requests, ${reported.size} passes reported`)
  assert.ok(desk.asked.length >= rounds, 'the keeper got to its work')
  const prints = desk.asked.map((name) => createHash('sha256').update(`token-${name}`).digest('hex'))
  assert.ok([...reported].every((print) => prints.includes(print)))
  assert.ok(readdirSync(folder).length <= 1 + rounds)
})
