/** The domain in the names of what is Lanyard's own in Kubernetes: annotations, labels, finalizers, webhooks. */
export const ownDomain = 'lanyard.io'
