import type { IAMClientConfig } from '@aws-sdk/client-iam'
import type { Clock } from '../../../../core/clock.ts'
import { attempts, calling, requestMs } from './answers.ts'
import type { Eks, Iam } from './ports.ts'

export interface AwsOptions {
  region: string
  /** The name of the hub's own EKS cluster. */
  clusterName: string
  clock: Pick<Clock, 'countdown'>
  /** Where both services answer, in place of AWS's own addresses. */
  endpoint?: string
  /** Default: what the SDK finds, such as the web identity of the pod. */
  credentials?: NonNullable<IAMClientConfig['credentials']>
  /** Tries a call, the first included. Default 3. */
  maxAttempts?: number
  /** Milliseconds for a call with all its tries. Default 10,000. */
  deadlineMs?: number
}

export interface AwsClients extends Disposable {
  readonly iam: Iam
  readonly eks: Eks
}

/** Each SDK is loaded with the first call that needs it. */
export function openAws(options: AwsOptions): AwsClients {
  const { region, clusterName, endpoint, credentials, maxAttempts = attempts } = options
  const config = {
    region,
    maxAttempts,
    requestHandler: { requestTimeout: requestMs, connectionTimeout: requestMs, throwOnRequestTimeout: true },
    ...(endpoint && { endpoint }),
    ...(credentials && { credentials }),
  }
  const call = calling(options.clock, options.deadlineMs)
  const iam = lazily(async () => (await import('./iam-sdk.ts')).iamBySdk(config, call))
  const eks = lazily(async () => (await import('./eks-sdk.ts')).eksBySdk(clusterName, config, call))
  return {
    iam: {
      findRole: async (...args) => (await iam.get()).findRole(...args),
      createRole: async (...args) => (await iam.get()).createRole(...args),
      updateTrust: async (...args) => (await iam.get()).updateTrust(...args),
      tagRole: async (...args) => (await iam.get()).tagRole(...args),
      findPolicy: async (...args) => (await iam.get()).findPolicy(...args),
      putPolicy: async (...args) => (await iam.get()).putPolicy(...args),
      policiesOf: async (...args) => (await iam.get()).policiesOf(...args),
      deletePolicy: async (...args) => (await iam.get()).deletePolicy(...args),
      detachPolicy: async (...args) => (await iam.get()).detachPolicy(...args),
      deleteRole: async (...args) => (await iam.get()).deleteRole(...args),
    },
    eks: {
      authenticationMode: async () => (await eks.get()).authenticationMode(),
      findAccessEntry: async (...args) => (await eks.get()).findAccessEntry(...args),
      createAccessEntry: async (...args) => (await eks.get()).createAccessEntry(...args),
      updateAccessEntry: async (...args) => (await eks.get()).updateAccessEntry(...args),
      tagAccessEntry: async (...args) => (await eks.get()).tagAccessEntry(...args),
      deleteAccessEntry: async (...args) => (await eks.get()).deleteAccessEntry(...args),
    },
    [Symbol.dispose]() {
      iam.close()
      eks.close()
    },
  }
}

/** One client for all callers; a module that could not be loaded is tried again. */
function lazily<T extends Disposable>(open: () => Promise<T>): { get(): Promise<T>; close(): void } {
  let opened: Promise<T> | undefined
  return {
    get() {
      opened ??= open().catch((error) => {
        opened = undefined
        throw error
      })
      return opened
    },
    close: () => void opened?.then((client) => client[Symbol.dispose]()).catch(() => {}),
  }
}
