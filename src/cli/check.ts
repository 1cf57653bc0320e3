import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isFailure } from '../core/failure.ts'
import type { Step } from '../core/step.ts'
import type { Called } from './called.ts'
import type { CommandDeps, Hub } from './open-hub.ts'
import { checkOwnHub } from './own-hub.ts'
import { isRunning } from './process-alive.ts'
import { progressOn, silentProgress } from './progress.ts'
import type { PullSecretsConfig } from './pull-secrets-schema.ts'

export interface CheckOptions {
  data: string
  output: 'table' | 'json'
  /** Absent: an embedded one, for the check alone. */
  hub: Hub | undefined
  pullSecrets: PullSecretsConfig
  called: Called
}

/** `lanyard up --check`: tries everything that is there once; throws at the first thing that does not work. */
export async function check(
  { data, output, hub, pullSecrets, called }: CheckOptions,
  deps: CommandDeps,
): Promise<void> {
  const progress = output === 'json' ? silentProgress : progressOn(process.stdout, called)
  const startedAt = performance.now()
  const { checkPass } = await import('../demo/pass-check.ts')
  const folder = await checkFolder(data)
  const checks: AsyncIterable<Step>[] = [
    checkPass({ ...deps, folder }),
    hub ? (await import('../demo/hub.ts')).checkHub({ ...deps, ...hub }) : checkOwnHub(`${folder}-hub`, deps),
    (await import('./check-pull-secrets.ts')).checkPullSecrets(data, pullSecrets, deps),
  ]
  const steps: Step[] = []
  const tell = (result: object) => process.stdout.write(`${JSON.stringify({ ...result, steps }, null, 2)}\n`)
  try {
    for (const running of checks) {
      for await (const step of running) {
        progress.show(step)
        if ('did' in step) steps.push(step)
      }
    }
    deps.signal.throwIfAborted()
  } catch (error) {
    progress.fail()
    if (output === 'json') tell({ ok: false, error: describe(error) })
    throw error
  }
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
  if (output === 'json') tell({ ok: true, seconds })
  else process.stdout.write(`All ${steps.length} checks passed in ${seconds} s.\n`)
}

const describe = (error: unknown): { code?: string; message: string } => ({
  ...(isFailure(error) && { code: error.code }),
  message: error instanceof Error ? error.message : String(error),
})

/** One for this process, once those that killed checks left behind are gone. */
async function checkFolder(data: string): Promise<string> {
  for (const entry of await readdir(data)) {
    const [, pid] = /^check-(\d+)(?:-hub)?$/.exec(entry) ?? []
    if (pid && !isRunning(Number(pid))) await rm(join(data, entry), { recursive: true, force: true })
  }
  return join(data, `check-${process.pid}`)
}
