import assert from 'node:assert/strict'
import { accessSync, constants } from 'node:fs'
import { test } from 'node:test'
import { isFailure } from '../../core/failure.ts'
import { postgresBinaries } from './binaries.ts'

test('the programs for this machine are there', async () => {
  for (const program of Object.values(await postgresBinaries())) accessSync(program, constants.X_OK)
})

test('a platform without any is told as such', async () => {
  await assert.rejects(postgresBinaries('plan9-mips'), (error) => isFailure(error, 'POSTGRES_UNSUPPORTED'))
})
