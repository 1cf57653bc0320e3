import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { modulesLoadedBy, ofAwsSdk } from '../../test/support/loaded-modules.ts'

test('a token in a pod is made without the AWS SDK: a client of Kubernetes waits for it', async (t) => {
  const script = `
    import { awsTokenCommand } from ${JSON.stringify(import.meta.resolve('./aws-token.ts'))}
    const text = '<AccessKeyId>A</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2100-01-01T01:00:00Z</Expiration>'
    const deps = {
      env: { AWS_WEB_IDENTITY_TOKEN_FILE: '/token', AWS_ROLE_ARN: 'arn:aws:iam::222222222222:role/r' },
      readFile: async () => 'web',
      post: async () => ({ status: 200, text }),
    }
    const stop = { signal: new AbortController().signal, exitCode: undefined }
    const args = ['--region', 'eu-central-1', '--cluster-name', 'hub', '--role-arn', 'arn:aws:iam::111111111111:role/r']
    await awsTokenCommand(stop, deps).parseAsync(args, { from: 'user' })`
  const { loaded, out } = await modulesLoadedBy(t, ['--input-type=module', '--eval', script])
  assert.match(out, /k8s-aws-v1\./)
  assert.deepEqual(loaded.filter(ofAwsSdk), [])
})

test('a process that is there for a token loads no other command', async (t) => {
  const main = join(import.meta.dirname, 'main.ts')
  const args = [main, 'aws', 'token', '--region', 'eu-central-1', '--cluster-name', 'hub']
  const keys = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
  const { loaded, out } = await modulesLoadedBy(t, args, keys)
  assert.match(out, /^\{"kind":"ExecCredential".*k8s-aws-v1\./)
  const others = ['/cli/up.ts', '/cli/hub.ts', '/cli/agent.ts', '/cli/aws-prerequisites.ts', '/kube/client/']
  assert.deepEqual(
    loaded.filter((url) => ofAwsSdk(url) || others.some((other) => url.includes(other))),
    [],
  )
  assert.ok(loaded.length < 60, `${loaded.length} modules`)
})
