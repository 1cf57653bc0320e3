/** A moment as Kubernetes writes it: whole seconds, UTC. */
export const timeText = (moment: Date): string => `${moment.toISOString().slice(0, 19)}Z`
