const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How Kubernetes tells a duration to people: two figures at most, exact where it is short. */
export function durationText(ms: number): string {
  const seconds = Math.trunc(ms / second)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(ms / minute)
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(ms / hour)
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (hours < 192) return two(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 2920 ? two(years, 'y', days % 365, 'd') : `${years}y`
}

const two = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`

/** The time since an RFC 3339 timestamp. */
export const ageText = (timestamp: string | null | undefined, now: Date): string =>
  timestamp ? durationText(now.getTime() - Date.parse(timestamp)) : '<unknown>'
