/** Who the hub is to AWS, by the AWS SDK, which is loaded with this file and with nothing else. */
import type { STSClientConfig } from '@aws-sdk/client-sts'
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts'
import type { Call } from './answers.ts'

export interface Caller extends Disposable {
  /** What every request is signed with; found as the SDK finds it, and renewed before it expires. */
  credentials: STSClient['config']['credentials']
  account(): Promise<string>
}

const operation = 'sts:GetCallerIdentity'

/** Nobody needs a right to ask this. */
export function callerBySdk(config: STSClientConfig, call: Call): Caller {
  const client = new STSClient(config)
  return {
    credentials: (options) => client.config.credentials(options),
    async account() {
      const answer = await call(operation, (options) => client.send(new GetCallerIdentityCommand({}), options))
      return answer.Account ?? ''
    },
    [Symbol.dispose]: () => client.destroy(),
  }
}
