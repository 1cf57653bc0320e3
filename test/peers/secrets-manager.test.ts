import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  GetSecretValueCommand,
  ListSecretVersionIdsCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager'
import { startMoto } from '../support/moto.ts'
import { peer } from '../support/peer.ts'
import { clusterC, pullSecretScene } from '../support/pull-secret-scene.ts'
import { behavesAsSink } from '../support/sink-behaviour.ts'
import { tempDir } from '../support/temp-dir.ts'
import { teardown } from '../support/test-scope.ts'

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
