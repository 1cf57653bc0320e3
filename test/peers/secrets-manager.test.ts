import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { freePort } from '../support/control-plane/ports.ts'
import { eventually } from '../support/eventually.ts'
import { peer } from '../support/peer.ts'
import { clusterC, pullSecretScene } from '../support/pull-secret-scene.ts'
import { behavesAsSink } from '../support/sink-behaviour.ts'
import { tempDir } from '../support/temp-dir.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

async function startMoto(t: TestScope, program: string): Promise<string> {
  const port = await freePort()
  const moto = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  teardown(t, async () => {
    const gone = once(moto, 'exit')
    moto.kill()
    await gone
  })
  const url = `http://127.0.0.1:${port}`
  await eventually(
    'moto answers',
    () =>
      fetch(`${url}/moto-api/`).then(
        (answer) => answer.ok,
        () => false,
      ),
    {
      withinMs: 120_000,
      everyMs: 200,
    },
  )
  return url
}

test('P65a: in the Secrets Manager that moto imitates, one version a change and none without; removed copies are restored', async (t) => {
  const program = peer(t, 'moto_server')
  if (!program) return
  const endpoint = await startMoto(t, program)
  const scene = await pullSecretScene(t)
  const secretAccessKeyFile = join(tempDir(t), 'key')
  writeFileSync(secretAccessKeyFile, 'test')
  const key = { accessKeyId: 'test', secretAccessKeyFile, allowStaticKeys: true }
  const config = { name: 'aws', type: 'aws', region: 'us-east-1', endpoint, ...key } as const

  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }
  const reader = new SecretsManagerClient({ region: 'us-east-1', endpoint, credentials })
  teardown(t, () => reader.destroy())
  const SecretId = `hyperfleet-${clusterC.id}-pull-secret`
  const versions = new Set<string>()
  await behavesAsSink(
    scene,
    { configured: [config] },
    {
      read: () =>
        reader.send(new GetSecretValueCommand({ SecretId })).then(
          ({ SecretString }) => SecretString,
          () => undefined,
        ),
      async writes() {
        const listed = await reader.send(new ListSecretVersionIdsCommand({ SecretId, IncludeDeprecated: true }))
        for (const { VersionId } of listed.Versions ?? []) versions.add(VersionId ?? '')
        return versions.size
      },
    },
  )
})
