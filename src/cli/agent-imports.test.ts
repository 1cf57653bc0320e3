import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { modulesLoadedBy, ofAwsDriver, ofAwsSdk } from '../../test/support/loaded-modules.ts'
import { teardown } from '../../test/support/test-scope.ts'

/** What `lanyard agent` loads, and a connection to its hub as itself. */
const script = (flags: object) => `
  import { systemClock } from ${JSON.stringify(import.meta.resolve('../core/clock.ts'))}
  import { csrAgentDriver } from ${JSON.stringify(import.meta.resolve('../registration/drivers/csr/agent.ts'))}
  import ${JSON.stringify(import.meta.resolve('./agent-run.ts'))}
  import { agentDriverOf } from ${JSON.stringify(import.meta.resolve('./agent-driver.ts'))}
  const driver = (await agentDriverOf(${JSON.stringify(flags)}, { env: process.env, clock: systemClock })) ?? csrAgentDriver({ expirationSeconds: 0 })
  const { credentials } = driver.connection({ name: 'hub', server: 'https://hub.example.com' }, () => undefined)
  console.log(driver.name, Object.keys(await credentials()).join())`

const running = (flags: object): string[] => ['--input-type=module', '--eval', script(flags)]

test('an agent that joins by CSR loads nothing of AWS', async (t) => {
  const { loaded, out } = await modulesLoadedBy(t, running({ registrationAuth: 'csr' }))
  assert.equal(out, 'csr \n')
  assert.ok(loaded.some((url) => url.endsWith('/registration/agent/session.ts')))
  assert.deepEqual(
    loaded.filter((url) => ofAwsSdk(url) || ofAwsDriver(url)),
    [],
  )
})

test('an agent with a web identity gets its tokens without the AWS SDK', async (t) => {
  const credentials =
    '<AccessKeyId>A</AccessKeyId><SecretAccessKey>k</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2100-01-01T01:00:00Z</Expiration>'
  const sts = createServer((_, response) => response.end(credentials))
  await new Promise<void>((resolve) => sts.listen(0, '127.0.0.1', resolve))
  teardown(t, () => void sts.close())
  const flags = {
    registrationAuth: 'awsirsa',
    hubClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/hub',
    managedClusterArn: 'arn:aws:eks:us-west-2:123456789012:cluster/west',
  }
  const { loaded, out } = await modulesLoadedBy(t, running(flags), {
    AWS_WEB_IDENTITY_TOKEN_FILE: join(import.meta.dirname, 'agent-imports.test.ts'),
    AWS_ROLE_ARN: 'arn:aws:iam::123456789012:role/ocm-managed-cluster-1',
    AWS_ENDPOINT_URL_STS: `http://127.0.0.1:${(sts.address() as AddressInfo).port}`,
  })
  assert.equal(out, 'awsirsa authorization\n')
  assert.ok(loaded.some(ofAwsDriver))
  assert.deepEqual(loaded.filter(ofAwsSdk), [])
})
