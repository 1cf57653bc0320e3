import { failures } from './failures.ts'

export interface PemBlock {
  /** What stands after BEGIN, for example CERTIFICATE. */
  label: string
  der: Buffer
}

const boundary = /^-----(BEGIN|END) ([A-Z0-9][A-Z0-9 ]*)-----$/
const almostBoundary = /^-+(BEGIN|END)\b|\b(BEGIN|END) [A-Z0-9 ]+-+$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Every block of a PEM text, in order. Text around blocks, CRLF and blank lines are fine; a block that is cut off,
 * closed under another label, carries headers (an encrypted key) or is not base64 is refused. A text without blocks
 * has none. No failure repeats what the text says: it may be a key.
 */
export function splitPem(text: string): PemBlock[] {
  const blocks: PemBlock[] = []
  let open: { label: string; line: number; body: string } | undefined
  for (const [index, untrimmed] of text.split(/\r\n|\n|\r/).entries()) {
    const line = index + 1
    const content = untrimmed.trim()
    const [, edge, label = ''] = boundary.exec(content) ?? []
    if (!edge && almostBoundary.test(content)) throw broken(line, 'a BEGIN or END line is malformed')
    if (edge === 'BEGIN') {
      if (open) throw broken(line, `a block begins inside ${open.label}`)
      open = { label, line, body: '' }
    } else if (edge === 'END') {
      if (open?.label !== label) throw broken(line, `the end of ${label} has no beginning`)
      blocks.push({ label, der: decode(open) })
      open = undefined
    } else if (open) {
      if (content.includes(':')) throw broken(line, `${open.label} carries headers; an encrypted key must be decrypted`)
      open.body += content
    }
  }
  if (open) throw broken(open.line, `${open.label} has no end`)
  return blocks
}

function decode({ label, line, body }: { label: string; line: number; body: string }): Buffer {
  if (body === '') throw broken(line, `${label} is empty`)
  if (!base64.test(body)) throw broken(line, `${label} is not base64`)
  return Buffer.from(body, 'base64')
}

const broken = (line: number, detail: string) => failures.PKI_PEM_BROKEN({ line, detail })

/** The blocks as PEM text, lines of 64 characters, ended by a newline. */
export const joinPem = (blocks: readonly PemBlock[]): string =>
  blocks.map(({ label, der }) => `-----BEGIN ${label}-----\n${lines(der)}-----END ${label}-----\n`).join('')

const lines = (der: Buffer): string => der.toString('base64').replace(/.{1,64}/g, '$&\n')

/**
 * The blocks of a text that must consist of one kind only, at least one of it. A kubeconfig's CA file that also holds
 * a private key is refused rather than half read.
 */
export function onlyBlocks(text: string, label: string): [Buffer, ...Buffer[]] {
  const blocks = splitPem(text)
  const foreign = blocks.find((block) => block.label !== label)
  if (foreign) throw failures.PKI_PEM_MISSING({ expected: label, found: foreign.label })
  const [first, ...rest] = blocks.map((block) => block.der)
  if (!first) throw failures.PKI_PEM_MISSING({ expected: label, found: 'none' })
  return [first, ...rest]
}
