import { createEgressFetch } from '../../egress/create-egress-fetch.ts';
import { createEgressRule } from '../../egress/create-egress-rule.ts';
import type { BaseConfig } from './base-config.ts';

/** Whether the value of a field came through the control API, from an agent perhaps, and not from a person's file or command. */
export const isSetThroughApi = ({ api_fields: names }: Pick<BaseConfig, 'api_fields'>, field: string): boolean =>
  names.includes(field);

export interface FieldFetchOptions {
  readonly variables?: Readonly<Record<string, string | undefined>>;
  readonly fetch?: typeof fetch;
}

/** What to ask the address in a field with: one that came through the control API is held to the egress rule. */
export function fetchForField(
  config: Pick<BaseConfig, 'api_fields'>,
  field: string,
  { variables = process.env, fetch: send = globalThis.fetch }: FieldFetchOptions = {},
): typeof fetch {
  if (!isSetThroughApi(config, field)) return send;
  return createEgressFetch({ rule: createEgressRule({ allow: variables['LACHESIS_EGRESS_ALLOW'] }) });
}
