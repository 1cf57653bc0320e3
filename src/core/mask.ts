import { hidden } from './secret.ts'

/**
 * What a credential looks like wherever it turns up: the last net, under the `Secret` type and the names of fields.
 * Each pattern also holds inside JSON text, where a newline is `\n` and the string ends at a bare quote.
 */
const credentials: readonly { find: RegExp; keep: string }[] = [
  // A private key in PEM, also one that was cut off before its end.
  {
    find: /(-----BEGIN [A-Z ]*PRIVATE KEY-----)(?:[^"\\]|\\.)*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=")|$)/g,
    keep: `$1${hidden}`,
  },
  // Any other PEM but a certificate, in base64: `client-key-data` of a kubeconfig, `tls.key` of a Secret.
  { find: /LS0tLS1CRUdJTi(?!BDRVJUSUZJQ0FUR)[\w+/-]*=*/g, keep: hidden },
  // A JSON Web Token: its header and claims start with `{"`, which is `eyJ` in base64.
  { find: /\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?/g, keep: hidden },
  // Prose such as "basic constraints" has neither a capital nor a digit in its second word, nor twenty letters.
  {
    find: /\b([Bb]earer|[Bb]asic|BEARER|BASIC) +(?=[a-z.~+/-]{20}|[a-z.~+/-]*[A-Z\d_=])[\w.~+/-]{6,}=*/g,
    keep: `$1 ${hidden}`,
  },
  // The user half of `https://user:password@host` may stay.
  { find: /(:\/\/[^\s/:@"\\]*:)[^\s/@"\\]+@/g, keep: `$1${hidden}@` },
]

/** One look that almost every line passes, so that the five passes are paid for only when there is something to find. */
const suspicious = /PRIVATE KEY|LS0tLS1CRUdJ|eyJ|bearer|basic|:\/\/[^\s/:@"\\]*:[^\s/@"\\]+@/i

/** `text` with everything that looks like a credential replaced by ***. Plain text and JSON text alike. */
export function maskText(text: string): string {
  if (!suspicious.test(text)) return text
  return credentials.reduce((masked, { find, keep }) => masked.replace(find, keep), text)
}
