import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

export interface LoadedModules {
  /** URLs, in the order they were loaded. */
  readonly loaded: readonly string[]
  readonly out: string
}

/** Runs Node with these arguments until it ends. It has nothing in its environment but `env`. */
export async function modulesLoadedBy(
  t: TestScope,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<LoadedModules> {
  const dir = tempDir(t)
  const [list, hook] = [join(dir, 'modules'), join(dir, 'hook.mjs')]
  writeFileSync(list, '')
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)) })`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', pathToFileURL(hook).href, ...args], {
    env: { HOME: dir, ...env },
  })
  return { loaded: readFileSync(list, 'utf8').split('\n').filter(Boolean), out: stdout }
}

/** What of AWS is among them: the SDK, or the driver itself. */
export const ofAwsSdk = (url: string): boolean => /\/node_modules\/(@aws-sdk|@smithy|@aws-crypto)\//.test(url)
export const ofAwsDriver = (url: string): boolean => url.includes('/drivers/awsirsa/') || url.includes('/cli/agent-aws')
