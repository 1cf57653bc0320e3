import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { lanyardProgram } from '../support/program.ts'
import type { TestScope } from '../support/test-scope.ts'
import { teardown } from '../support/test-scope.ts'

const tailBytes = 20_000

/** Processes of the service, each killed now and then wherever it is, and started again at once. */
export interface Pods {
  /** Where they serve; a killed one refuses connections until it is back. */
  urls: readonly string[]
  kills(): number
  /** From now on they stay. */
  spare(): Promise<void>
  /** The last of what they printed. */
  tail(): string
}

export function startPods(t: TestScope, pods: readonly { url: string; args: readonly string[] }[]): Pods {
  let kills = 0
  let printed = ''
  let isOver = false
  const spared = new AbortController()
  const running = pods.map(() => undefined as ChildProcess | undefined)

  function launch(index: number): void {
    const { args } = pods[index] as (typeof pods)[number]
    const child = spawn(process.execPath, [lanyardProgram, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    running[index] = child
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        printed = `${printed}${chunk}`.slice(-tailBytes)
      })
    child.once('exit', (code, signal) => {
      printed += `--- pod ${index} ended: ${signal ?? code}\n`
      if (!isOver) launch(index)
    })
  }

  /** Only one that serves: on a busy machine they would never get that far otherwise. */
  async function killNowAndThen(): Promise<void> {
    while (!spared.signal.aborted) {
      const index = Math.floor(Math.random() * running.length)
      while (!spared.signal.aborted && !(await serves(pods[index]?.url))) await pause(200)
      await pause(Math.random() * 3_000)
      if (spared.signal.aborted) return
      running[index]?.kill('SIGKILL')
      kills += 1
    }
  }
  const pause = (ms: number) => delay(ms, undefined, { signal: spared.signal }).catch(() => {})
  const serves = (url = '') =>
    fetch(url).then(
      ({ status }) => status > 0,
      () => false,
    )

  for (const index of pods.keys()) launch(index)
  const killing = killNowAndThen()
  teardown(t, async () => {
    spared.abort()
    isOver = true
    await Promise.all(
      running.map(async (child) => {
        if (!child || child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
      }),
    )
  })
  return {
    urls: pods.map(({ url }) => url),
    kills: () => kills,
    async spare() {
      spared.abort()
      await killing
    },
    tail: () => printed,
  }
}
