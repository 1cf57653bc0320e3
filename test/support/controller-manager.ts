import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findAssets } from '../../tools/kube-assets/locate.ts'
import { kubeconfigOf } from './control-plane/access.ts'
import type { OwnControlPlane } from './control-plane/contract.ts'
import type { Flags } from './control-plane/flags.ts'
import { controllerManagerFlags, toArguments } from './control-plane/flags.ts'
import { writeSecret } from './control-plane/identities.ts'
import { pathsIn } from './control-plane/paths.ts'
import { freePort } from './control-plane/ports.ts'
import { isControllerManagerReady } from './control-plane/probe.ts'
import { spawnServer, untilReady } from './control-plane/server-process.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

const program = 'kube-controller-manager'

export interface ControllerManager {
  /** What it has written so far, a line each. */
  log(): string[]
  stop(): Promise<void>
}

/**
 * A real kube-controller-manager beside an embedded control plane whose own controllers are off. It has the keys of
 * that control plane: what it signs is good there.
 */
export async function startControllerManager(
  t: TestScope,
  plane: OwnControlPlane,
  controllers: readonly string[],
  flags: Flags = {},
): Promise<ControllerManager> {
  const assets = findAssets(process.env, [program])
  if (!assets) throw new Error(`${program} is not built; run: npm run kube-assets`)
  const paths = pathsIn(plane.dir)
  await writeItsFiles(plane)
  const port = await freePort()
  const given = toArguments(controllerManagerFlags(paths, port, { controllers }), flags)
  const from = sizeOfLog(paths.log(program))
  const server = await spawnServer(program, assets.path(program), given, paths)
  const stop = () => server.end('SIGTERM')
  teardown(t, stop)
  const serverCaPem = plane.caPem
  await untilReady(server, () => isControllerManagerReady(port, { serverCaPem }), paths)
  return {
    log: () => readFileSync(paths.log(program)).subarray(from).toString().split('\n'),
    stop,
  }
}

const sizeOfLog = (path: string): number => {
  try {
    return readFileSync(path).length
  } catch {
    return 0
  }
}

async function writeItsFiles(plane: OwnControlPlane): Promise<void> {
  const paths = pathsIn(plane.dir)
  const key = (name: string) => readFile(join(plane.dir, 'data', 'pki', `${name}.pem`), 'utf8')
  const [server, clientCa, serviceAccounts] = await Promise.all([
    key('server'),
    key('client-ca'),
    key('service-accounts'),
  ])
  const holder = { commonName: 'system:kube-controller-manager' }
  const certificate = await plane.issueClientCertificate(holder)
  await Promise.all([
    writeFile(paths.serverCaCert, plane.caPem),
    writeFile(paths.serverCert, certificateIn(server)),
    writeSecret(paths.serverKey, keyIn(server)),
    writeFile(paths.clientCaCert, certificateIn(clientCa)),
    writeSecret(paths.clientCaKey, keyIn(clientCa)),
    writeSecret(paths.serviceAccountKey, serviceAccounts),
    writeSecret(paths.controllerManagerKubeconfig, kubeconfigOf(plane, { certificate })),
  ])
}

const keyStart = '-----BEGIN PRIVATE KEY-----'
const certificateIn = (pem: string): string => pem.slice(0, pem.indexOf(keyStart))
const keyIn = (pem: string): string => pem.slice(pem.indexOf(keyStart))

/** What it says at every start, whatever it talks to. */
const harmless = [
  /authorization\.go:\d+\] No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work\./,
  /options\.go:\d+\] The manifest file is empty, ignoring\./,
]

/** What its election says of an answer that it does not wait for: it has 5 s, and tries again. */
const ofImpatience = /leaderelection\.go:\d+\] .*(context deadline exceeded|Client\.Timeout exceeded)/
/** What it says afterwards when that was done all the same. */
const ofLateEffects = /leaderelection\.go:\d+\] .*the object has been modified/

/** What it says while nobody answers, and of watches that end with the server. */
const ofAbsence = [/connect: connection refused/, /EOF/, /connection reset by peer/, /http2: client connection lost/]

/** Its warnings and errors, but for those that say nothing about the answers it gets. */
export function complaintsIn(log: readonly string[], { whileAway = false } = {}): string[] {
  const wasImpatient = log.some((line) => ofImpatience.test(line))
  const known = [...harmless, ofImpatience, ...(wasImpatient ? [ofLateEffects] : []), ...(whileAway ? ofAbsence : [])]
  return log.filter((line) => /^[WEF]\d{4} /.test(line) && !known.some((pattern) => pattern.test(line)))
}
