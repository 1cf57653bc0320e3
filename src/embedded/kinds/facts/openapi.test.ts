import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceFacts } from './facts.ts'
import { openApiFacts } from './openapi.ts'

test('nothing stands for anything else once it is read, and it is read once', async () => {
  const facts = await openApiFacts()
  assert.ok(!/"=[0-9a-f]{8}"/.test(JSON.stringify([facts.paths, facts.custom.paths])))
  assert.equal(await openApiFacts(), facts)
})

test('what is served is told of', async () => {
  const { paths, schemas } = await openApiFacts()
  for (const { group, version, name, kind } of resourceFacts()) {
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    assert.ok(
      Object.keys(paths).some((path) => path.startsWith(base) && path.endsWith(`/${name}`)),
      name,
    )
    assert.ok(
      Object.keys(schemas).some((schema) => schema.endsWith(`.${version}.${kind}`)),
      kind,
    )
  }
})
