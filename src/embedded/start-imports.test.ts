import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modulesLoadedBy } from '../../test/support/loaded-modules.ts'

const script = `
  import { openApiFacts } from ${JSON.stringify(import.meta.resolve('./kinds/facts/openapi.ts'))}
  import ${JSON.stringify(import.meta.resolve('./start.ts'))}
  if (process.env.ASKED) await openApiFacts()`

test('what OpenAPI says of built-in kinds is read when somebody asks for it, not at the start', async (t) => {
  const args = ['--input-type=module', '--eval', script]
  const isOpenApi = (url: string) => url.endsWith('/facts/openapi.json')
  const { loaded } = await modulesLoadedBy(t, args)
  assert.ok(loaded.some((url) => url.endsWith('/facts/schemas.json')))
  assert.deepEqual(loaded.filter(isOpenApi), [])
  const asked = await modulesLoadedBy(t, args, { ASKED: 'yes' })
  assert.equal(asked.loaded.filter(isOpenApi).length, 1)
})
