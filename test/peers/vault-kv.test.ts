import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { peer } from '../support/peer.ts'
import { outsideOf } from '../support/pull-secret-outside.ts'
import { clusterC, pullSecretScene, tester } from '../support/pull-secret-scene.ts'
import { behavesAsSink } from '../support/sink-behaviour.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

interface Vault {
  address: string
  tokenFile: string
  /** As its administrator. */
  ask(method: string, path: string, body?: unknown): Promise<{ status: number; json: { data?: VaultData } }>
}

interface VaultData {
  data?: Record<string, string>
  current_version?: number
  versions?: Record<string, unknown>
}

/** In memory and unsealed, with a KV engine of version 2. See tools/vault-server. */
async function startVault(t: TestScope, program: string): Promise<Vault> {
  const server = spawn(program, [], { stdio: ['ignore', 'pipe', 'inherit'] })
  teardown(t, async () => {
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  })
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
  const [host = '', token = ''] = line.split(' ')
  const address = `http://${host}`
  const tokenFile = join(tempDir(t), 'token')
  writeFileSync(tokenFile, token)
  const ask: Vault['ask'] = async (method, path, body) => {
    const headers = { 'x-vault-token': token }
    const answer = await fetch(`${address}/v1/${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, json: text === '' ? {} : JSON.parse(text) }
  }
  await ask('POST', 'sys/mounts/secret', { type: 'kv', options: { version: '2' } })
  return { address, tokenFile, ask }
}

const path = `hyperfleet/hyperfleet-${clusterC.id}-pull-secret`

test('P65b: in a real Vault, one version a change and none without, two of them kept, and all gone with the cluster', async (t) => {
  const program = peer(t, 'lanyard-vault-server')
  if (!program) return
  const { address, tokenFile, ask } = await startVault(t, program)
  const scene = await pullSecretScene(t)
  const config = { name: 'vault', type: 'vault', address, tokenFile } as const
  await behavesAsSink(
    scene,
    { configured: [config] },
    {
      async read() {
        const { status, json } = await ask('GET', `secret/data/${path}`)
        return status === 200 ? json.data?.data?.['.dockerconfigjson'] : undefined
      },
      async writes() {
        const { json } = await ask('GET', `secret/metadata/${path}`)
        return json.data?.current_version ?? 0
      },
    },
  )

  const outside = await outsideOf(scene, scene.clock, { configured: [config] })
  await scene.service.issuing.generate({ cluster: clusterC }, tester)
  for (let turn = 0; turn < 3; turn += 1) {
    await scene.clock.advance('1h')
    await outside.tick('delivery')
    await scene.service.rotating.request({ clusterId: clusterC.id, reason: 'manual', forceImmediate: true }, tester)
    await scene.tick('rotation')
  }
  await scene.clock.advance('1h')
  await outside.tick('delivery')
  const { json } = await ask('GET', `secret/metadata/${path}`)
  assert.equal(json.data?.current_version, 4)
  assert.deepEqual(Object.keys(json.data?.versions ?? {}), ['3', '4'])

  const theirs = 'hyperfleet/hyperfleet-other-pull-secret'
  await ask('POST', `secret/data/${theirs}`, { data: { mine: 'not yours' } })
  await scene.service.issuing.generate({ cluster: { ...clusterC, id: 'other' } }, tester)
  await outside.tick('delivery')
  assert.match(scene.logged(), /SINK_FOREIGN/)
  const kept = await ask('GET', `secret/data/${theirs}`)
  assert.deepEqual(kept.json.data?.data, { mine: 'not yours' })
})
