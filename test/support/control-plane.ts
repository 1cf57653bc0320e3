/** Starts the Kubernetes API that tests run on: the embedded one, or the real one with `CONTROL_PLANE=kube`. */
import { attach } from './control-plane/access.ts'
import type { ControlPlane, ControlPlaneOptions, OwnControlPlane } from './control-plane/contract.ts'
import { hostEmbedded, launchEmbedded } from './control-plane/embedded.ts'
import { launchKube, whyNoKube } from './control-plane/kube.ts'
import type { TestScope } from './test-scope.ts'
import { teardown } from './test-scope.ts'

export type { AuditEvent } from './control-plane/audit.ts'
export type {
  ClientCertificateInput,
  ControlPlane,
  ControlPlaneOptions,
  KubeconfigUser,
  OidcOptions,
  OwnControlPlane,
  Program,
} from './control-plane/contract.ts'

interface Implementation {
  /** Why it cannot be started here, and what to do about it. */
  whyMissing(env: NodeJS.ProcessEnv): string | undefined
  launch(options: ControlPlaneOptions, env: NodeJS.ProcessEnv): Promise<OwnControlPlane>
}

const implementations: Readonly<Record<string, Implementation>> = {
  embedded: {
    whyMissing: () => undefined,
    launch: (options) => (options.ownProcess ? launchEmbedded(options) : hostEmbedded(options)),
  },
  kube: { whyMissing: whyNoKube, launch: launchKube },
}

function implementation(env: NodeJS.ProcessEnv): Implementation {
  const name = env.CONTROL_PLANE || 'embedded'
  const found = implementations[name]
  if (found) return found
  throw new Error(
    `there is no control plane "${name}"; set CONTROL_PLANE to ${Object.keys(implementations).join(' or ')}`,
  )
}

/**
 * Options for every test that needs a control plane: what a laptop lacks is skipped with its reason, what CI lacks
 * fails there.
 *
 * @example test('R12: …', needsControlPlane, async (t) => { const plane = await startControlPlane(t) })
 */
export const needsControlPlane = {
  get skip(): string | false {
    return whySkip(process.env)
  },
}

export function whySkip(env: NodeJS.ProcessEnv): string | false {
  if (env.CI || env.LANYARD_TEST_CONTROL_PLANE) return false
  return implementation(env).whyMissing(env) ?? false
}

/**
 * Without options: a control plane that tests share, so work in a namespace of your own (`freshNamespace`) and clear
 * away what has none. It is the one that `LANYARD_TEST_CONTROL_PLANE` describes, else one for this process.
 * With options, `{}` included: one for this test alone, which may be broken, and is gone when the test is over.
 */
export function startControlPlane(t: TestScope): Promise<ControlPlane>
export function startControlPlane(t: TestScope, options: ControlPlaneOptions): Promise<OwnControlPlane>
export async function startControlPlane(t: TestScope, options?: ControlPlaneOptions): Promise<ControlPlane> {
  if (options === undefined) return await shared()
  const plane = await launchControlPlane(options)
  teardown(t, () => plane.stop())
  return plane
}

/** For whoever is not a test. Disposing it stops it; and so does the end of this process, whatever its cause. */
export async function launchControlPlane(options: ControlPlaneOptions = {}): Promise<OwnControlPlane> {
  return await implementation(process.env).launch(options, process.env)
}

let sharedOne: Promise<ControlPlane> | undefined

function shared(): Promise<ControlPlane> {
  const descriptorPath = process.env.LANYARD_TEST_CONTROL_PLANE
  sharedOne ??= descriptorPath ? Promise.resolve(attach(descriptorPath)) : launchControlPlane({ ownProcess: true })
  return sharedOne
}
