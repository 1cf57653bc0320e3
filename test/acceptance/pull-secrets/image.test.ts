import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { lanyardProgram, lanyardSources } from '../../support/program.ts'
import { facts, secretPath, serveSetting, serving } from '../../support/pull-secret-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

test('F19h: with a database of its own the service runs from the bundle alone, as in an image without any package', async (t) => {
  if (lanyardProgram === lanyardSources) return t.skip('run by hand there is no bundle')
  const image = tempDir(t)
  cpSync(dirname(lanyardProgram), image, { recursive: true })
  const program = join(image, basename(lanyardProgram))

  const service = await serving(t, await serveSetting(t), { program })
  assert.equal((await service.call('POST', secretPath, facts)).status, 201)
  assert.equal((await service.call('GET', secretPath)).status, 200)
  assert.equal((await service.stop()).code, 0)

  // Without one it would need the embedded PostgreSQL, a beta, and there is none.
  const data = tempDir(t)
  const args = [program, 'pull-secrets', 'serve', '--stand-ins', '--data', data]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DATABASE_URL: '' },
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  assert.match(
    await text(child.stderr),
    /npm left it out \(--omit=optional\); set databaseUrlFile .*POSTGRES_UNSUPPORTED/,
  )
  assert.equal(await ended, 1)
})
