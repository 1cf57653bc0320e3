import { hidden } from './secret.ts'

/**
 * What a credential looks like wherever it turns up: the last net, under the `Secret` type and the names of fields.
 * Each pattern also holds inside JSON text, where a newline is `\n`, whose n is no part of the next word, and the string
 * ends at a bare quote.
 */
const credentials: readonly { find: RegExp; keep: string | ((found: string) => string) }[] = [
  // A private key in PEM, also one that was cut off before its end.
  {
    find: /(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?:[^"\\]|\\[\s\S]?)*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=")|$)/g,
    keep: `$1${hidden}`,
  },
  // PEM in base64: `client-key-data` of a kubeconfig, `tls.key` of a Secret. Decoded, because a key may come after its
  // certificate, where its base64 has any of three forms.
  {
    find: /LS0tLS1CRUdJTi[\w+/-]*=*/g,
    keep: (found) =>
      /-----BEGIN(?! CERTIFICATE)/.test(Buffer.from(found, 'base64').toString('latin1')) ? hidden : found,
  },
  // A JSON Web Token: its header and claims start with `{"`, which is `eyJ` in base64. A run without the dot of a token is
  // found as well and kept, or each `eyJ` within it would be looked at to its end again.
  {
    find: /(?<=\b|\\[bfnrt]|\\u[\da-f]{4}|%[\da-fA-F]{2})eyJ[\w-]{5,}(?:\.[\w-]{5,}(?:\.[\w-]*)?)?/g,
    keep: (found) => (found.includes('.') ? hidden : found),
  },
  // Prose such as "basic constraints" has neither a capital nor a digit in its second word, nor twenty letters.
  {
    find: /(?<=\b|\\[bfnrt]|\\u[\da-f]{4})([Bb]earer|[Bb]asic|BEARER|BASIC) +(?=[a-z.~+/-]{20}|[a-z.~+/-]*[A-Z\d_=])[\w.~+/-]{6,}=*/g,
    keep: `$1 ${hidden}`,
  },
  // A token for EKS is a presigned URL in base64url.
  { find: /(k8s-aws-v1\.)[\w-]+=*/g, keep: `$1${hidden}` },
  // What makes a presigned URL of AWS worth something: in the URL, as a header, or as a member of JSON.
  {
    find: /(x-amz-(?:security-token|signature)(?:=|%3D|: *|\\*["'] *: *\[? *\\*["']))(?:[\w+/=%.~-]|\\\/)+/gi,
    keep: `$1${hidden}`,
  },
  // The user half of `https://user:password@host` may stay. The password goes on to the last @, as not all escape theirs.
  { find: /(:\/\/[^\s/:@"\\]*:)[^\s/"\\]+@/g, keep: `$1${hidden}@` },
]

/** One look that almost every line passes, so that the passes are paid for only when there is something to find. */
const suspicious = /PRIVATE KEY|LS0tLS1CRUdJ|eyJ|bearer|basic|k8s-aws-v1|x-amz-s|:\/\/[^\s/:@"\\]*:[^\s/"\\]+@/i

/** `text` with everything that looks like a credential replaced by ***. Plain text and JSON text alike. */
export function maskText(text: string): string {
  if (!suspicious.test(text)) return text
  return credentials.reduce((masked, { find, keep }) => masked.replace(find, keep as string), text)
}
