export { createEgressRule, isAddressLike } from './create-egress-rule.ts';
