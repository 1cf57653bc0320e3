import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { inProcess } from '../../test/support/in-process-cli.ts'
import { modulesLoadedBy, ofAwsSdk } from '../../test/support/loaded-modules.ts'
import { awsTokenCommand } from './aws-token.ts'

test('a token in a pod is made without the AWS SDK: a client of Kubernetes waits for it', async () => {
  const text =
    '<AccessKeyId>A</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration>'
  const deps = {
    env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'arn:aws:iam::222222222222:role/r' },
    clock: new FakeClock(),
    readFile: async () => 'web',
    post: async () => ({ status: 200, text }),
  }
  const role = 'arn:aws:iam::111111111111:role/r'
  const { out } = await inProcess((stop) => awsTokenCommand(stop, deps)).run(
    ...['--region', 'eu-central-1', '--cluster-name', 'hub', '--role-arn', role],
  )
  assert.match(out, /k8s-aws-v1\./)
  const { cache } = createRequire(import.meta.url)
  assert.deepEqual(
    Object.keys(cache).filter((path) => /@aws-sdk|@smithy/.test(path)),
    [],
  )
})

test('a process that is there for a token loads no other command', async (t) => {
  const main = join(import.meta.dirname, 'main.ts')
  const args = [main, 'aws', 'token', '--region', 'eu-central-1', '--cluster-name', 'hub']
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
  const { loaded, out } = await modulesLoadedBy(t, args, keys)
  assert.match(out, /^\{"kind":"ExecCredential".*k8s-aws-v1\./)
  const others = ['/cli/commands.ts', '/cli/hub.ts', '/cli/agent.ts', '/cli/aws-prerequisites.ts', '/kube/client/']
  assert.deepEqual(
    loaded.filter((url) => ofAwsSdk(url) || others.some((other) => url.includes(other))),
    [],
  )
  assert.ok(loaded.length < 60, `${loaded.length} modules`)
})
