export { createEgressFetch } from './create-egress-fetch.ts';
export type { EgressFetchOptions } from './create-egress-fetch.ts';
export { createEgressRule, isAddressLike } from './create-egress-rule.ts';
export type { EgressRule, EgressRuleOptions, EgressTarget } from './create-egress-rule.ts';
export { EgressError } from './egress-error.ts';
export type { EgressErrorOptions } from './egress-error.ts';
