import type { Random } from '../../core/random.ts'
import type { Fault } from './contract.ts'

export interface FaultBox {
  add(faults: readonly Fault[]): void
  clear(): void
  /** Share of the calls without a rule that fail by chance. */
  chaos: number
  /** What happens to this call; undefined for nothing special. Uses the rule up. */
  next(method: string, path: string): Fault['do'] | undefined
}

const before: readonly Fault['do'][] = ['drop', { answer: 500 }, { answer: 502 }, { tooMany: {} }]
const afterwards: readonly Fault['do'][] = ['apply-then-drop', { applyThenAnswer: 500 }, { applyThenAnswer: 504 }]

export function faultBox(random: Random): FaultBox {
  const rules: { fault: Fault; left: number }[] = []
  const oneOf = (set: readonly Fault['do'][]) => set[Math.floor(random.fraction() * set.length)]
  const box: FaultBox = {
    chaos: 0,
    add: (faults) => void rules.push(...faults.map((fault) => ({ fault, left: fault.times ?? 1 }))),
    clear: () => void rules.splice(0),
    next(method, path) {
      const rule = rules.find(({ fault, left }) => left > 0 && matches(fault, method, path))
      if (rule) {
        rule.left -= 1
        return rule.fault.do
      }
      if (box.chaos === 0 || random.fraction() >= box.chaos) return undefined
      return oneOf(random.fraction() < 0.5 ? before : afterwards)
    },
  }
  return box
}

function matches({ method, path }: Fault, asked: string, url: string): boolean {
  if (method !== undefined && method !== asked) return false
  if (path === undefined) return true
  return typeof path === 'string' ? url.includes(path) : path.test(url)
}
