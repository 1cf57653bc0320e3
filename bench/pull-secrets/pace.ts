/** The most of these moments, which are in order, that lie within any stretch of so many milliseconds. */
export function mostWithin(moments: readonly number[], stretchMs: number): number {
  let [most, first] = [0, 0]
  for (const [index, moment] of moments.entries()) {
    while ((moments[first] ?? moment) <= moment - stretchMs) first += 1
    most = Math.max(most, index - first + 1)
  }
  return most
}
