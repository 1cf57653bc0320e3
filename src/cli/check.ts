import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Step } from '../demo/step.ts'
import type { CommandDeps, Hub } from './open-hub.ts'
import { progressOn, silentProgress } from './progress.ts'

export interface CheckOptions {
  data: string
  output: 'table' | 'json'
  hub: Hub | undefined
}

/** `lanyard up --check`: tries everything that is there once; throws at the first thing that does not work. */
export async function check({ data, output, hub }: CheckOptions, deps: CommandDeps): Promise<void> {
  const progress = output === 'json' ? silentProgress : progressOn(process.stdout)
  const startedAt = performance.now()
  const { checkPass } = await import('../demo/pass-check.ts')
  const checks: AsyncIterable<Step>[] = [checkPass({ ...deps, folder: await checkFolder(data) })]
  if (hub) checks.push((await import('../demo/hub.ts')).checkHub({ ...deps, ...hub }))
  const steps: Step[] = []
  try {
    for (const running of checks) {
      for await (const step of running) {
        progress.show(step)
        if ('did' in step) steps.push(step)
      }
    }
  } catch (error) {
    progress.fail()
    throw error
  }
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(1))
  if (output === 'json') process.stdout.write(`${JSON.stringify({ ok: true, seconds, steps }, null, 2)}\n`)
  else process.stdout.write(`All ${steps.length} checks passed in ${seconds} s.\n`)
}

/** One for this process, once those that killed checks left behind are gone. */
async function checkFolder(data: string): Promise<string> {
  for (const entry of await readdir(data)) {
    const [, pid] = /^check-(\d+)$/.exec(entry) ?? []
    if (pid && !isRunning(Number(pid))) await rm(join(data, entry), { recursive: true, force: true })
  }
  return join(data, `check-${process.pid}`)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
