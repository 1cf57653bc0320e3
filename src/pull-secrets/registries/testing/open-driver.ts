import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../../../test/support/temp-dir.ts'
import type { TestScope } from '../../../../test/support/test-scope.ts'
import { teardown } from '../../../../test/support/test-scope.ts'
import { systemClock } from '../../../core/clock.ts'
import { isFailure } from '../../../core/failure.ts'
import { silentLog } from '../../../core/log.ts'
import { createMetrics } from '../../../core/metrics.ts'
import { systemRandom } from '../../../core/random.ts'
import type { RegistryConfig } from '../config.ts'
import type { RegistryDeps } from '../deps.ts'
import { openRegistries } from '../index.ts'
import type { RegistryDriver } from '../registry.ts'

export const cluster = { id: 'cls-abc-123', cloudProvider: 'gcp', region: 'us-east1' }
export const ours = { username: 'lanyard', password: 'our-own-password' }
export const forever = new AbortController().signal

/** The driver of one entry, with hasty retries and no limit to its calls. */
export async function openDriver(config: RegistryConfig, deps: Partial<RegistryDeps> = {}): Promise<RegistryDriver> {
  const registries = openRegistries([{ rate: { rps: 10_000, burst: 10_000 }, ...config }], {
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: await createMetrics(),
    instanceId: 'one',
    retryBaseMs: 1,
    ...deps,
  })
  return registries.driver(config.id)
}

export function passwordFile(t: TestScope): string {
  const file = join(tempDir(t), 'password')
  writeFileSync(file, ours.password)
  return file
}

export const failsWith = (code: string) => (error: unknown) => isFailure(error, code)

export function endsWith<T extends AsyncDisposable>(t: TestScope, what: T): T {
  teardown(t, async () => await what[Symbol.asyncDispose]())
  return what
}
