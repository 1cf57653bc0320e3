import type { Node, YAMLSeq } from 'yaml'
import { isCollection, isNode, isPair } from 'yaml'
import { failures } from '../failures.ts'

/** Where the parts of a YAML list are in its text, in characters. The list was read with its source tokens. */

export const unreadable = (detail: string, cause?: unknown) => failures.AWS_AUTH_UNREADABLE({ detail }, cause)
const unknownLayout = () => unreadable('its layout is unknown')

/** From `start` up to `end`. */
export interface Range {
  start: number
  end: number
}

/** Whole lines, from that of the dash. Comments before it and after it are not the entry's. */
export function linesOf(text: string, seq: YAMLSeq, index: number): Range {
  const start = dashAt(seq, index) - indentOf(text, seq, index)
  const end = lineEnd(text, endOf(seq.items[index]))
  // Where the last line has no end, the one before it has none either once this one is gone.
  return end === text.length && text[end - 1] !== '\n' && start > 0 ? { start: start - 1, end } : { start, end }
}

/** An entry of a list in brackets, and the one comma that goes with it. */
export function flowRanges(text: string, seq: YAMLSeq, index: number): Range[] {
  const items = tokensOf(seq)
  const commaOf = (at: number) => items[at]?.start.find(({ type }) => type === 'comma')?.offset
  const [start, end] = [startOf(seq.items[index]), endOf(seq.items[index])]
  const before = commaOf(index)
  if (before !== undefined && text.slice(before + 1, start).trim() === '') return [{ start: before, end }]
  const comma = before ?? commaOf(index + 1)
  return comma === undefined
    ? [{ start, end }]
    : [
        { start, end },
        { start: comma, end: comma + 1 },
      ]
}

export function startOf(node: unknown): number {
  if (!isNode(node) || !node.range) throw unknownLayout()
  return node.range[0]
}

/** Of its last value: the range of a block takes in the comments that follow it. */
export function endOf(node: unknown): number {
  if (isCollection(node) && node.flow !== true) {
    const last = node.items.at(-1)
    const inside = isPair(last) ? (last.value ?? last.key) : last
    if (isNode(inside)) return endOf(inside)
  }
  if (!isNode(node) || !node.range) throw unknownLayout()
  return node.range[1]
}

/** After the line that `at` is in or has just ended. */
export function lineEnd(text: string, at: number): number {
  if (text[at - 1] === '\n') return at
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

/** How far the dash of an entry is from the beginning of its line. */
export function indentOf(text: string, seq: YAMLSeq, index: number): number {
  const dash = dashAt(seq, index)
  return dash - (text.lastIndexOf('\n', dash - 1) + 1)
}

function dashAt(seq: YAMLSeq, index: number): number {
  const dash = tokensOf(seq)[index]?.start.find(({ type }) => type === 'seq-item-ind')
  if (!dash) throw unknownLayout()
  return dash.offset
}

function tokensOf(seq: YAMLSeq): { start: { type: string; offset: number }[] }[] {
  const token = seq.srcToken
  if (token?.type !== 'block-seq' && token?.type !== 'flow-collection') throw unknownLayout()
  return token.items
}

export const isEmptyNode = ({ range }: Node): boolean => !range || range[0] === range[1]
