import type { IAMClientConfig } from '@aws-sdk/client-iam'
import type { Clock } from '../../../../core/clock.ts'
import { attempts, calling, requestMs } from './answers.ts'
import { onceReady } from './once-ready.ts'
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
  const { clusterName } = options
  const config = awsConfig(options)
  const call = calling(options.clock, options.deadlineMs)
  const iam = lazily(async () => (await import('./iam-sdk.ts')).iamBySdk(config, call))
  const eks = lazily(async () => (await import('./eks-sdk.ts')).eksBySdk(clusterName, config, call))
  return {
    iam: onceReady<Iam>(iam.get),
    eks: onceReady<Eks>(eks.get),
    [Symbol.dispose]() {
      iam.close()
      eks.close()
    },
  }
}

/** As every client of the SDK takes it. */
export const awsConfig = ({
  region,
  endpoint,
  credentials,
  maxAttempts = attempts,
}: Omit<AwsOptions, 'clusterName' | 'clock'>) => ({
  region,
  maxAttempts,
  requestHandler: { requestTimeout: requestMs, connectionTimeout: requestMs, throwOnRequestTimeout: true },
  ...(endpoint && { endpoint }),
  ...(credentials && { credentials }),
})

/** One client for all callers; a module that could not be loaded is tried again. */
export function lazily<T extends Disposable>(open: () => Promise<T>): { get(): Promise<T>; close(): void } {
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
