import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../../../../../test/support/temp-dir.ts'
import { sdkCredentials } from './sdk-credentials.ts'

/** The SDK reads the environment of the process, which is this test's own. */
function withProfiles(t: Parameters<typeof tempDir>[0], text: string, profile: string): void {
  const file = join(tempDir(t), 'credentials')
  writeFileSync(file, text)
  for (const name of Object.keys(process.env).filter((name) => name.startsWith('AWS_'))) delete process.env[name]
  Object.assign(process.env, {
    AWS_SHARED_CREDENTIALS_FILE: file,
    AWS_CONFIG_FILE: `${file}.config`,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_PROFILE: profile,
  })
}

test('a profile of the shared files is found', async (t) => {
  withProfiles(t, '[dev]\naws_access_key_id = AKIADEV\naws_secret_access_key = s3\naws_session_token = t\n', 'dev')
  const found = await sdkCredentials('eu-central-1')
  assert.equal(found.accessKeyId, 'AKIADEV')
  assert.deepEqual([found.secretAccessKey.reveal(), found.sessionToken?.reveal()], ['s3', 't'])
  assert.doesNotMatch(JSON.stringify(found), /s3/)
})

test('without any the SDK says so', async (t) => {
  withProfiles(t, '', 'none')
  await assert.rejects(sdkCredentials('eu-central-1'), { name: 'CredentialsProviderError' })
})
