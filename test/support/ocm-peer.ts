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
  /** In an orderly way, as a kubelet would. */
  stop(): Promise<void>
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

/** `registration controller`, until the test is over. Returns once it answers. */
export const startOcmHub = (t: TestScope, kubeconfig: string, ...flags: string[]): Promise<OcmProcess> =>
  startOcm(t, 'controller', [`--kubeconfig=${kubeconfig}`, '--namespace=open-cluster-management-hub', ...flags])

async function startOcm(t: TestScope, role: 'agent' | 'controller', flags: readonly string[]): Promise<OcmProcess> {
  const path = program()
  if (path === undefined) throw new Error('ocm-registration is not built; run: npm run kube-assets')
  const port = await freePort()
  // It writes a certificate of its own to the folder it is started in.
  const dir = createGuardedDir()
  const args = [role, `--listen=127.0.0.1:${port}`, '--disable-leader-election', ...flags]
  const child = spawn(path, args, { cwd: dir.path, stdio: ['ignore', 'pipe', 'pipe'] })
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
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
  teardown(t, async () => {
    await stop()
    dir.remove()
  })
  await eventually(
    `OCM's ${role} answers`,
    () => {
      if (ending !== undefined) throw new Error(`OCM's ${role} did not start: ${ending}\n${lastLines(output)}`)
      return isHealthy(port)
    },
    { withinMs: 20_000 },
  )
  return { output: () => output, stop }
}

const graceMs = 3_000

/** Its certificate is one that it made itself. */
const isHealthy = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', agent: false, rejectUnauthorized: false }
    request(options, (answer) => answer.resume().once('close', () => resolve(answer.statusCode === 200)))
      .once('error', () => resolve(false))
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
