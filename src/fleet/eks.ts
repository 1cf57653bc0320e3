/** Whether an API server that says this version of itself is one of EKS, which signs no client certificates. */
export const isEks = (version: string): boolean => version.includes('-eks-')
