/** OCM's own hub and agent, in processes of their own beside ours. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import { createGuardedDir } from './control-plane/guard.ts'
import { freePort } from './control-plane/ports.ts'
import { eventually } from './eventually.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const program = () => findAssets(process.env, ['ocm-registration'])?.path('ocm-registration')

/** Options for every test that needs it: skipped on a laptop that has not built it, a failure in CI. */
export const needsOcm = {
  get skip(): string | false {
    return process.env['CI'] || program() ? false : 'ocm-registration is not built; run: npm run kube-assets'
  },
}

export interface OcmProcess {
  /** What it printed so far. */
  output(): string
}

export interface OcmAgentInput {
  /** Of the cluster that is managed, where its Secrets are kept too. */
  kubeconfig: string
  /** Must exist there. */
  namespace: string
  cluster: string
  /** The file to ask the hub for a first certificate with. */
  bootstrapKubeconfig: string
  /** Need not exist yet. */
  hubKubeconfigDir: string
}

/** `registration agent`, until the test is over. Returns once it answers. */
export const startOcmAgent = (t: TestScope, agent: OcmAgentInput, ...flags: string[]): Promise<OcmProcess> =>
  startOcm(t, 'agent', [
    `--kubeconfig=${agent.kubeconfig}`,
    `--namespace=${agent.namespace}`,
    `--spoke-cluster-name=${agent.cluster}`,
    `--bootstrap-kubeconfig=${agent.bootstrapKubeconfig}`,
    `--hub-kubeconfig-dir=${agent.hubKubeconfigDir}`,
    ...flags,
  ])

/**
 * `registration controller`, until the test is over. Returns once it answers. Without OCM's webhooks: their server
 * binds ports 8000 and 8080 whatever it is told, so two of them cannot run on a machine.
 */
export const startOcmHub = (t: TestScope, kubeconfig: string, ...flags: string[]): Promise<OcmProcess> =>
  startOcm(t, 'controller', [`--kubeconfig=${kubeconfig}`, '--namespace=open-cluster-management-hub', ...flags])

async function startOcm(t: TestScope, role: 'agent' | 'controller', flags: readonly string[]): Promise<OcmProcess> {
  const path = program()
  if (path === undefined) throw new Error('ocm-registration is not built; run: npm run kube-assets')
  const port = await freePort()
  const dir = createGuardedDir()
  const args = [role, `--listen=127.0.0.1:${port}`, '--disable-leader-election', ...flags]
  // It leaves its serving certificate in the folder for temporary files.
  const env = { ...process.env, TMPDIR: dir.path }
  const child = spawn(path, args, { cwd: dir.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let ending: string | undefined
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      ending = error.message
      resolve()
    })
    child.once('close', (code, signal) => {
      ending = `it ended with ${signal ?? code}`
      resolve()
    })
  })
  if (child.pid !== undefined) writeFileSync(join(dir.path, 'ocm.pid'), String(child.pid))
  teardown(t, async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
    dir.remove()
  })
  const running: OcmProcess = { output: () => output }
  await withOutputOf({ [`OCM's ${role}`]: running }, () =>
    eventually(
      `OCM's ${role} answers`,
      () => {
        if (ending !== undefined) throw new Error(`OCM's ${role} did not start: ${ending}`)
        return askOwn(port, '/healthz')
      },
      { withinMs: 60_000, until: (answer) => answer?.code === 200 },
    ),
  )
  return running
}

const graceMs = 3_000

/** What a process on this machine answers, whose certificate is one that it made itself; undefined while it does not. */
export const askOwn = (port: number, path: string): Promise<{ code: number; text: string } | undefined> =>
  new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false }
    request(options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      answer.once('close', () => resolve({ code: answer.statusCode ?? 0, text }))
    })
      .once('error', () => resolve(undefined))
      .end()
  })

/** A failure of `action` tells what the programs printed last. */
export async function withOutputOf<T>(
  programs: Readonly<Record<string, { output(): string }>>,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action()
  } catch (error) {
    const said = Object.entries(programs).map(([name, { output }]) => `--- ${name}\n${lastLines(output())}`)
    throw new Error(`${error instanceof Error ? error.message : error}\n${said.join('\n')}`, { cause: error })
  }
}

const lastLines = (text: string): string => text.trimEnd().split('\n').slice(-40).join('\n')
