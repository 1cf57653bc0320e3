import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { TestContext } from 'node:test'

/**
 * The path of another real program that a test runs Lanyard beside. What a laptop lacks is skipped with its reason
 * (undefined: return from the test); in CI the same is a failure, so that a peer cannot go missing unnoticed.
 */
export function peer(
  t: Pick<TestContext, 'skip'>,
  command: string,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const path = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, command))
    .find(isExecutable)
  if (path) return path
  const reason = `needs ${command} on the PATH (docs/testing.md says what each peer needs)`
  if (env['CI']) throw new Error(reason)
  t.skip(reason)
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
