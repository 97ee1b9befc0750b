export { createEgressFetch } from './create-egress-fetch.ts';
export { createEgressRule, isAddressLike } from './create-egress-rule.ts';
export { EgressError } from './egress-error.ts';
export { createEgressProxy } from './proxy/create-egress-proxy.ts';
