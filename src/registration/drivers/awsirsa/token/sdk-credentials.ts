/** The default chain of the AWS SDK: profiles, SSO, pod identity, instance metadata. The SDK is loaded with this file. */
import { STSClient } from '@aws-sdk/client-sts'
import { Secret } from '../../../../core/secret.ts'
import type { AwsCredentials } from './sigv4.ts'

/** Throws what the SDK throws when it finds none. */
export async function sdkCredentials(region: string): Promise<AwsCredentials> {
  const client = new STSClient({ region })
  try {
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = await client.config.credentials()
    return {
      accessKeyId,
      secretAccessKey: Secret.of(secretAccessKey),
      ...(sessionToken && { sessionToken: Secret.of(sessionToken) }),
      ...(expiration && { expiresAt: expiration }),
    }
  } finally {
    client.destroy()
  }
}
