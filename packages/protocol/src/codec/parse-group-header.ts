import type { GroupHeader } from './group-header.ts';
import { MAX_REASON_LENGTH, MAX_TAG_LENGTH, OUTCOMES, SPLITS } from './header-fields.ts';

/** As zod's `uuid()` reads them: any version and variant of RFC 9562, the nil and the max id. */
const UUID =
  /^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;

type Fields = Record<string, unknown>;

/**
 * Reads a header as `groupHeaderSchema` does: defaults filled in, unknown fields dropped, null when it does not fit. By
 * hand, so that threads that only pack and unpack groups carry no schema library; a test keeps the two equal.
 */
export function parseGroupHeader(value: unknown): GroupHeader | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const fields = value as Fields;
  const isGood =
    isOptional(fields['group_id'], isUuid) &&
    isOptional(fields['rollout_ids'], (ids) => Array.isArray(ids) && ids.every(isUuid)) &&
    isOptional(fields['env_id'], (id) => id === null || Number.isSafeInteger(id)) &&
    ['environment', 'environment_digest', 'verifier_digest', 'consent', 'item'].every((name) =>
      isOptional(fields[name], (tag) => isText(tag, MAX_TAG_LENGTH)),
    ) &&
    isOptional(fields['split'], (split) => SPLITS.some((known) => known === split)) &&
    isOptional(fields['outcome'], (outcome) => OUTCOMES.some((known) => known === outcome)) &&
    isOptional(fields['reason'], (reason) => isText(reason, MAX_REASON_LENGTH)) &&
    isOptional(fields['set_aside'], isSetAside);
  return isGood ? withDefaults(fields) : null;
}

/** In the schema's order: the order of the fields is part of the packed bytes. */
function withDefaults(fields: Partial<GroupHeader>): GroupHeader {
  return {
    ...pick(fields, 'group_id'),
    rollout_ids: fields.rollout_ids === undefined ? [] : [...fields.rollout_ids],
    env_id: fields.env_id ?? null,
    ...pick(fields, 'environment'),
    ...pick(fields, 'environment_digest'),
    ...pick(fields, 'verifier_digest'),
    split: fields.split ?? 'train',
    consent: fields.consent ?? 'unspecified',
    outcome: fields.outcome ?? 'scored',
    ...pick(fields, 'reason'),
    ...pick(fields, 'item'),
    ...(fields.set_aside === undefined ? {} : { set_aside: readSetAside(fields.set_aside) }),
  };
}

function pick<K extends keyof GroupHeader>(fields: Partial<GroupHeader>, name: K): Partial<Pick<GroupHeader, K>> {
  const value = fields[name];
  return value === undefined ? {} : ({ [name]: value } as Pick<GroupHeader, K>);
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

function isSetAside(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const { groups, rollouts, reward_sum: sum } = value as Fields;
  return isCount(groups) && isCount(rollouts) && Number.isFinite(sum);
}

const readSetAside = ({ groups, rollouts, reward_sum: sum }: NonNullable<GroupHeader['set_aside']>) => ({
  ...{ groups, rollouts, reward_sum: sum },
});

const isOptional = (value: unknown, isGood: (value: unknown) => boolean): boolean =>
  value === undefined || isGood(value);
const isUuid = (value: unknown): boolean => typeof value === 'string' && UUID.test(value);
const isText = (value: unknown, maxLength: number): boolean => typeof value === 'string' && value.length <= maxLength;
