import { goPattern } from './go-pattern.ts'
import type { Node, Place } from './pattern-nodes.ts'
import { parseTranslated } from './pattern-nodes.ts'

/** Says whether a text matches. */
export interface Matcher {
  test(text: string): boolean
}

/**
 * Matches as Go does: in time that grows with the text, never faster than that. JavaScript tries one way after the other,
 * of which `(a+)+$` has a million for twenty characters; it is asked where there cannot be many. Throws as `goPattern`.
 */
export function linearPattern(pattern: string): Matcher {
  const native = goPattern(pattern)
  const { node, isTame } = parseTranslated(native.source)
  const machine = compiled(node)
  if (!machine) return native
  return { test: (text) => (isTame && text.length <= longestNative ? native.test(text) : runs(machine, text)) }
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
  function repeated({ part, least, most }: Extract<Node, { type: 'repeat' }>, next: number): number {
    let start = next
    if (most === undefined) {
      const ways: number[] = []
      start = add({ type: 'either', next: ways })
      ways.push(before(part, start), next)
    } else
      for (let count = least; count < most; count++) start = add({ type: 'either', next: [before(part, start), next] })
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
