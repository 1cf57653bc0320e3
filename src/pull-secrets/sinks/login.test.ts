import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { test } from 'node:test'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { isFailure } from '../../core/failure.ts'
import { Secret } from '../../core/secret.ts'
import { azureLogin } from './azure.ts'
import type { CallHttp, HttpCall } from './http-call.ts'
import { httpStore } from './http-store.ts'
import { passingToken } from './passing-token.ts'

const signal = new AbortController().signal

function answering(status: number, json: unknown): { asked: HttpCall[]; call: CallHttp } {
  const asked: HttpCall[] = []
  return {
    asked,
    async call(request) {
      asked.push(request)
      return { status, text: '', json }
    },
  }
}

function fileWith(t: TestContext, text: string): string {
  const dir = mkdtempSync(join(tmpdir(), 'lanyard-test-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const path = join(dir, 'token')
  writeFileSync(path, text)
  return path
}

test('in Azure a workload identity is used where the platform gives one', async (t) => {
  const { asked, call } = answering(200, { access_token: 'given', expires_in: 3_600 })
  const env = {
    AZURE_FEDERATED_TOKEN_FILE: fileWith(t, 'assertion\n'),
    AZURE_TENANT_ID: 'tenant',
    AZURE_CLIENT_ID: 'client',
    AZURE_AUTHORITY_HOST: 'https://login.example/',
  }
  const { token, lifetimeSeconds } = await azureLogin('azure', httpStore('azure', call), env, undefined, signal)
  assert.equal(token.reveal(), 'given')
  assert.equal(lifetimeSeconds, 3_600)
  assert.equal(asked[0]?.url, 'https://login.example/tenant/oauth2/v2.0/token')
  const form = new URLSearchParams(String(asked[0]?.body))
  assert.equal(form.get('client_assertion'), 'assertion')
  assert.equal(form.get('scope'), 'https://vault.azure.net/.default')
})

test('else the managed identity of the machine, of the client that was named', async () => {
  const { asked, call } = answering(200, { access_token: 'given', expires_in: '60' })
  await azureLogin('azure', httpStore('azure', call), {}, 'client', signal)
  const url = new URL(asked[0]?.url ?? '')
  assert.equal(url.host, '169.254.169.254')
  assert.equal(url.searchParams.get('client_id'), 'client')
  assert.equal(asked[0]?.headers?.['metadata'], 'true')
})

test('a platform that gives no token is a sink that cannot be used', async () => {
  const { call } = answering(200, {})
  await assert.rejects(azureLogin('azure', httpStore('azure', call), {}, undefined, signal), (error) =>
    isFailure(error, 'SINK_UNAVAILABLE'),
  )
})

test('a token is kept until a fifth of its life is left, or it is refused', async () => {
  const clock = new FakeClock()
  let given = 0
  const token = passingToken(clock, async () => ({ token: Secret.of(String(++given)), lifetimeSeconds: 100 }))
  const next = async () => (await token.get(signal)).reveal()
  assert.equal(await next(), '1')
  await clock.advance('79s')
  assert.equal(await next(), '1')
  await clock.advance('1s')
  assert.equal(await next(), '2')
  token.refused()
  assert.equal(await next(), '3')
})
