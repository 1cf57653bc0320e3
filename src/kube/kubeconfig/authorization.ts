import { Secret } from '../../core/secret.ts'

/** The value of the Authorization header. Whole, because a token may hold a colon and would pass for user and password. */
export const bearer = (token: Secret): Secret => Secret.of(`Bearer ${token.reveal()}`)

export const basic = (username: string, password: Secret | undefined): Secret =>
  Secret.of(`Basic ${Buffer.from(`${username}:${password?.reveal() ?? ''}`).toString('base64')}`)
