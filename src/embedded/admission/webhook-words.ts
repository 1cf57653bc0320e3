/** What goes wrong on the way to a webhook, in the words that operators know from the real server. */

export const deadlineWords = 'context deadline exceeded'

const unknownAuthority = 'x509: certificate signed by unknown authority'

const certificateWords: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'x509: certificate has expired or is not yet valid',
  CERT_NOT_YET_VALID: 'x509: certificate has expired or is not yet valid',
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  CERT_UNTRUSTED: unknownAuthority,
  DEPTH_ZERO_SELF_SIGNED_CERT: unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
}

const connectWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connection timed out',
}

type ConnectionError = NodeJS.ErrnoException & { address?: string; port?: number; cert?: { subjectaltname?: string } }

export function connectionWords(error: ConnectionError, url: URL): string {
  const code = error.code ?? ''
  const certificate = certificateWords[code]
  if (certificate) return `tls: failed to verify certificate: ${certificate}`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `tls: failed to verify certificate: ${otherNames(error, url)}`
  const connect = connectWords[code]
  if (connect)
    return `dial tcp ${error.address ?? url.hostname}:${error.port ?? (url.port || 443)}: connect: ${connect}`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${url.hostname}: no such host`
  if (code === 'ECONNRESET') return 'EOF'
  return error.message
}

function otherNames({ cert }: ConnectionError, { hostname }: URL): string {
  const names = (cert?.subjectaltname ?? '')
    .split(', ')
    .filter((name) => name.startsWith('DNS:'))
    .map((name) => name.slice('DNS:'.length))
  return names.length === 0
    ? `x509: certificate is not valid for any names, but wanted to match ${hostname}`
    : `x509: certificate is valid for ${names.join(', ')}, not ${hostname}`
}

const statusWords: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}

/** What an answer other than 200 comes to. `quoted` is its body as Go quotes it. */
export function statusCodeWords(status: number, body: string, quoted: string): string {
  if (status === 403) return body || 'unknown'
  return (
    statusWords[status] ??
    (status >= 500
      ? `an error on the server (${quoted}) has prevented the request from succeeding`
      : `the server responded with the status code ${status} but did not return more details`)
  )
}
