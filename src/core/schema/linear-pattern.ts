import { goPattern } from './go-pattern.ts'
import type { Node, Place } from './pattern-nodes.ts'
import { parseTranslated } from './pattern-nodes.ts'

/** Says whether a text matches, and what of it. */
export interface Matcher {
  test(text: string): boolean
  /** The match that begins first at this place or later; of several there, the one that Go prefers. */
  find(text: string, from?: number): Match | undefined
}

/** Places in a text, in units of UTF-16. */
export interface Match {
  readonly start: number
  readonly end: number
}

/**
 * Matches as Go does: in time that grows with the text, never faster than that. JavaScript tries one way after the other,
 * of which `(a+)+$` has a million for twenty characters; it is asked where there cannot be many. Throws as `goPattern`.
 */
export function linearPattern(pattern: string): Matcher {
  const native = goPattern(pattern)
  const { node, isTame } = parseTranslated(native.source)
  const machine = compiled(node)
  if (!machine) return { test: (text) => native.test(text), find: (text, from) => nativeMatch(native, text, from) }
  return {
    test: (text) => (isTame && text.length <= longestNative ? native.test(text) : runs(machine, text)),
    find: (text, from = 0) => found(machine, text, from),
  }
}

function nativeMatch({ source, flags }: RegExp, text: string, from = 0): Match | undefined {
  const pattern = new RegExp(source, `${flags}g`)
  pattern.lastIndex = from
  const match = pattern.exec(text)
  return match ? { start: match.index, end: match.index + match[0].length } : undefined
}

const longestNative = 64

/** Larger ones are left to JavaScript: who writes such a pattern could as well write a large schema. */
const mostStates = 50_000

type State =
  | { readonly type: 'one'; readonly matches: (point: number) => boolean; readonly next: number }
  | { readonly type: 'at'; readonly holds: (place: Place) => boolean; readonly next: number }
  | { readonly type: 'either'; readonly next: number[] }
  | { readonly type: 'end' }

interface Machine {
  readonly states: readonly State[]
  readonly start: number
}

class TooLarge extends Error {}

function compiled(node: Node): Machine | undefined {
  const states: State[] = [{ type: 'end' }]
  const add = (state: State): number => {
    if (states.length >= mostStates) throw new TooLarge()
    return states.push(state) - 1
  }
  /** Where to begin in order to match `part` and go on at `next`. */
  function before(part: Node, next: number): number {
    switch (part.type) {
      case 'one':
        return add({ type: 'one', matches: part.matches, next })
      case 'at':
        return add({ type: 'at', holds: part.holds, next })
      case 'all':
        return part.parts.reduceRight((following, one) => before(one, following), next)
      case 'either':
        return add({ type: 'either', next: part.parts.map((one) => before(one, next)) })
      case 'repeat':
        return repeated(part, next)
    }
  }
  function repeated({ part, least, most, isLazy }: Extract<Node, { type: 'repeat' }>, next: number): number {
    let start = next
    const inOrder = (again: number): number[] => (isLazy ? [next, again] : [again, next])
    if (most === undefined) {
      const ways: number[] = []
      start = add({ type: 'either', next: ways })
      ways.push(...inOrder(before(part, start)))
    } else
      for (let count = least; count < most; count++) start = add({ type: 'either', next: inOrder(before(part, start)) })
    for (let count = 0; count < least; count++) start = before(part, start)
    return start
  }
  try {
    return { start: before(node, 0), states }
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

/** All ways at once: which states can be reached, one character after the other. */
function runs({ states, start }: Machine, text: string): boolean {
  const reachedAt = new Int32Array(states.length).fill(-1)
  let waiting: number[] = []
  let before: number | undefined
  let index = 0
  for (let step = 0; ; step++) {
    const point = text.codePointAt(index)
    const place = { before, after: point }
    // A match may begin anywhere.
    const open = [start, ...waiting.reverse()]
    waiting = []
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reachedAt[at] === step) continue
      reachedAt[at] = step
      const state = states[at] as State
      if (state.type === 'end') return true
      if (state.type === 'either') open.push(...state.next)
      else if (state.type === 'at') {
        if (state.holds(place)) open.push(state.next)
      } else if (point !== undefined && state.matches(point)) waiting.push(state.next)
    }
    if (point === undefined) return false
    before = point
    index += point > 0xffff ? 2 : 1
  }
}

interface Way {
  readonly at: number
  readonly start: number
}

/** The same, with the ways in the order in which they are preferred, each knowing where it began. */
function found({ states, start }: Machine, text: string, from: number): Match | undefined {
  const reachedAt = new Int32Array(states.length).fill(-1)
  let waiting: Way[] = []
  let best: Match | undefined
  let before = lastPoint(text, from)
  let index = from
  for (let step = 0; ; step++) {
    const point = text.codePointAt(index)
    const place = { before, after: point }
    const open = [...(best ? [] : [{ at: start, start: index }]), ...waiting.reverse()]
    waiting = []
    for (let way = open.pop(); way !== undefined; way = open.pop()) {
      if (reachedAt[way.at] === step) continue
      reachedAt[way.at] = step
      const state = states[way.at] as State
      const begun = way.start
      if (state.type === 'end') {
        best = { start: begun, end: index }
        break
      }
      if (state.type === 'either') open.push(...state.next.toReversed().map((at) => ({ at, start: begun })))
      else if (state.type === 'at') {
        if (state.holds(place)) open.push({ at: state.next, start: begun })
      } else if (point !== undefined && state.matches(point)) waiting.push({ at: state.next, start: begun })
    }
    if (point === undefined || (best && waiting.length === 0)) return best
    before = point
    index += point > 0xffff ? 2 : 1
  }
}

/** The character before this place. */
const lastPoint = (text: string, at: number): number | undefined =>
  [...text.slice(Math.max(0, at - 2), at)].at(-1)?.codePointAt(0)
