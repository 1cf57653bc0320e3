import { goPattern } from './go-pattern.ts'
import type { Node, Place } from './pattern-nodes.ts'
import { isAtStart, parseTranslated } from './pattern-nodes.ts'

/**
 * Says whether a text matches, and what of it. `work` is told of the steps that this takes, a part at a time; what it
 * throws ends the matching.
 */
export interface Matcher {
  /** No text takes more steps than it has characters, and one, times these. */
  readonly states: number
  test(text: string, work?: Work): boolean
  /** The match that begins first at this place or later; of several there, the one that Go prefers. */
  find(text: string, from?: number, work?: Work): Match | undefined
}

export type Work = (steps: number) => void

/** Places in a text, in units of UTF-16. */
export interface Match {
  readonly start: number
  readonly end: number
}

/** Larger ones are refused: Go takes some sixty times as many, and serves others meanwhile. */
export const mostStates = 50_000

/**
 * Matches as Go does: in time that grows with the text, never faster than that. JavaScript's own expressions try one way
 * after the other, of which `(a+)+$` has a million for twenty characters; they are asked about single characters only.
 * Throws as `goPattern`.
 */
export function linearPattern(pattern: string): Matcher {
  const machine = compiled(parseTranslated(goPattern(pattern).source), pattern)
  return {
    states: machine.states.length,
    test: (text, work) => runs(machine, text, new Steps(work)),
    find: (text, from = 0, work) => found(machine, text, from, new Steps(work)),
  }
}

const tellEvery = 4_096

/** To tell of every single one would take longer than the step itself. */
class Steps {
  readonly #work: Work | undefined
  #count = 0

  constructor(work: Work | undefined) {
    this.#work = work
  }

  add(steps: number): void {
    this.#count += steps
    if (this.#count >= tellEvery) this.tell()
  }

  tell(): void {
    this.#work?.(this.#count)
    this.#count = 0
  }
}

type State =
  | { readonly type: 'one'; readonly matches: (point: number) => boolean; readonly next: number }
  | { readonly type: 'at'; readonly holds: (place: Place) => boolean; readonly next: number }
  | { readonly type: 'either'; readonly next: number[] }
  | { readonly type: 'end' }

interface Machine {
  readonly states: readonly State[]
  readonly start: number
  /** A match begins at the beginning of the text, or nowhere. */
  readonly isAnchored: boolean
}

function compiled(node: Node, pattern: string): Machine {
  const states: State[] = [{ type: 'end' }]
  const add = (state: State): number => {
    if (states.length >= mostStates) throw new Error(`error parsing regexp: expression too large: \`${pattern}\``)
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
  return { start: before(node, 0), states, isAnchored: isAnchored(node) }
}

function isAnchored(node: Node): boolean {
  if (node.type === 'at') return node.holds === isAtStart
  if (node.type === 'all') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  return node.type === 'either' && node.parts.every(isAnchored)
}

/** All ways at once: which states can be reached, one character after the other. */
function runs({ states, start, isAnchored: isFixed }: Machine, text: string, steps: Steps): boolean {
  const reachedAt = new Int32Array(states.length).fill(-1)
  let waiting: number[] = []
  let before: number | undefined
  let index = 0
  for (let step = 0; ; step++) {
    const point = text.codePointAt(index)
    const place = { before, after: point }
    const open = step > 0 && isFixed ? waiting : [start, ...waiting]
    waiting = []
    let visited = 1
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reachedAt[at] === step) continue
      reachedAt[at] = step
      visited++
      const state = states[at] as State
      if (state.type === 'end') {
        steps.tell()
        return true
      }
      if (state.type === 'either') open.push(...state.next)
      else if (state.type === 'at') {
        if (state.holds(place)) open.push(state.next)
      } else if (point !== undefined && state.matches(point)) waiting.push(state.next)
    }
    steps.add(visited)
    if (point === undefined || (isFixed && waiting.length === 0)) {
      steps.tell()
      return false
    }
    before = point
    index += point > 0xffff ? 2 : 1
  }
}

interface Way {
  readonly at: number
  readonly start: number
}

/** The same, with the ways in the order in which they are preferred, each knowing where it began. */
function found({ states, start }: Machine, text: string, from: number, steps: Steps): Match | undefined {
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
    let visited = 1
    for (let way = open.pop(); way !== undefined; way = open.pop()) {
      if (reachedAt[way.at] === step) continue
      reachedAt[way.at] = step
      visited++
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
    steps.add(visited)
    if (point === undefined || (best && waiting.length === 0)) {
      steps.tell()
      return best
    }
    before = point
    index += point > 0xffff ? 2 : 1
  }
}

/** The character before this place. */
const lastPoint = (text: string, at: number): number | undefined =>
  [...text.slice(Math.max(0, at - 2), at)].at(-1)?.codePointAt(0)
