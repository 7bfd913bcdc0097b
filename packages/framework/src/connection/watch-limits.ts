/** The most resources that one client can have us watch, and the longest URI among them. */
export const watchLimits = { resources: 1000, uriLength: 8192 } as const
