import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { startHttpsServer } from './https-server.ts'
import { tempDir } from './temp-dir.ts'
import type { TestScope } from './test-scope.ts'

export interface AccessReview {
  apiVersion: string
  kind: string
  metadata: object
  spec: {
    user: string
    groups?: string[]
    uid?: string
    extra?: Record<string, string[]>
    resourceAttributes?: Record<string, unknown>
    nonResourceAttributes?: Record<string, unknown>
  }
}

export interface AccessVerdict {
  allowed: boolean
  denied?: boolean
  reason?: string
}

export interface AuthorizationHook {
  /** What it was asked, oldest first. */
  readonly asked: AccessReview[]
  /** Where it is, as the path of a kubeconfig. */
  readonly kubeConfigFile: string
}

/** A webhook that authorizes. It fails with 404 where there is no verdict. */
export async function startAuthorizationHook(
  t: TestScope,
  decide: (spec: AccessReview['spec']) => AccessVerdict | undefined | Promise<AccessVerdict | undefined>,
): Promise<AuthorizationHook> {
  const asked: AccessReview[] = []
  const { url, caPem } = await startHttpsServer(t, async ({ body }) => {
    const review = body as AccessReview
    asked.push(review)
    const status = await decide(review.spec)
    return status && { ...review, status }
  })
  return { asked, kubeConfigFile: hookKubeconfig(t, url, caPem) }
}

/** The kubeconfig by which an API server finds a webhook. */
export function hookKubeconfig(t: TestScope, server: string, caPem: string): string {
  const path = join(tempDir(t), 'webhook.kubeconfig')
  const authority = Buffer.from(caPem).toString('base64')
  writeFileSync(
    path,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'hook', cluster: { server, 'certificate-authority-data': authority } }],
      users: [{ name: 'hook', user: {} }],
      contexts: [{ name: 'hook', context: { cluster: 'hook', user: 'hook' } }],
      'current-context': 'hook',
    }),
  )
  return path
}

export const authorizationConfig = (...authorizers: object[]): string =>
  stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthorizationConfiguration', authorizers })

export const rbacAuthorizer = { type: 'RBAC', name: 'rbac' }

/** One entry of an AuthorizationConfiguration. */
export const webhookAuthorizer = (name: string, kubeConfigFile: string, settings: object = {}) => ({
  type: 'Webhook',
  name,
  webhook: {
    // The longest there may be: the hook answers as soon as the process of the test gets a core, which may take a while.
    timeout: '30s',
    authorizedTTL: '5m',
    unauthorizedTTL: '30s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile },
    ...settings,
  },
})
