import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Secret } from '../../../src/core/secret.ts'
import type { CertifiedKey } from '../../../src/pki/index.ts'
import type { Facts } from './access.ts'
import { accessTo, publish } from './access.ts'
import type { ControlPlaneOptions, OwnControlPlane } from './contract.ts'
import { embeddedProgram } from './contract.ts'
import { toArguments } from './flags.ts'
import type { GuardedDir } from './guard.ts'
import { createGuardedDir } from './guard.ts'
import { writeGivenFiles } from './kube.ts'
import type { Paths } from './paths.ts'
import { pathsIn } from './paths.ts'
import { freePort } from './ports.ts'
import { isApiserverReady } from './probe.ts'
import type { ServerProcess } from './server-process.ts'
import { spawnServer, untilReady } from './server-process.ts'

const entryPoint = resolve(import.meta.dirname, '../../../src/cli/main.ts')

/**
 * `lanyard kube` in a process of its own. Not through the launcher: a kill must hit the program itself.
 * `program` is what Node runs, with Node's own flags before it. Default: the sources.
 */
export async function launchEmbedded(
  options: ControlPlaneOptions,
  program: readonly string[] = [entryPoint],
): Promise<OwnControlPlane> {
  const dir = createGuardedDir()
  const paths = pathsIn(dir.path)
  await writeGivenFiles(paths, options)
  const port = await freePort()
  const args = argumentsOf(paths, port, options)
  let server: ServerProcess | undefined
  const start = async () => {
    server = await spawnServer(embeddedProgram, process.execPath, [...program, 'kube', ...args], paths)
    await untilReady(server, () => isReady(paths, port), paths)
  }
  const end = async (signal: NodeJS.Signals) => {
    await server?.end(signal)
    server = undefined
  }
  try {
    await mkdir(dataIn(paths), { mode: 0o700 })
    await start()
    const facts = factsOf(paths, port)
    await publish(facts)
    return ownControlPlane(facts, dir, { start, end, pid: () => server?.pid })
  } catch (error) {
    await end('SIGKILL')
    dir.remove()
    throw error
  }
}

const dataIn = ({ dir }: Paths): string => join(dir, 'data')

function argumentsOf(paths: Paths, port: number, options: ControlPlaneOptions): string[] {
  const { oidc, controllers = true } = options
  return toArguments({
    data: dataIn(paths),
    port,
    'authorization-config': options.authorizationConfig && paths.authorizationConfig,
    'authentication-config': options.authenticationConfig && paths.authenticationConfig,
    'authentication-token-webhook-config': options.tokenWebhookConfig && paths.tokenWebhookConfig,
    'audit-policy-file': options.auditPolicy && paths.auditPolicy,
    'audit-log-path': options.auditPolicy && paths.auditLog,
    'oidc-issuer-url': oidc?.issuerUrl,
    'oidc-client-id': oidc?.clientId,
    'oidc-ca-file': oidc?.caPem && paths.oidcCa,
    'oidc-username-claim': oidc?.usernameClaim,
    'oidc-username-prefix': oidc?.usernamePrefix,
    'oidc-groups-claim': oidc?.groupsClaim,
    'oidc-groups-prefix': oidc?.groupsPrefix,
    controllers: typeof controllers === 'boolean' ? (controllers ? '*' : '') : controllers.join(','),
  })
}

function identity(paths: Paths, name: string): CertifiedKey {
  const text = readFileSync(join(dataIn(paths), 'pki', `${name}.pem`), 'utf8')
  const at = text.indexOf('-----BEGIN PRIVATE KEY-----')
  return { certPem: text.slice(0, at), keyPem: Secret.of(text.slice(at)) }
}

const factsOf = (paths: Paths, port: number): Facts => ({
  url: `https://127.0.0.1:${port}`,
  caPem: identity(paths, 'server-ca').certPem,
  admin: identity(paths, 'admin'),
  clientCa: identity(paths, 'client-ca'),
  adminKubeconfigPath: paths.adminKubeconfig,
  auditLogPath: paths.auditLog,
  descriptorPath: paths.descriptor,
})

async function isReady(paths: Paths, port: number): Promise<boolean> {
  try {
    const { caPem: serverCaPem, admin, clientCa } = factsOf(paths, port)
    return await isApiserverReady(port, { serverCaPem, admin, clientCa })
  } catch {
    // Its keys are not written yet.
    return false
  }
}

interface Running {
  start(): Promise<void>
  end(signal: NodeJS.Signals): Promise<void>
  pid(): number | undefined
}

function ownControlPlane(facts: Facts, dir: GuardedDir, { start, end, pid }: Running): OwnControlPlane {
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= end('SIGTERM').then(() => dir.remove()))
  return {
    ...accessTo(facts),
    dir: dir.path,
    programs: [embeddedProgram],
    apiServer: embeddedProgram,
    get pids() {
      const running = pid()
      return running === undefined ? {} : { [embeddedProgram]: running }
    },
    kill: (_program, signal = 'SIGKILL') => end(signal),
    start,
    async restart() {
      await end('SIGTERM')
      await start()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
