import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

/** A folder that is removed, with all that is in it, when the test is over. */
export function tempDir(t: TestScope): string {
  const dir = mkdtempSync(join(tmpdir(), 'lanyard-test-'))
  teardown(t, () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }))
  return dir
}
