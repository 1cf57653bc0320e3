import { Secret } from '../../core/secret.ts'
import type { Credentials } from '../connection.ts'

/** What goes into the Authorization header. The scheme is always named: a token may hold a colon, as Rancher's do. */
export type Authorization = Required<Pick<Credentials, 'authorization' | 'scheme'>>

export const bearer = (token: Secret): Authorization => ({ authorization: token, scheme: 'Bearer' })

export const basic = (username: string, password: Secret | undefined): Authorization => ({
  authorization: Secret.of(`${username}:${password?.reveal() ?? ''}`),
  scheme: 'Basic',
})
