import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '../../../src/core/clock.ts'
import { silentLog } from '../../../src/core/log.ts'
import { systemRandom } from '../../../src/core/random.ts'
import { Secret } from '../../../src/core/secret.ts'
import { startEmbedded } from '../../../src/embedded/index.ts'
import type { CertifiedKey } from '../../../src/pki/index.ts'
import { lanyardProgram } from '../program.ts'
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
import { spawnServer, untilReady } from './server-process.ts'

/** What serves the API, here or in a process of its own. */
interface Server {
  readonly pid?: number
  end(signal: NodeJS.Signals): Promise<void>
}

/**
 * `lanyard kube` in a process of its own. Not through the launcher: a kill must hit the program itself.
 * `program` is what Node runs, with Node's own flags before it. Default: as tests start `lanyard`.
 */
export const launchEmbedded = (
  options: ControlPlaneOptions,
  program: readonly string[] = [lanyardProgram],
): Promise<OwnControlPlane> =>
  launch(options, async (paths, port) => {
    const args = argumentsOf(paths, port, options)
    const server = await spawnServer(embeddedProgram, process.execPath, [...program, 'kube', ...args], paths)
    try {
      await untilReady(server, () => isReady(paths, port), paths)
      return server
    } catch (error) {
      await server.end('SIGKILL')
      throw error
    }
  })

/** The same in this process, which is warm: to start a new one takes several times the processor's time. */
export const hostEmbedded = (options: ControlPlaneOptions): Promise<OwnControlPlane> =>
  launch(options, async (paths, port) => {
    const plane = await startEmbedded({
      ...settingsOf(paths, options),
      ...{ dir: dataIn(paths), port, clock: systemClock, random: systemRandom, log: silentLog },
    })
    return {
      async end(signal) {
        if (signal === 'SIGKILL') throw new Error('what is to be killed is started with `ownProcess: true`')
        await plane.close()
        // A part that could not go on fails whoever ends it.
        await plane.over
      },
    }
  })

async function launch(
  options: ControlPlaneOptions,
  startOn: (paths: Paths, port: number) => Promise<Server>,
): Promise<OwnControlPlane> {
  const dir = createGuardedDir()
  const paths = pathsIn(dir.path)
  await writeGivenFiles(paths, options)
  const port = await freePort()
  let server: Server | undefined
  const start = async () => {
    server = await startOn(paths, port)
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = server?.end(signal)
    server = undefined
    await ended
  }
  try {
    await mkdir(dataIn(paths), { mode: 0o700 })
    await start()
    const facts = factsOf(paths, port)
    await publish(facts)
    return ownControlPlane(facts, dir, { start, end, pid: () => server?.pid })
  } catch (error) {
    await end('SIGTERM').catch(() => {})
    dir.remove()
    throw error
  }
}

const dataIn = ({ dir }: Paths): string => join(dir, 'data')

const controllersOf = ({ controllers = true }: ControlPlaneOptions): readonly string[] =>
  typeof controllers === 'boolean' ? (controllers ? ['*'] : ['']) : controllers

function argumentsOf(paths: Paths, port: number, options: ControlPlaneOptions): string[] {
  const { oidc } = options
  return toArguments({
    data: dataIn(paths),
    port,
    'authorization-config': options.authorizationConfig && paths.authorizationConfig,
    'authentication-config': options.authenticationConfig && paths.authenticationConfig,
    'authentication-token-webhook-config': options.tokenWebhookConfig && paths.tokenWebhookConfig,
    'admission-control-config-file': options.webhookUsers && paths.admissionConfig,
    'audit-policy-file': options.auditPolicy && paths.auditPolicy,
    'audit-log-path': options.auditPolicy && paths.auditLog,
    'oidc-issuer-url': oidc?.issuerUrl,
    'oidc-client-id': oidc?.clientId,
    'oidc-ca-file': oidc?.caPem && paths.oidcCa,
    'oidc-username-claim': oidc?.usernameClaim,
    'oidc-username-prefix': oidc?.usernamePrefix,
    'oidc-groups-claim': oidc?.groupsClaim,
    'oidc-groups-prefix': oidc?.groupsPrefix,
    controllers: controllersOf(options).join(','),
  })
}

/** What those arguments come to. */
const settingsOf = (paths: Paths, options: ControlPlaneOptions) => ({
  ...(options.authorizationConfig && { authorizationConfig: paths.authorizationConfig }),
  ...(options.authenticationConfig && { authenticationConfig: paths.authenticationConfig }),
  ...(options.tokenWebhookConfig && { tokenWebhookConfig: paths.tokenWebhookConfig }),
  ...(options.webhookUsers && { admissionConfig: paths.admissionConfig }),
  ...(options.auditPolicy && { auditPolicy: paths.auditPolicy, auditLog: paths.auditLog }),
  ...(options.oidc && { oidc: options.oidc }),
  controllers: controllersOf(options),
})

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
  const stop = () => (stopped ??= end('SIGTERM').finally(() => dir.remove()))
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
