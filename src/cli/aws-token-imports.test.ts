import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { inProcess } from '../../test/support/in-process-cli.ts'
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
