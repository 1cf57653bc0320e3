import { failures } from '../failures.ts'
import type { EksCluster } from '../names.ts'
import { onceReady } from './once-ready.ts'
import type { Eks, Iam } from './ports.ts'

export interface OwnAccountOptions {
  hub: EksCluster
  /** Tells these credentials from others, and is no secret. */
  accessKeyId(): Promise<string>
  /** Of whoever the credentials are for. Throws a failure of `../failures.ts`. */
  account(): Promise<string>
}

export interface OwnAccount {
  readonly iam: Iam
  readonly eks: Eks
  /** Throws unless the credentials are of the hub's own account. */
  check(): Promise<void>
}

/**
 * IAM and EKS of the account that the hub's ARN names, and of no other. Roles have the same names in every account, so
 * with credentials of another one what was granted would read as gone, and what is to be revoked as done.
 */
export function ownAccountOnly(ports: { iam: Iam; eks: Eks }, options: OwnAccountOptions): OwnAccount {
  const { hub } = options
  /** By what AWS knows of the key: it never moves to another account. */
  let known: { key: string; account: Promise<string> } | undefined
  async function check(): Promise<void> {
    const key = await options.accessKeyId()
    if (known?.key !== key) {
      const asked = { key, account: options.account() }
      known = asked
      // An answer that never came is not kept; whoever waits for it hears why.
      asked.account.catch(() => {
        if (known === asked) known = undefined
      })
    }
    const found = await known.account
    if (found !== hub.account) throw failures.AWS_WRONG_ACCOUNT({ found, expected: hub.account, hub: hub.arn })
  }
  const checked =
    <P>(port: P) =>
    async (): Promise<P> => {
      await check()
      return port
    }
  return { iam: onceReady(checked(ports.iam)), eks: onceReady(checked(ports.eks)), check }
}
